// A data folder with a backup and newer data, what is whole about it, and a program that is killed at one system call.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { api } from '#contract/index.ts';
import { readInventory } from '#hub/storage/backup/inventory.ts';
import { verifyGeneration } from '#hub/storage/backup/verify.ts';
import { openDataFolder } from '#hub/storage/data-folder.ts';
import { openDatabase } from '#hub/storage/database.ts';
import { prepareStorage } from '#hub/storage/start.ts';
import { systemClock } from '#kernel/clock.ts';
import { childEnv } from '#kernel/env.ts';
import { createLog } from '#kernel/log.ts';
import { createActors } from './actors.ts';
import { startLab } from './lab.ts';
import { root } from './program.ts';
import { makeFolder } from './temporary-folder.ts';

/** What a restore brings back, and what a hub shows of it. */
const tables = [
  'flow',
  'flow_hour',
  'flow_hour_pack',
  'source',
  'destination',
  'observer',
  'observer_set',
  'device',
  'interface',
  'lease',
  'detection',
];

export interface World {
  /** Database, notes, settings and one generation, `name`; the hub has ended. */
  readonly folder: string;
  readonly name: string;
  readonly adminToken: string;
  /** Content of the generation. */
  readonly new: string;
}

/** The rows of every table that counts, as one hash. Throws SQLite's error when they cannot be read. */
export function contentOf(file: string): string {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const hash = createHash('sha256');
    for (const table of tables) {
      const rows = db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).raw().all();
      hash.update(JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value)));
    }
    return hash.digest('hex');
  } finally {
    db.close();
  }
}

/** Source, destination, port and protocol of every flow: what a hub that runs does not change by itself. */
export function flowsOf(file: string): string {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const sql = `SELECT s.address, d.address, f.dport, f.proto FROM flow f JOIN source s ON s.id = f.source_id
      JOIN destination d ON d.id = f.destination_id ORDER BY 1, 2, 3, 4`;
    return JSON.stringify(db.prepare(sql).raw().all());
  } finally {
    db.close();
  }
}

/** A hub that polled, made a backup, and recorded more after it. Its note says which of the two it belongs to. */
export async function makeWorld(): Promise<World> {
  const folder = makeFolder('backup-world');
  await using lab = await startLab({ routers: { a: { kind: 'vendor_a', sessions: 20, seed: 5 } } });
  const note = (text: string) => lab.as.admin.notes.write({ body: { ip: '192.168.100.23', note: text } });
  await note('new');
  const { name } = await lab.as.admin.backup.create({ body: {} });
  await note('old');
  lab.routers.a.control.flow({
    ...{ src: '192.168.100.23', dst: '198.51.100.7', dport: 443, proto: 'tcp', lastsMs: 600_000, ends: 'silent' },
  });
  await lab.poll();
  await lab.stop();
  cpSync(lab.dataDir, folder, { recursive: true });
  return { folder, name, adminToken: lab.adminToken, new: contentOf(path.join(folder, 'backups', name)) };
}

/** A copy of the world in `target`, which is replaced. */
export function copyWorld(world: World, target: string): string {
  rmSync(target, { recursive: true, force: true });
  cpSync(world.folder, target, { recursive: true });
  return target;
}

/** A hub on a copy of the world in `dataDir`, and its administrator. */
export async function startOn(world: World, dataDir: string) {
  copyWorld(world, dataDir);
  const lab = await startLab({ hub: { dataDir } });
  return {
    lab,
    dataDir,
    file: path.join(dataDir, 'monitor.db'),
    get as() {
      return createActors(api, lab.url, world.adminToken);
    },
    [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose](),
  };
}

export type OpenWorld = Awaited<ReturnType<typeof startOn>>;

const log = createLog('hub', 'silent');

/**
 * What a start of the hub finds in the folder: `old` or `new`, database and notes alike. Throws an Error that says what is
 * neither; also when anything of a restore is left, or a generation is not whole.
 */
export async function sideAfterStart(
  world: World,
  dataDir: string,
  read: (file: string) => string = contentOf,
): Promise<'old' | 'new'> {
  {
    using folder = openDataFolder({ dataDir, log });
    const { replacement } = await prepareStorage({ folder, clock: systemClock, log });
    const db = openDatabase(folder.databaseFile);
    await db.close();
    replacement?.confirm();
  }
  const left = readdirSync(dataDir).filter((name) => /former|incoming|upload|restore\.json|-journal$/.test(name));
  const temporary = readdirSync(path.join(dataDir, 'backups')).filter(
    (name) => !/^monitor_\S+\.db(?:\.json)?$/.test(name),
  );
  if (left.length + temporary.length > 0) {
    throw new Error(`left: ${[...left, ...temporary].join(', ')}`);
  }
  for (const stored of readInventory(path.join(dataDir, 'backups'))) {
    const fault = await verifyGeneration(stored);
    if (fault !== null) {
      throw new Error(`${stored.name}: ${fault}`);
    }
  }
  const content = read(path.join(dataDir, 'monitor.db'));
  const [former, restored] = [path.join(world.folder, 'monitor.db'), path.join(world.folder, 'backups', world.name)];
  const side = content === read(former) ? 'old' : content === read(restored) ? 'new' : null;
  const notes = readFileSync(path.join(dataDir, '.monitor.notes.json'), 'utf8');
  if (side === null || !notes.includes(`"${side}"`)) {
    throw new Error(`neither: the database is ${side ?? 'something else'}, the notes are ${notes}`);
  }
  return side;
}

/** How a program of this project ended under strace, which does `fault` at the call number `at` of the system call. */
export function runWithFault(
  words: readonly string[],
  { call, at, fault }: { call: string; at: number; fault: 'kill' | 'EIO' | 'ENOSPC' },
): { isOver: boolean; said: string } {
  const what = fault === 'kill' ? 'signal=KILL' : `error=${fault}`;
  const tracing = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${call}:${what}:when=${at}`];
  const env = childEnv({ FORCE_COLOR: '0', NODE_DISABLE_COMPILE_CACHE: '1' });
  const ended = spawnSync('strace', [...tracing, process.execPath, ...words], { cwd: root, env, encoding: 'utf8' });
  if (ended.error) {
    throw ended.error;
  }
  const said = `${ended.stdout}${ended.stderr}`;
  return { isOver: fault === 'kill' ? ended.signal === null && ended.status !== 137 : ended.status === 0, said };
}

/** Whether system calls can be traced and changed here. */
export function canTrace(): boolean {
  return existsSync('/usr/bin/strace') && spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']).status === 0;
}
