// A wrong period is one sentence that says where, and nothing starts or is written.
import { readdirSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { formatPeriod } from '#capture/period.ts';
import { runReplay } from '#hub/record/connections/period/command.ts';
import { runSimulator } from '#simulators/main.ts';
import { startCommand } from '../support/command-run.ts';
import { smallPeriod } from '../support/small-period.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

const whole = formatPeriod(smallPeriod());
const again = 'export the period again with gatehouse replay export';

const wrong: readonly (readonly [what: string, text: string, sentence: string])[] = [
  [
    'of another version',
    whole.replace('"version":1', '"version":2'),
    `line 1, column 40: version is 2, and this program reads 1: use the release that wrote it, or ${again}`,
  ],
  ['empty', '', `line 1, column 1: this is not valid JSON; ${again}`],
  ['no period', '{"hello":1}\n', 'line 1, column 1: format is missing: gatehouse-period'],
  [
    'cut in a line',
    whole.slice(0, -30),
    `line 5, column 59: the file ends in the middle of a line: it was cut; ${again}`,
  ],
  [
    'cut behind a line',
    `${whole.split('\n').slice(0, 4).join('\n')}\n`,
    `line 4, column 1: the line with the digest is missing behind this one: the file was cut; ${again}`,
  ],
  [
    'a line fewer',
    whole.split('\n').toSpliced(2, 1).join('\n'),
    `line 4, column 10: lines is 4, and 3 are there: the file was cut; ${again}`,
  ],
  [
    'edited into another port',
    whole.replace('"dport":443', '"dport":444'),
    `line 5, column 21: sha256 is not that of the lines before: the file was edited; ${again}`,
  ],
  [
    'edited into no port',
    whole.replace('"dport":443', '"dport":70000'),
    'line 3, column 174: dport must be at most 65535',
  ],
  [
    'edited into no JSON',
    whole.replace('"dport":443', '"dport":'),
    `line 3, column 185: this is not valid JSON; ${again}`,
  ],
  [
    'a period that ends before it begins',
    whole.replace('"to":"2026-03-01T', '"to":"2020-03-01T'),
    'line 1, column 81: to must be later than from',
  ],
  ['an unknown member', whole.replace('"ttl":893', '"path":"../../x","ttl":893'), 'path is not known here'],
  [
    'a time outside',
    whole.replace('120000', '3600000'),
    'line 3, column 47: seen must be in order and within the period',
  ],
  [
    'an observer that is not there',
    whole.replace('"by":[0]', '"by":[7]'),
    'line 3, column 36: by names observer 7, and the header has 2',
  ],
  [
    'a router that saw IPv6',
    whole.replace('"by":[1]', '"by":[0]'),
    'line 4, column 36: by names a vendor_a, which cannot have seen',
  ],
  [
    'bytes that are no number',
    whole.replace('"bytesIn":"1000"', '"bytesIn":"x1000"'),
    'bytesIn must be decimal digits',
  ],
  [
    'bytes with more behind them',
    whole.replace('"bytesIn":"1000"', '"bytesIn":"1000x"'),
    'bytesIn must be decimal digits',
  ],
  ['a MAC with more behind it', whole.replace('53:01"', '53:01:02"'), 'mac must be a MAC such as'],
  ['a MAC with more before it', whole.replace('"00:00:5e', '"a00:00:5e'), 'mac must be a MAC such as'],
  ['a digest with more before it', whole.replace('"sha256":"', '"sha256":"0'), 'sha256'],
  [
    'a control character in a name',
    whole.replace('den-pc', 'den\\u001bpc'),
    'line 2, column 59: name must not hold control characters',
  ],
];

async function play(file: string, kind = 'vendor_a', ...more: readonly string[]) {
  const ports = kind === 'agent' ? ['--hub', 'http://127.0.0.1:1'] : ['--port', '0'];
  return startCommand(() => runSimulator([kind, ...ports, '--control-port', '0', '--period', file, ...more])).ended;
}

verifies('sim.period.mistakes', 'versions, cuts and edits are named by line and column', async () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'period.jsonl');
  for (const [what, text, sentence] of wrong) {
    writeFileSync(file, text);
    const ended = await play(file);
    expect.soft({ what, ...ended }).toEqual({ what, code: 2, stdout: '', stderr: expect.stringContaining(sentence) });
    expect(ended.stderr).toMatch(/^gatehouse sim: --period: period\.jsonl, line \d, column \d+: /);
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
  }
});

