// The commands of the sink: the statements they print, what a backfill sends and when it gives up, what a comparison finds.
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { createClosedHours } from '#hub/record/connections/closed-hours/closed-hours.ts';
import { hourColumns } from '#hub/record/connections/closed-hours/row-text.ts';
import { runSink } from '#hub/record/sink/commands/sink.ts';
import { createSchemaStatements, type SchemaOptions } from '#hub/record/sink/schema-statements.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { startClickHouse } from '#simulators/clickhouse/clickhouse.ts';
import { type CommandScene, startCommand } from '../../../support/command-run.ts';
import { hour, noon, openConnectionLog } from '../../../support/connection-log.ts';
import { rowsOfLog, rowsOfServer } from '../../../support/sink-lab.ts';

const hours = { openHours: createClosedHours, columns: hourColumns };

/** A log with two flows in each of so many hours from noon on, all of them closed, and a server without rows. */
async function startScene(count: number) {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await startClickHouse());
  const log = opened.use(openConnectionLog());
  const flows = ['203.0.113.1', '203.0.113.2'];
  const seen = Array.from({ length: count }, (_, at) => flows.map((dst) => ({ dst, at: noon + at * hour }))).flat();
  if (seen.length > 0) {
    await log.record(seen);
  }
  const time = { now: noon + count * hour + limits.sinkGraceMs };
  const slept: number[] = [];
  const clock = {
    now: () => time.now,
    monotonic: () => time.now,
    async sleep(ms: number, signal?: AbortSignal) {
      signal?.throwIfAborted();
      slept.push(ms);
      time.now += ms;
    },
  };
  const { writer, reader } = server.settings;
  const usual = {
    MONITOR_DB_PATH: log.db.file,
    MONITOR_CLICKHOUSE_URL: server.url.origin,
    MONITOR_CLICKHOUSE_PASSWORD: writer.password,
    MONITOR_CLICKHOUSE_READER_PASSWORD: reader.password,
    MONITOR_CLICKHOUSE_HUB: 'attic',
  };
  const start = (words: readonly string[], { env = {}, ...scene }: CommandScene = {}) =>
    startCommand(() => runSink(words, { clock, ...hours }), {
      ...scene,
      env: { ...usual, ...env },
    });
  const held = opened.move();
  return {
    ...{ server, log, time, slept, start },
    run: (words: readonly string[], scene?: CommandScene) => start(words, scene).ended,
    requests: () => server.journal().filter(({ kind }) => kind === 'request').length,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

const hourLine = (at: number, here: number, there: number) =>
  `${new Date(noon + at * hour).toISOString().slice(0, 16).replace('T', ' ')}  ${here} rows in the log, ${there} in ClickHouse\n`;
const ok = (stdout: string) => ({ code: 0, stdout, stderr: '' });
const failed = (command: string, sentence: string) => ({ code: 1, stderr: `gatehouse sink ${command}: ${sentence}\n` });
const sentRows = (count: number, seconds = 0) =>
  ok(`${count} hours with ${2 * count} rows were sent in ${seconds} s\n`);

const runWithoutData = (words: readonly string[], scene?: CommandScene) =>
  startCommand(() => runSink(words, { clock: systemClock, ...hours }), scene).ended;

test.each<[words: string[], env: Record<string, string>, changes: Partial<SchemaOptions>]>([
  [[], {}, {}],
  [['--ttl-days', '730'], { MONITOR_CLICKHOUSE_TTL_DAYS: '7' }, { ttlDays: 730 }],
  [['--ttl-days', '0'], { MONITOR_CLICKHOUSE_TTL_DAYS: '7' }, { ttlDays: null }],
  [[], { MONITOR_CLICKHOUSE_TTL_DAYS: '7' }, { ttlDays: 7 }],
  [['--ttl-days', '36500'], {}, { ttlDays: 36_500 }],
  [['--replicated', `a_B-9.${'c'.repeat(122)}`], {}, { cluster: `a_B-9.${'c'.repeat(122)}` }],
  [
    [],
    {
      ...{ MONITOR_CLICKHOUSE_DATABASE: 'log', MONITOR_CLICKHOUSE_USER: 'pen' },
      MONITOR_CLICKHOUSE_READER_USER: 'eye',
    },
    { database: 'log', writer: 'pen', reader: 'eye' },
  ],
])('schema %j with %j prints each statement with a semicolon', async (words, env, changes) => {
  const usual = { database: 'gatehouse', ttlDays: null, writer: 'gatehouse_writer', reader: 'gatehouse_reader' };
  const statements = createSchemaStatements({ ...usual, ...changes });
  expect(await runWithoutData(['schema', ...words], { env })).toEqual(ok(`${statements.join(';\n\n')};\n`));
});

test.each([
  ...['36501', '-1', 'two'].map((days) => ['schema', '--ttl-days', days]),
  ...['', 'a`b', ' ', 'a/b', 'c'.repeat(129)].map((name) => ['schema', '--replicated', name]),
  ...['60001', '-1'].map((pace) => ['backfill', '--pace', pace]),
])('%s %s %j is refused as a wrong option', async (...words) => {
  const name = words[1] as string;
  expect(await runWithoutData(words.with(1, `${name}=${words[2]}`).slice(0, 2))).toEqual({
    ...{ code: 2, stdout: '' },
    stderr: expect.stringMatching(new RegExp(`^gatehouse sink ${words[0]}: ${name} must be .*see --help`)),
  });
});

test('verify prints the first twenty hours that differ; after a backfill all are the same', async () => {
  await using scene = await startScene(30);
  expect(await scene.run(['verify'])).toEqual({
    stdout: Array.from({ length: 20 }, (_, at) => hourLine(at, 2, 0)).join(''),
    ...failed(
      'verify',
      '30 of 30 hours differ; 30 have too few rows there: gatehouse sink backfill --again sends them',
    ),
  });
  expect(await scene.run(['backfill'])).toEqual(sentRows(30));
  expect(await scene.run(['verify'])).toEqual(ok('30 hours with 60 rows are the same in ClickHouse\n'));
  expect(rowsOfServer(scene.server)).toEqual(rowsOfLog(scene.log, scene.time.now));
  expect(await scene.run(['backfill'])).toEqual(sentRows(0));
  scene.server.rows.clear();
  expect(await scene.run(['backfill', '--again'])).toEqual(sentRows(30));
});

test('verify tells hours with too few rows there from hours with more, in the order of time', async () => {
  await using scene = await startScene(9);
  await scene.run(['backfill']);
  const remove = (at: number) =>
    scene.log.db.write((writer) => writer.prepare('DELETE FROM flow_hour WHERE hour = ?').run(noon / hour + at));
  const more = '1 have more rows there, of a database that was restored or a clock that was wrong';
  const few = '1 have too few rows there: gatehouse sink backfill --again sends them';
  await remove(3);
  expect(await scene.run(['verify'])).toEqual({
    stdout: hourLine(3, 0, 2),
    ...failed('verify', `1 of 9 hours differ; ${more}`),
  });
  await scene.log.record([{ dst: '203.0.113.9', at: noon + hour }], { now: scene.time.now });
  expect(await scene.run(['verify'])).toEqual({
    stdout: hourLine(1, 3, 2) + hourLine(3, 0, 2),
    ...failed('verify', `2 of 9 hours differ; ${few}; ${more}`),
  });
  await scene.run(['backfill']);
  expect((await scene.run(['verify'])).stdout).toBe(hourLine(3, 0, 2));
});

test('verify compares hours that are closed and within the time to live, and asks nothing without one', async () => {
  await using scene = await startScene(30);
  await scene.run(['backfill']);
  const closedAt = scene.time.now;
  const same = (count: number) => `${count} hours with ${2 * count} rows are the same in ClickHouse\n`;
  scene.time.now = closedAt - 1;
  expect(await scene.run(['verify'])).toEqual(ok(same(29)));
  const env = { MONITOR_CLICKHOUSE_TTL_DAYS: '1' };
  const old = (count: number) =>
    `${count} hours are older than the 1 days of MONITOR_CLICKHOUSE_TTL_DAYS and are not compared\n`;
  for (const [now, older] of [
    [noon + 31 * hour, 8],
    [noon + 31 * hour - 1, 7],
    [noon + 24 * hour - 1, 0],
  ] as const) {
    scene.time.now = now;
    const closed = Math.min(30, Math.floor((now - limits.sinkGraceMs - noon) / hour));
    const kept = closed - older;
    expect(await scene.run(['verify'], { env })).toEqual(ok(`${older === 0 ? '' : old(older)}${same(kept)}`));
  }
  scene.time.now = noon + 100 * hour;
  const asked = scene.requests();
  expect(await scene.run(['verify'], { env })).toEqual(ok(`${old(30)}${same(0)}`));
  expect(scene.requests()).toBe(asked);
});

test('a backfill waits between tries, gives up after six failures in a row, and a success begins anew', async () => {
  await using scene = await startScene(501);
  const unavailable = `ClickHouse (${scene.server.url.origin}) failed: it answered HTTP 503, not as ClickHouse does`;
  const left = '501 hours are left: the same command without --again goes on';
  scene.server.fail('unavailable');
  expect(await scene.run(['backfill', '--pace', '0'])).toEqual({
    stdout: '',
    ...failed('backfill', `${unavailable}. 0 hours with 0 rows were sent, ${left}`),
  });
  expect(scene.requests()).toBe(6);
  expect(scene.slept).toHaveLength(5);
  for (const [failures, ms] of scene.slept.entries()) {
    expect(ms / (limits.sinkRetryMinMs * 2 ** failures)).toBeGreaterThanOrEqual(0.5);
    expect(ms / (limits.sinkRetryMinMs * 2 ** failures)).toBeLessThan(1);
  }
  scene.server.clearFaults();
  scene.server.fail('unavailable', { times: 5 });
  scene.server.fail('disk-full', { skip: 1, times: 5 });
  scene.slept.length = 0;
  const { stdout } = await scene.run(['backfill', '--pace', '60000']);
  expect(scene.slept.length).toBeGreaterThanOrEqual(10);
  const seconds = Math.round(scene.slept.reduce((sum, ms) => sum + ms, 0) / 1000);
  expect(stdout).toBe(sentRows(501, seconds).stdout);
});

test('on a terminal a backfill says how far it is, and why it tries again', async () => {
  await using scene = await startScene(501);
  scene.server.fail('disk-full', { times: 1 });
  const { stderr } = await scene.run(['backfill'], { isTerminal: true });
  const seconds = (inserts: number) => scene.slept.slice(0, inserts).reduce((sum, ms) => sum + ms, 0) / 1000;
  const line = (count: number, inserts: number) =>
    `${count} hours with ${2 * count} rows were sent, ${Math.round((2 * count) / seconds(inserts))} a second, ${501 - count} hours to go`;
  const retried = /^ClickHouse .*: the disk of the server is full.*; trying again$/;
  expect(stderr.split('\n')).toEqual([expect.stringMatching(retried), line(500, 1), line(501, 2), '']);
  await using other = await startScene(1);
  other.server.fail('bad-row');
  const refused = await other.run(['backfill'], { isTerminal: true });
  expect(refused.stderr.split('\n')[0]).toMatch(/does not take some rows \(code 27\)/);
});

test('a backfill whose rows are refused ends with 1 and the reason; the next one tries them at once', async () => {
  await using scene = await startScene(3);
  scene.server.fail('bad-row', { value: '203.0.113.2' });
  const reason = 'ClickHouse does not take the rows of 3 hours. ClickHouse .*does not take some rows \\(code 27\\)';
  expect(await scene.run(['backfill'])).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: expect.stringMatching(
      new RegExp(`: 0 hours with 0 rows were sent; ${reason}.*: mend it, then the same command without --again tries`),
    ),
  });
  expect(scene.slept).toEqual([1000, 1000, 1000]);
  const later = await scene.run(['backfill', '--pace', '0']);
  expect(later.stderr).toContain('of 3 hours. ClickHouse (');
  scene.server.clearFaults();
  expect(await scene.run(['backfill'])).toEqual(sentRows(3));
});

