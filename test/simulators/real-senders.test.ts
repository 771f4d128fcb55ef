// The stock senders against the simulators: they end as they do against a real broker and a real server.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startBroker } from '#simulators/mqtt/broker.ts';
import type { TrapperFault } from '#simulators/trapper/faults.ts';
import { startTrapper } from '#simulators/trapper/trapper.ts';
import { eventually } from '../support/eventually.ts';
import { startMosquitto } from '../support/mosquitto.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { withPrograms } from '../support/real-programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

interface Broker extends AsyncDisposable {
  port: number;
}

const user = 'ha';
const password = 'Broker-password-1';

async function simulated(): Promise<Broker> {
  const broker = await startBroker({ user, password });
  return { port: Number(broker.url.port), [Symbol.asyncDispose]: () => broker[Symbol.asyncDispose]() };
}

const login = ['-u', user, '-P', password];
const publishing: Record<string, readonly string[]> = {
  'QoS 0': ['-t', 'upsget/ups', '-m', 'a', ...login],
  'QoS 1': ['-t', 'upsget/ups', '-m', 'b', '-q', '1', ...login],
  'QoS 2, retained': ['-t', 'upsget/ups', '-m', 'c', '-q', '2', '-r', ...login],
  'a wrong password': ['-t', 'upsget/ups', '-m', 'd', '-u', user, '-P', 'wrong'],
  'no user': ['-t', 'upsget/ups', '-m', 'e'],
  'a topic with a wild card': ['-t', 'upsget/+', '-m', 'f', ...login],
  'a long client identifier': ['-t', 'upsget/ups', '-m', 'g', '-i', 'x'.repeat(200), ...login],
};

const pub = (port: number, args: readonly string[]) =>
  runProgram(['-h', '127.0.0.1', '-p', String(port), ...args], { command: 'mosquitto_pub' });

/** How each of the calls ends, and what a subscriber hears from the whole of them. */
async function trace({ port }: Broker) {
  const subscribing = ['-h', '127.0.0.1', '-p', String(port), ...login, '-t', '#', '-q', '2', '-v'];
  await using listener = startProgram(subscribing, { command: 'mosquitto_sub' });
  // It does not tell when its subscription is in force.
  await eventually(
    () => pub(port, ['-t', 'begin', '-m', 'begin', ...login]),
    () => (listener.stdout().includes('begin begin') ? true : undefined),
  );
  const endings: Record<string, unknown> = {};
  for (const [name, args] of Object.entries(publishing)) {
    const { code, stderr } = await pub(port, args);
    endings[name] = { code, stderr };
  }
  await pub(port, ['-t', 'end', '-m', 'end', ...login]);
  await listener.printed(/^end end$/m);
  const heard = listener.stdout().match(/^(upsget\/ups|end) \S+$/gm);
  return { endings, heard };
}

withPrograms('mosquitto-clients', ['mosquitto_pub', 'mosquitto_sub'], () => {
  verifies(
    'sim.mqtt.real-client',
    'it ends with 0 where the message arrived, with 5 where it was refused',
    async () => {
      await using broker = await simulated();
      const { endings, heard } = await trace(broker);
      expect(endings).toMatchObject({
        'QoS 0': { code: 0, stderr: '' },
        'QoS 1': { code: 0, stderr: '' },
        'QoS 2, retained': { code: 0, stderr: '' },
        'a wrong password': { code: 5, stderr: expect.stringMatching(/not authori[sz]ed/i) },
        'no user': { code: 5, stderr: expect.stringMatching(/not authori[sz]ed/i) },
        'a topic with a wild card': { code: 1 },
        'a long client identifier': { code: 0 },
      });
      expect(heard).toEqual(['upsget/ups a', 'upsget/ups b', 'upsget/ups c', 'upsget/ups g', 'end end']);
    },
  );

  test('a dropped connection and an HTTP server end it with 7 and 14', async () => {
    await using broker = await startBroker();
    const port = Number(broker.url.port);
    const message = ['-t', 'a', '-m', 'b', '-q', '1'];
    broker.fail('drop-on-publish', { times: 1 });
    expect(await pub(port, message)).toMatchObject({ code: 7 });
    broker.fail('not-mqtt', { times: 1 });
    expect(await pub(port, message)).toMatchObject({ code: 14 });
    broker.fail('unavailable', { times: 1 });
    expect(await pub(port, message)).toMatchObject({ code: 3 });
  });
});

withPrograms('mosquitto mosquitto-clients', ['mosquitto', 'mosquitto_pub', 'mosquitto_sub'], () => {
  verifies('sim.mqtt.agrees', 'the same calls end the same, and are heard the same', async () => {
    await using ours = await simulated();
    await using theirs = await startMosquitto(user, password);
    expect(await trace(ours)).toEqual(await trace(theirs));
  });
});

withPrograms('zabbix-agent', ['zabbix_sender'], () => {
  const send = async (url: URL, lines: string) => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'values');
    writeFileSync(file, lines);
    const { code, stdout } = await runProgram(['-z', url.hostname, '-p', url.port, '-i', file, '-t', '5'], {
      command: 'zabbix_sender',
    });
    return { code, stdout };
  };
  const lines = '"ups one" ups.status "On Line, \\"AVR\\""\n"ups one" ups.load 19.0\n';

  verifies('sim.trapper.real-client', 'values arrive as they were quoted, and it ends with 0', async () => {
    await using trapper = await startTrapper();
    const { code, stdout } = await send(trapper.url, lines);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('processed: 2; failed: 0; total: 2') });
    expect(trapper.values).toMatchObject([
      { host: 'ups one', key: 'ups.status', value: 'On Line, "AVR"' },
      { host: 'ups one', key: 'ups.load', value: '19.0' },
    ]);
  });

  const endings: readonly [TrapperFault, number][] = [
    ['partial', 2],
    ['all-failed', 2],
    ['failed', 1],
    ['garbage', 1],
    ['not-json', 1],
    ['half-frame', 1],
    ['close', 1],
    ['closed-early', 1],
    ['hang', 1],
  ];
  for (const [fault, expected] of endings) {
    verifies('sim.trapper.real-client', `${fault}: it ends with ${expected}`, async () => {
      await using trapper = await startTrapper();
      trapper.fail(fault);
      expect(await send(trapper.url, lines)).toMatchObject({ code: expected });
    });
  }
});
