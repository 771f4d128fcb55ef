// Damaged, foreign and hostile files: uploaded, restored by name, and cut databases at a start. The hub
// serves the old data or the new, whole, and says which.
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { contentOf, copyWorld, isReady, restore, served, startOn, upload } from '../support/backup-faults.ts';
import { faultScene } from '../support/fault-scene.ts';
import { flippedSomewhere } from '../support/flipped.ts';
import { runProgram } from '../support/program.ts';
import { budget, runs } from '../support/property-runs.ts';
import { createRandom } from '../support/random.ts';

const state = faultScene('of files');

const { count } = state;

const startHub = () => startOn(state.world, path.join(state.folder, 'hub'));

const [generationFlips, manifestFlips, uploadFlips] = [runs(100, 500), runs(20, 100), runs(40, 150)];
/** Between two places where a file is cut. */
const cutStep = 4096 * runs(4, 1);

test(`${budget(100, 500, 'bit flips in a stored generation')}, ${budget(20, 100, 'in its manifest')}: none is restored`, async () => {
  await using hub = await startHub();
  const random = createRandom(1);
  const file = path.join(hub.dataDir, 'backups', state.world.name);
  let before = contentOf(hub.file);
  const manifest = readFileSync(`${file}.json`);
  for (let flip = 0; flip < generationFlips + manifestFlips; flip += 1) {
    const [target, original] = flip < generationFlips ? [file, state.good] : [`${file}.json`, manifest];
    writeFileSync(target, flippedSomewhere(original, random));
    const { status, body } = await restore(hub, state.world.name);
    // Of a manifest only the name of the program that wrote it may be another one.
    if (flip < generationFlips || status !== 200) {
      expect([flip, status, body]).toMatchObject([flip, 409, { code: 'generation_damaged' }]);
      expect(contentOf(hub.file)).toBe(before);
    } else {
      expect(contentOf(hub.file)).toBe(state.world.new);
      before = state.world.new;
    }
    writeFileSync(target, original);
    count('flips in a generation');
  }
  expect(await isReady(hub)).toBe(true);
  expect((await restore(hub, state.world.name)).status).toBe(200);
});

test(`${budget(40, 150, 'bit flips in an upload')}: it is refused, or what was uploaded is served`, async () => {
  await using hub = await startHub();
  const random = createRandom(2);
  const uploaded = path.join(state.folder, 'uploaded.db');
  const statuses: Record<number, number> = {};
  for (let flip = 0; flip < uploadFlips; flip += 1) {
    const bytes = flippedSomewhere(state.good, random);
    writeFileSync(uploaded, bytes);
    const before = contentOf(hub.file);
    const { status, body } = await upload(hub, bytes);
    statuses[status] = (statuses[status] ?? 0) + 1;
    expect([flip, status, body]).toMatchObject([flip, status === 200 ? 200 : 400, {}]);
    expect([flip, contentOf(hub.file)]).toEqual([flip, status === 200 ? contentOf(uploaded) : before]);
    count('flips in an upload');
  }
  expect(await isReady(hub)).toBe(true);
  expect(Object.keys(statuses)).toEqual(['200', '400']);
});

test('cut at every 4 KiB: an upload and a generation are refused, a database at a start is replaced', async () => {
  await using hub = await startHub();
  const before = contentOf(hub.file);
  const file = path.join(hub.dataDir, 'backups', state.world.name);
  for (let length = 0; length < state.good.length; length += cutStep) {
    const cut = state.good.subarray(0, length);
    expect([length, (await upload(hub, cut)).status]).toEqual([length, 400]);
    writeFileSync(file, cut);
    expect([length, (await restore(hub, state.world.name)).status]).toEqual([length, 409]);
    count('cut uploads');
    count('cut generations');
  }
  writeFileSync(file, state.good);
  expect(contentOf(hub.file)).toBe(before);
  expect(await isReady(hub)).toBe(true);
  const dataDir = path.join(state.folder, 'cut');
  const whole = readFileSync(path.join(state.world.folder, 'monitor.db'));
  for (let length = 4096; length < whole.length; length += cutStep) {
    copyWorld(state.world, dataDir);
    writeFileSync(path.join(dataDir, 'monitor.db'), whole.subarray(0, length));
    expect([length, (await served(state.world, dataDir)).side]).toEqual([length, 'new']);
    const [aside = ''] = readdirSync(dataDir).filter((name) => name.includes('.damaged-'));
    expect(readFileSync(path.join(dataDir, aside)).equals(whole.subarray(0, length))).toBe(true);
    count('cut databases');
  }
});