test.each([
  [
    ['backfill', '--again'],
    '0 hours with 0 rows were sent, 3 hours are left: the same command without --again goes on',
  ],
  [['verify'], 'nothing was compared'],
])('Ctrl-C ends %j with what is left', async (words, sentence) => {
  await using scene = await startScene(3);
  await scene.run(['backfill']);
  scene.server.fail('no-answer');
  const asked = scene.requests();
  const command = scene.start(words);
  await expect.poll(scene.requests).toBe(asked + 1);
  command.interrupt();
  const separator = words[0] === 'verify' ? ':' : ';';
  expect(await command.ended).toEqual({
    stdout: '',
    ...failed(words[0] as string, `stopped${separator} ${sentence}`),
  });
});

test.each<[name: string, hasOption: boolean, env: (folder: string) => Record<string, string>]>([
  ['--data', true, () => ({ MONITOR_DB_PATH: '', MONITOR_DATA_DIR: '/nowhere' })],
  ['MONITOR_DATA_DIR', false, (folder) => ({ MONITOR_DB_PATH: '', MONITOR_DATA_DIR: folder })],
  ['MONITOR_DB_PATH', true, (folder) => ({ MONITOR_DB_PATH: `${folder}/hub.db`, MONITOR_DATA_DIR: '/nowhere' })],
])('the database is that of %s', async (name, hasOption, env) => {
  await using scene = await startScene(1);
  const folder = path.dirname(scene.log.db.file);
  symlinkSync(scene.log.db.file, path.join(folder, 'monitor.db'));
  const option = name === '--data' ? folder : '/nowhere';
  const words = ['backfill', ...(hasOption ? ['--data', option] : [])];
  expect(await scene.run(words, { env: env(folder) })).toEqual(sentRows(1));
});

