// `gatehouse export-hours`: the same hours, packed or not, while the hub has the database open.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { packHours } from '#hub/record/connections/upkeep/hour-packer.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { startLab } from '../../support/lab.ts';
import { root, startProgram } from '../../support/program.ts';

async function exported(args: readonly string[]) {
  await using program = startProgram(['src/main.ts', 'export-hours', ...args]);
  const { code } = await program.ended;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

test('every hour of every flow, packed or not', async () => {
  await using lab = await startLab({ routers: { a: { kind: 'vendor_a', sessions: 200 } } });
  await lab.poll();
  const file = path.join(lab.dataDir, 'monitor.db');
  const text = await exported(['--data', lab.dataDir]);
  expect(text).toMatchObject({ code: 0, stderr: '' });
  const db = new Db(file);
  expect(seenIn(text.stdout)).toEqual(
    db.prepare('SELECT id, first_seen AS first, last_seen AS last FROM flow ORDER BY id').all(),
  );
  const unpacked = () => (db.prepare('SELECT count(*) AS rows FROM flow_hour').get() as { rows: number }).rows;
  expect(unpacked()).toBeGreaterThan(0);
  await packHours(db, lab.clock.now() + 3_600_000);
  expect(unpacked()).toBe(0);
  await db.close();
  expect(await exported(['--data', lab.dataDir])).toEqual(text);
});

/** First and last sighting of each flow, by id. */
function seenIn(csv: string) {
  const [head, ...lines] = csv.trimEnd().split('\n');
  expect(head).toBe('hour,flow_id,observations,first,last');
  const rows = lines.map((line) => line.split(',').map(Number) as [number, number, number, number, number]);
  for (const [hour, , observations, first, last] of rows) {
    expect([Math.floor(first / 3_600_000), Math.floor(last / 3_600_000)]).toEqual([hour, hour]);
    expect(observations).toBeGreaterThanOrEqual(0);
  }
  const flows = Map.groupBy(rows, ([, flow]) => flow);
  return [...flows]
    .map(([id, of]) => ({
      id,
      first: Math.min(...of.map((row) => row[3])),
      last: Math.max(...of.map((row) => row[4])),
    }))
    .sort((a, b) => a.id - b.id);
}

test('says what is wrong and what to do', async () => {
  const absent = await exported(['--data', '/does/not/exist']);
  expect(absent).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/monitor\.db does not exist: name the folder/),
  });
  expect(await exported(['--bogus'])).toMatchObject({ code: 2, stderr: expect.stringMatching(/--bogus.*see --help/s) });
  const { code, stdout } = await exported(['--help']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('export-hours [--data DIR]') });
});

test('ends quietly when the reader of its output leaves', async () => {
  await using lab = await startLab({ routers: { a: { kind: 'vendor_a', sessions: 3000 } } });
  await lab.poll();
  const command = `"${process.execPath}" src/main.ts export-hours --data "${lab.dataDir}" | head -1; echo "\${PIPESTATUS[0]}"`;
  const run = spawnSync('bash', ['-c', command], { cwd: root, encoding: 'utf8' });
  expect(run.stdout).toBe('hour,flow_id,observations,first,last\n0\n');
  expect(run.stderr).toBe('');
});

test('fails when its output cannot be written', async () => {
  await using lab = await startLab();
  const command = `"${process.execPath}" src/main.ts export-hours --data "${lab.dataDir}" > /dev/full; echo "$?"`;
  const run = spawnSync('bash', ['-c', command], { cwd: root, encoding: 'utf8' });
  expect(run).toMatchObject({ stdout: '1\n', stderr: expect.stringContaining('ENOSPC') });
});
