// `gatehouse sink` as it is started: a comparison, a backfill beside nobody, and Ctrl-C in the middle.
import { expect, test } from 'vitest';
import { startClickHouse } from '#simulators/clickhouse/clickhouse.ts';
import { hour, noon, openConnectionLog } from '../support/connection-log.ts';
import { runProgram, startProgram } from '../support/program.ts';

test('hours that ClickHouse lacks are named, sent after an interruption, and then the same', async () => {
  await using server = await startClickHouse();
  await using log = openConnectionLog();
  await log.record([{ at: noon }, { at: noon + hour }]);
  const { writer, reader } = server.settings;
  const env = {
    MONITOR_DB_PATH: log.db.file,
    MONITOR_CLICKHOUSE_URL: server.url.origin,
    MONITOR_CLICKHOUSE_PASSWORD: writer.password,
    MONITOR_CLICKHOUSE_READER_PASSWORD: reader.password,
  };
  const sink = (...words: string[]) => runProgram(['src/main.ts', 'sink', ...words], { env });
  expect(await sink('verify')).toMatchObject({ code: 1, stderr: expect.stringContaining('2 of 2 hours differ') });
  server.fail('no-answer');
  const seen = server.journal().length;
  await using program = startProgram(['src/main.ts', 'sink', 'backfill'], { env });
  await expect.poll(() => server.journal().length).toBeGreaterThan(seen);
  program.kill('SIGINT');
  expect(await program.ended).toMatchObject({ code: 1 });
  expect(program.stderr()).toContain('2 hours are left: the same command without --again goes on');
  server.clearFaults();
  expect((await sink('backfill')).stdout).toContain('2 hours with 2 rows were sent');
  expect(await sink('verify')).toMatchObject({ code: 0, stdout: '2 hours with 2 rows are the same in ClickHouse\n' });
});