test('a period with more sightings than a file may have, one with a list for a line, and one without an Agent', async () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'period.jsonl');
  const { connections, header, hosts } = smallPeriod();
  const [first] = connections;
  const often = first && { ...first, seen: [[0, 60_000, 100_000]] as [number, number, number][] };
  writeFileSync(
    file,
    formatPeriod({ header, hosts, connections: Array.from({ length: 11 }, () => often ?? expect.fail()) }),
  );
  expect(await play(file)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('line 14, column 1: the file has 1100000 sightings, more than 1000000'),
  });
  writeFileSync(file, whole.replace(/^.*"host":.*$/m, '["host"]'));
  expect(await play(file)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('line 2, column 1: the connection'),
  });
  const observers = header.observers.slice(0, 1);
  writeFileSync(file, formatPeriod({ header: { ...header, observers }, hosts, connections: connections.slice(0, 1) }));
  expect(await play(file, 'agent')).toMatchObject({ code: 2, stderr: expect.stringMatching(/--period has no Agent/) });
});

test('a file of 1 GB, one that is not there, and one without such a simulator', async () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'period.jsonl');
  expect(await play(file)).toMatchObject({ code: 2, stderr: expect.stringMatching(/cannot be read: ENOENT/) });
  writeFileSync(file, whole);
  expect(await play(file, 'vendor_b')).toMatchObject({
    code: 2,
    stderr:
      'gatehouse sim: --period has no vendor_b: start a simulator of another kind with it; it has vendor_a, agent\n',
  });
  expect(await play(file, 'vendor_a', '--period-router', 'cellar')).toMatchObject({
    code: 2,
    stderr: 'gatehouse sim: --period-router must be one of attic\n',
  });
  expect(await play(file, 'agent', '--rate', '4')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/leave out --rate/),
  });
  truncateSync(file, 2 ** 30);
  expect(await play(file)).toMatchObject({ code: 2, stderr: expect.stringMatching(/it has more than 67108864 bytes/) });
});

test('a scenario takes a period from its own folder only', async () => {
  using folder = temporaryFolder();
  const scenario = path.join(folder.path, 'lab.yaml');
  writeFileSync(scenario, 'simulators:\n  home: { kind: vendor_a, period: ../period.jsonl }\n');
  expect(await startCommand(() => runSimulator(['lab', scenario])).ended).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/line 2, column 35: period must be a path within the folder of the scenario/),
  });
  writeFileSync(path.join(folder.path, 'period.jsonl'), whole.replace('"dport":443', '"dport":70000'));
  writeFileSync(scenario, 'simulators:\n  home: { kind: vendor_a, period: period.jsonl }\n');
  expect(await startCommand(() => runSimulator(['lab', scenario])).ended).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /line 2, column 35: .*period\.jsonl, line 3, column 174: dport must be at most 65535/,
    ),
  });
});

test('an export that cannot be made writes nothing', async () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'period.jsonl');
  const run = (...args: readonly string[]) =>
    startCommand(() => runReplay(['export', '--data', folder.path, '--output', file, ...args])).ended;
  const day = ['--from', '2026-03-01T00:00:00Z', '--to', '2026-03-02T00:00:00Z'];
  expect(await run(...day)).toMatchObject({ code: 1, stderr: expect.stringMatching(/monitor\.db does not exist/) });
  expect(await run('--from', 'yesterday', '--to', 'now')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--from must be a date and time with offset, such as/),
  });
  expect(await run('--from', '2026-03-02T00:00:00Z', '--to', '2026-03-01T00:00:00Z')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--to must be later than --from/),
  });
  expect(readdirSync(folder.path)).toEqual([]);
  writeFileSync(file, 'kept');
  expect(await run(...day)).toMatchObject({ code: 2, stderr: expect.stringMatching(/is there already/) });
  const { stderr, code } = await startCommand(() => runReplay(['export', '--data', folder.path, ...day])).ended;
  expect([code, stderr]).toEqual([2, expect.stringContaining('--output is missing: name the file to make')]);
});