test.each([
  [{ MONITOR_CLICKHOUSE_URL: '' }, 'MONITOR_CLICKHOUSE_URL is not set: name the server'],
  [{ MONITOR_DB_PATH: '/nowhere/monitor.db' }, '/nowhere/monitor.db does not exist: name the folder'],
  [{ MONITOR_DB_PATH: '' }, 'data/monitor.db does not exist: name the folder'],
  [{ MONITOR_OFFLINE_MODE: 'true' }, 'MONITOR_OFFLINE_MODE is on: ClickHouse is not asked'],
  [{ MONITOR_CLICKHOUSE_READER_PASSWORD: '' }, 'MONITOR_CLICKHOUSE_READER_PASSWORD is not set', 'verify'],
  [
    { MONITOR_CLICKHOUSE_READER_PASSWORD: 'wrong' },
    /: the user gatehouse_reader or its password is refused: see MONITOR_CLICKHOUSE_READER_USER/,
    'verify',
  ],
])('with %j a command ends with 1 and says why', async (env, sentence, only?: string) => {
  await using scene = await startScene(1);
  for (const command of only === undefined ? ['backfill', 'verify'] : [only]) {
    expect(await scene.run([command], { env })).toEqual({
      ...failed(command, ''),
      stdout: '',
      stderr: expect.stringMatching(sentence),
    });
  }
  expect(scene.server.rows.held()).toEqual([]);
});

test('a database of a version before the sink is refused, and closed', async () => {
  await using scene = await startScene(1);
  const asVersion = (version: number) =>
    scene.log.db.write((writer) => writer.prepare(`PRAGMA user_version = ${version}`).run());
  await asVersion(22);
  expect(await scene.run(['backfill'])).toEqual({
    stdout: '',
    ...failed(
      'backfill',
      `${scene.log.db.file} is of an earlier version: start the hub of this version once, then try again`,
    ),
  });
  await asVersion(23);
  expect(await scene.run(['backfill'])).toEqual(sentRows(1));
});
