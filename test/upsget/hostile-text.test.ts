// A page whose texts would write to the terminal: control, direction and zero-width characters arrive nowhere.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startBroker } from '#simulators/mqtt/broker.ts';
import { startTrapper } from '#simulators/trapper/trapper.ts';
import { items } from '#simulators/ups/values.ts';
import { parsePage } from '#upsget/page.ts';
import { withPrograms } from '../support/real-programs.ts';
import { startUpsLab, type UpsLab } from '../support/ups-lab.ts';
import { newHome, runUpsget, withoutPrograms } from '../support/upsget.ts';

const hostile = {
  'the title of the terminal': '\x1b]0;owned\x07',
  'a screen that is cleared': '\x1b[2J\x1b[31m',
  'the same in one character each': '\u009b2J\u009d0;owned\u009c',
  'a line of its own': '\r\nups.status: OL\n',
  'a line end of Unicode': '\u2028\u2029',
  'text from right to left': '\u202e\u2066\u200f\u061c',
  'what takes no room': '\u200b\u200d\u2060\ufeff\u00ad',
  'a deletion': '\x7f\b\0',
};
const every = Object.values(hostile).join('x');
/** A line end is what ends a line of ours. */
const unsafe = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/u;

async function startHostileUps(): Promise<UpsLab> {
  const lab = await startUpsLab({ settings: { model: 'smart' } });
  lab.ups.set(Object.fromEntries(items.map((item) => [item, `12${every}34`])));
  return lab;
}

describe('what is printed', () => {
  test.each([
    ['the values', ['--status', '--load', '--battery'], 1],
    ['--json', ['--json'], 1],
    ['--json --all', ['--json', '--all'], 1],
    ['--json-typed', ['--json-typed'], 1],
    ['--prometheus', ['--prometheus', '--all'], null],
    ['--nut', ['--nut', '--all'], null],
  ] as const)('%s', async (_what, args, lines) => {
    await using lab = await startHostileUps();
    const { code, stdout, stderr } = await runUpsget(args, { ups: lab.ups });
    expect(code).toBe(0);
    expect(`${stdout}${stderr}`).not.toMatch(unsafe);
    // As text of JSON too: who reads it prints what the escapes stand for.
    expect(stdout).not.toMatch(/\\u(?!fffd)|\\[bfrt]/i);
    expect(lines === null || stdout.match(/\n/g)?.length).toBe(lines ?? true);
  });

  test('an error that names the ids of the page', async () => {
    await using lab = await startUpsLab();
    lab.ups.fail('all-ids-renamed', { value: 'x\x1b]0;owned\x07\u202e\u200b\u009b2J_' });
    const { code, stderr } = await runUpsget([], { ups: lab.ups });
    expect(code).toBe(1);
    expect(stderr).toContain('x\ufffd]0;owned\ufffd\ufffd\ufffd\ufffd2J_RealPowerPct');
    expect(stderr).not.toMatch(unsafe);
  });

  test('an error that quotes the head of the answer', async () => {
    await using lab = await startUpsLab();
    lab.ups.fail('redirect-elsewhere', { value: '/\u202e\u200b' });
    const { code, stderr } = await runUpsget([], { ups: lab.ups });
    expect(code).toBe(1);
    expect(stderr).not.toMatch(unsafe);
  });
});

describe('what is sent', () => {
  test.each([
    ['with the library', withoutPrograms],
    ['with what is installed', {}],
  ])('over MQTT %s', async (_how, env: Record<string, string>) => {
    await using lab = await startHostileUps();
    await using broker = await startBroker();
    const args = ['--mqtt-send', '127.0.0.1', '--mqtt-port', String(broker.url.port), '--ha-discovery', '--all'];
    expect(await runUpsget(args, { ups: lab.ups, env })).toMatchObject({ code: 0, stderr: '' });
    expect(broker.messages).toHaveLength(3);
    for (const { payload } of broker.messages.slice(0, 2)) {
      expect(textsIn(JSON.parse(payload))).not.toMatch(unsafe);
    }
  });

  withPrograms('zabbix-agent', ['zabbix_sender'], () => {
    test('to a trapper', async () => {
      await using lab = await startHostileUps();
      await using trapper = await startTrapper();
      const args = ['--trapper-send', '127.0.0.1', '--trapper-port', String(trapper.url.port)];
      expect(await runUpsget(args, { ups: lab.ups })).toMatchObject({ code: 0 });
      expect(trapper.values).toHaveLength(6);
      for (const { key, value } of trapper.values) {
        expect(`${key} ${value}`).not.toMatch(unsafe);
      }
    });
  });
});

function textsIn(value: unknown): string {
  return typeof value === 'object' && value !== null
    ? Object.entries(value)
        .map(([name, member]) => `${name} ${textsIn(member)}`)
        .join(' ')
    : String(value);
}

test('a snapshot keeps the page as it came', async () => {
  await using lab = await startHostileUps();
  const folder = path.join(newHome(), 'snapshot');
  expect(await runUpsget(['--json', '--snapshot', folder], { ups: lab.ups })).toMatchObject({ code: 0 });
  expect(readFileSync(path.join(folder, 'status.en.html'), 'utf8')).toContain('12\x1b]0;owned\x07x');
});

test('language, ids and values of a page have none; what is sent back to it stays as it is', () => {
  const page = parsePage(
    `<html lang="ja${every}"><b id="value_${every}">${every}</b><input name="formtoken" value="${every}">`,
  );
  const [[id, text] = ['', '']] = page.values;
  expect(`${page.lang}${id}${text}${[...page.ids].join('')}`).not.toMatch(unsafe);
  expect(page.fields.get('formtoken')).toBe(every);
});