/** The good file as `change` leaves it. */
function changed(change: (db: Database.Database) => void): Buffer {
  const file = path.join(state.folder, 'changed.db');
  writeFileSync(file, state.good);
  const db = new Database(file);
  db.unsafeMode();
  change(db);
  db.close();
  return readFileSync(file);
}

test('foreign, newer and hostile files are refused, uploaded and by name, and nothing of them runs', async () => {
  await using hub = await startHub();
  const before = contentOf(hub.file);
  const run = (sql: string) => changed((db) => void db.exec(sql));
  const wipe = 'DELETE FROM flow';
  const files: Record<string, Buffer> = {
    'wrong magic': Buffer.concat([Buffer.from('SQLite format 2\0'), state.good.subarray(16)]),
    'page size 0': Buffer.from(state.good).fill(0, 16, 18),
    'another program': run('PRAGMA application_id = 1'),
    'newer schema': run('PRAGMA user_version = 999'),
    'schema of another version': run('PRAGMA user_version = 5'),
    'trigger on the documents': run(`CREATE TRIGGER t AFTER DELETE ON generation_document BEGIN ${wipe}; END`),
    'trigger on sessions': run(`CREATE TRIGGER t BEFORE DELETE ON session BEGIN ${wipe}; END`),
    'trigger on the audit trail': run(`CREATE TRIGGER t AFTER INSERT ON audit_event BEGIN ${wipe}; END`),
    'view in place of a table': run('DROP TABLE session_start; CREATE VIEW session_start AS SELECT 1 AS slot'),
    'view that calls a function': run("CREATE VIEW v AS SELECT load_extension('/tmp/x')"),
    'index on an expression': run('CREATE INDEX i ON flow (abs(dport))'),
    'a column more': run('ALTER TABLE flow ADD COLUMN x TEXT'),
    'a generated column': run('ALTER TABLE device ADD COLUMN x TEXT AS (hex(zeroblob(100000000)))'),
    'a virtual table': run('CREATE VIRTUAL TABLE t USING fts5(x)'),
    'a table less': run('DROP TABLE clock_gap'),
    'an empty database': (() => {
      const file = path.join(state.folder, 'empty.db');
      new Database(file).exec('CREATE TABLE a (b)').close();
      return readFileSync(file);
    })(),
    'a text': Buffer.from('hello\n'.repeat(5000)),
  };
  for (const [index, [what, bytes]] of Object.entries(files).entries()) {
    const uploaded = await upload(hub, bytes);
    expect([what, uploaded.status, uploaded.body]).toMatchObject([what, 400, { code: 'upload_rejected' }]);
    const name = `monitor_2026-02-01_00-00-00-000-${String(index).padStart(8, '0')}.db`;
    writeFileSync(path.join(hub.dataDir, 'backups', name), bytes);
    const named = await restore(hub, name);
    expect([what, named.status, named.body]).toMatchObject([what, 409, { code: 'generation_damaged' }]);
    rmSync(path.join(hub.dataDir, 'backups', name));
    expect(contentOf(hub.file)).toBe(before);
    count('foreign and hostile');
    count('foreign and hostile');
  }
  const link = 'monitor_2026-02-01_00-00-00-000-aaaaaaaa.db';
  symlinkSync('/etc/hostname', path.join(hub.dataDir, 'backups', link));
  expect((await restore(hub, link)).status).toBe(404);
  expect(await isReady(hub)).toBe(true);
});

test('a restore next to the write-ahead log of another time brings the rows of the backup', async () => {
  const other = path.join(state.folder, 'other.db');
  cpSync(path.join(state.world.folder, 'backups', state.world.name), other);
  const db = new Database(other);
  db.pragma('journal_mode = WAL');
  db.exec('UPDATE flow SET dport = 1');
  const [wal, shm] = [readFileSync(`${other}-wal`), readFileSync(`${other}-shm`)];
  db.close();
  const dataDir = path.join(state.folder, 'stale');
  for (const place of ['monitor.db', 'monitor.db.incoming', 'monitor.db.former']) {
    for (const ends of [['-wal'], ['-shm'], ['-wal', '-shm']]) {
      copyWorld(state.world, dataDir);
      for (const end of ends) {
        writeFileSync(path.join(dataDir, place + end), end === '-wal' ? wal : shm);
      }
      const words = ['src/main.ts', 'backup', 'restore', state.world.name, '--data', dataDir];
      expect(await runProgram(words)).toMatchObject({ code: 0 });
      expect([place, ends, (await served(state.world, dataDir)).side]).toEqual([place, ends, 'new']);
      count('stale logs');
    }
  }
});
