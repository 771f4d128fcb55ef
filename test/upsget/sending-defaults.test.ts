// What upsget sends where nothing more is said: to which port, under which topic, in which element, key and unit.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { startBroker } from '#simulators/mqtt/broker.ts';
import { shownAt, startUpsLab } from '../support/ups-lab.ts';
import { listRequests, newHome, plainValues, runUpsget, startUpsget, withoutPrograms } from '../support/upsget.ts';
import { verifies } from '../support/verifies.ts';

verifies(
  'ups.option.mqtt-send ups.option.mqtt-port ups.option.mqtt-topic',
  'nothing is published unless a broker is named; then to its port 1883, under upsget/ups',
  async () => {
    await using lab = await startUpsLab();
    // Any address of 127/8 is this computer, so that this port is free on one of them.
    await using broker = await startBroker({ host: '127.0.18.83', port: 1883 });
    const run = (args: string[]) => runUpsget(args, { ups: lab.ups, env: withoutPrograms });
    expect(await run(['--mqtt-topic', 'other'])).toMatchObject({ code: 0, stdout: '19.0\n' });
    expect(broker.journal()).toEqual([]);
    expect(await run(['--mqtt-send', '127.0.18.83'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(broker.messages.map(({ topic, payload }) => [topic, JSON.parse(payload)])).toEqual([
      ['upsget/ups', plainValues],
    ]);
  },
);

/** A sender command that writes down what it is given, takes every item, and ends when it may. */
function standInSender({ waits = false } = {}) {
  const folder = newHome();
  const file = path.join(folder, 'zabbix_sender');
  const answer = 'Response: \\"processed: 6; failed: 0; total: 6; seconds spent: 0.000055\\"';
  const lines = [
    '#!/bin/sh',
    `printf '%s\\n' "$@" > "$0.args"`,
    'cat > "$0.stdin"',
    ...(waits ? ['while [ ! -e "$0.end" ]; do sleep 0.1; done'] : []),
    `echo "${answer}"`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o755 });
  const linesOf = (name: string) => readFileSync(`${file}.${name}`, 'utf8').trimEnd().split('\n');
  return {
    env: { PATH: `${folder}:/usr/bin:/bin` },
    wasCalled: () => readdirSync(folder).length > 1,
    letEnd: () => writeFileSync(`${file}.end`, ''),
    args: () => linesOf('args'),
    stdin: () => linesOf('stdin'),
  };
}

verifies(
  'ups.trapper.sender-stdin ups.option.trapper-send ups.option.trapper-port',
  'the sender command is started only when a server is named, for its port 10051, and reads the items from stdin',
  async () => {
    await using lab = await startUpsLab();
    const sender = standInSender();
    const run = (args: string[]) => runUpsget(args, { ups: lab.ups, env: sender.env });
    expect(await run(['--trapper-host', 'my ups'])).toMatchObject({ code: 0, stdout: '19.0\n' });
    expect(sender.wasCalled()).toBe(false);
    expect(await run(['--trapper-send', '192.0.2.7', '--trapper-host', 'my ups'])).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(sender.args()).toEqual(['-z', '192.0.2.7', '-p', '10051', '-i', '-']);
    expect(sender.stdin()).toEqual(
      Object.entries(plainValues).map(([name, value]) => `"my ups" ups.${name} "${value}"`),
    );
  },
);

verifies('ups.web.restore', 'the language is set back when everything was sent, not before', async () => {
  await using lab = await startUpsLab({ settings: { locale: 'ja' } });
  const sender = standInSender({ waits: true });
  await using program = startUpsget(['--trapper-send', '192.0.2.7'], { ups: lab.ups, env: sender.env });
  await expect.poll(() => sender.wasCalled()).toBe(true);
  expect(lab.ups.state()).toMatchObject({ locale: 'en', loggedOn: 1 });
  sender.letEnd();
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(listRequests(lab.ups).slice(-2)).toEqual(['POST /setLocale', 'GET /logoff']);
  expect(lab.ups.state()).toMatchObject({ locale: 'ja', loggedOn: 0 });
});

describe('each item has its element, its key and its unit', () => {
  const shown = {
    status: ['value_DeviceStatus', 'On Battery', 'On Battery', undefined],
    load: ['value_RealPowerPct', '41.5', 41.5, '%'],
    runtime: ['value_RuntimeRemaining', '12', 12, 'min'],
    voltage: ['value_InputVoltage', '98.5', 98.5, 'VAC'],
    battery: ['value_BatteryCharge', '77.0', 77, '%'],
    batteryvoltage: ['value_VoltageDC', '12.4', 12.4, 'VDC'],
  } as const;
  const seen: { typed: Record<string, unknown> & { units: Record<string, string> }; items: string[] } = {
    typed: { units: {} },
    items: [],
  };

  beforeAll(async () => {
    await using lab = await startUpsLab();
    lab.ups.set(Object.fromEntries(Object.values(shown).map(([id, , value]) => [id.slice('value_'.length), value])));
    const person = lab.browser();
    const page = (await person.logOn(lab.ups.credentials)).text;
    expect(Object.values(shown).map(([id]) => shownAt(page, id))).toEqual(Object.values(shown).map(([, text]) => text));
    await person.send('/logoff');
    const sender = standInSender();
    const { stdout } = await runUpsget(['--json-typed'], { ups: lab.ups });
    const sending = ['--trapper-send', '192.0.2.7', '--trapper-host', 'ups'];
    expect(await runUpsget(sending, { ups: lab.ups, env: sender.env })).toMatchObject({ code: 0, stderr: '' });
    Object.assign(seen, { typed: JSON.parse(stdout), items: sender.stdin() });
  });

  function has(...names: (keyof typeof shown)[]): void {
    for (const name of names) {
      const [, text, value, unit] = shown[name];
      expect([name, seen.typed[name], seen.typed.units[name]]).toEqual([name, value, unit]);
      expect(seen.items).toContain(`"ups" ups.${name} "${text}"`);
    }
  }

  verifies('ups.item.status ups.item.load ups.item.runtime', 'as the specification names them', () =>
    has('status', 'load', 'runtime'),
  );
  verifies('ups.item.voltage ups.item.battery ups.item.batteryvoltage', 'as the specification names them', () =>
    has('voltage', 'battery', 'batteryvoltage'),
  );
});
