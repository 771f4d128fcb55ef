// `gatehouse sink`: the statements, a backfill beside nobody, the comparison, and how each says what is missing.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startClickHouse } from '#simulators/clickhouse/clickhouse.ts';
import { type ConnectionLog, hour, noon, openConnectionLog } from '../support/connection-log.ts';
import { runProgram, startProgram } from '../support/program.ts';
import { rowsOfLog, rowsOfServer } from '../support/sink-lab.ts';

const scene = {} as {
  server: Awaited<ReturnType<typeof startClickHouse>>;
  log: ConnectionLog;
  env: Record<string, string>;
};

beforeAll(async () => {
  scene.server = await startClickHouse();
  scene.log = openConnectionLog();
  for (let at = 0; at < 30; at += 1) {
    await scene.log.record([
      { dst: '203.0.113.1', at: noon + at * hour },
      { dst: '203.0.113.2', at: noon + at * hour },
    ]);
  }
  const { writer, reader } = scene.server.control.settings;
  scene.env = {
    MONITOR_DB_PATH: scene.log.db.file,
    MONITOR_CLICKHOUSE_URL: scene.server.url.origin,
    MONITOR_CLICKHOUSE_PASSWORD: writer.password,
    MONITOR_CLICKHOUSE_READER_PASSWORD: reader.password,
    MONITOR_CLICKHOUSE_HUB: 'attic',
  };
});
afterAll(async () => {
  await scene.log[Symbol.asyncDispose]();
  await scene.server[Symbol.asyncDispose]();
});

const sink = (words: readonly string[], env: Record<string, string> = {}) =>
  runProgram(['src/main.ts', 'sink', ...words], { env: { ...scene.env, ...env } });

/** What it says when Ctrl-C ends it with 1 while the server does not answer. */
async function interrupted(words: readonly string[]): Promise<string> {
  const { control } = scene.server;
  control.fail('no-answer');
  await using program = startProgram(['src/main.ts', 'sink', ...words], { env: scene.env });
  const seen = control.journal.length;
  await expect.poll(() => control.journal.length).toBeGreaterThan(seen);
  program.kill('SIGINT');
  expect(await program.ended).toMatchObject({ code: 1 });
  control.clearFaults();
  return program.stderr();
}

test('schema prints statements, with a time to live and for a cluster', async () => {
  const { code, stdout } = await sink(['schema', '--ttl-days', '730']);
  expect(code).toBe(0);
  expect(stdout).toContain('ENGINE = ReplacingMergeTree(version)');
  expect(stdout).toContain('TTL hour + INTERVAL 730 DAY');
  expect(stdout).toContain('GRANT INSERT ON `gatehouse`.`flow_hour` TO `gatehouse_writer`;');
  const replicated = await sink(['schema', '--replicated', 'home']);
  expect(replicated.stdout).toContain('ReplicatedReplacingMergeTree');
  expect(replicated.stdout).toContain("ENGINE = Distributed('home', 'gatehouse', 'flow_hour_local', flow)");
});

test('verify names hours that are missing and ends with 1; after a backfill everything is the same', async () => {
  const before = await sink(['verify']);
  expect(before.code).toBe(1);
  expect(before.stdout.split('\n')).toHaveLength(21);
  expect(before.stderr).toContain('30 of 30 hours differ');
  const sent = await sink(['backfill', '--pace', '0']);
  expect({ code: sent.code, stdout: sent.stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining('30 hours with 60 rows were sent'),
  });
  const after = await sink(['verify']);
  expect([after.code, after.stdout]).toEqual([0, '30 hours with 60 rows are the same in ClickHouse\n']);
  expect(rowsOfServer(scene.server)).toEqual(rowsOfLog(scene.log, noon + 40 * hour));
  expect((await sink(['backfill'])).stdout).toContain('0 hours with 0 rows');
  scene.server.control.rows.clear();
  expect((await sink(['backfill', '--again', '--pace', '0'])).stdout).toContain('30 hours with 60 rows were sent');
});

test('an interrupted backfill says how many hours are left, and goes on', async () => {
  const left = '30 hours are left: the same command without --again goes on';
  expect(await interrupted(['backfill', '--again'])).toContain(left);
  expect((await sink(['backfill', '--pace', '0'])).stdout).toContain('30 hours with 60 rows were sent');
});

test('a backfill whose rows are refused ends with 1 and the reason; the next one tries them at once', async () => {
  scene.server.control.rows.clear();
  scene.server.control.fail('bad-row', { value: '203.0.113.2' });
  const refused = await sink(['backfill', '--again', '--pace', '0']);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/does not take the rows of 30 hours.*code \d+.*the same command without --again/s);
  scene.server.control.clearFaults();
  expect((await sink(['backfill', '--pace', '0'])).stdout).toContain('30 hours with 60 rows were sent');
  expect((await sink(['verify'])).code).toBe(0);
});

test('hours that the time to live removes are not compared', async () => {
  const { code, stdout } = await sink(['verify'], { MONITOR_CLICKHOUSE_TTL_DAYS: '1' });
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /^30 hours are older than the 1 days of MONITOR_CLICKHOUSE_TTL_DAYS.*\n0 hours with 0 rows/,
    ),
  });
});

test('Ctrl-C ends a comparison with a sentence', async () => {
  expect(await interrupted(['verify'])).toContain('stopped: nothing was compared');
});

test.each(['backfill', 'verify'])('in offline mode %s asks nobody', async (command) => {
  const seen = scene.server.control.journal.length;
  const { code, stderr } = await sink([command], { MONITOR_OFFLINE_MODE: 'true' });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('MONITOR_OFFLINE_MODE is on') });
  expect(scene.server.control.journal.length).toBe(seen);
});

test.each(['', 'a`b', ' '])('a cluster called "%s" is a wrong option', async (name) => {
  const { code, stderr } = await sink(['schema', '--replicated', name]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--replicated') });
});

test.each([
  [{ MONITOR_CLICKHOUSE_URL: '' }, 'MONITOR_CLICKHOUSE_URL is not set'],
  [{ MONITOR_CLICKHOUSE_READER_PASSWORD: '' }, 'MONITOR_CLICKHOUSE_READER_PASSWORD is not set'],
  [
    { MONITOR_CLICKHOUSE_READER_PASSWORD: 'wrong' },
    'the user gatehouse_reader or its password is refused: see MONITOR_CLICKHOUSE_READER_USER and MONITOR_CLICKHOUSE_READER_PASSWORD',
  ],
  [{ MONITOR_DB_PATH: '/nowhere/monitor.db' }, '/nowhere/monitor.db does not exist'],
])('verify without what it needs: %o', async (env, sentence) => {
  const { code, stderr } = await sink(['verify'], env);
  expect(code).toBe(1);
  expect(stderr).toContain(sentence);
});
