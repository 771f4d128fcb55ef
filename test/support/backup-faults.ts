// A data folder with a backup and newer data, what is whole about it, and a program that is killed at one system call.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { api } from '#contract/index.ts';
import { readInventory } from '#hub/base/storage/backup/inventory.ts';
import { verifyGeneration } from '#hub/base/storage/backup/verify.ts';
import { productKind } from '#hub/base/storage/product.ts';
import { toReplacementFiles } from '#hub/base/storage/restore/replacement.ts';
import { childEnv } from '#kernel/process/env.ts';
import { createLog } from '#kernel/process/log.ts';
import { migrate } from '#kernel/sqlite/sqlite.ts';
import { createActors } from './actors.ts';
import { startLab } from './lab.ts';
import { collectLog } from './log-lines.ts';
import { temporaryFilesInMemory } from './memory-folder.ts';
import { root } from './program.ts';

/**
 * Tables that a restore changes by rule (src/hub/base/storage/restore/carry-over.ts), or a start by a session, an audit event or
 * its look at the clock, and the run it notes. The content of every other one is compared.
 */
const changing = new Set([
  ...['session', 'audit_event', 'api_identity', 'agent', 'agent_code', 'agent_request', 'beacon', 'outbox_message'],
  ...['outbox_event', 'generation_document', 'sqlite_sequence', 'coverage_subject', 'coverage_span', 'clock_look'],
  'flow_change_run',
]);

export interface World {
  /** Database, notes, settings and one generation, `name`; the hub has ended. */
  readonly folder: string;
  readonly name: string;
  readonly adminToken: string;
  /** Content of the generation. */
  readonly new: string;
  /** Connections that a hub lists. */
  readonly totals: Readonly<Record<Side, number>>;
}

/**
 * The rows of every table that counts, as one hash, through SQLite: of the tables in `columns` these columns alone. Throws
 * its error when they cannot be read.
 */
export function contentOf(file: string, columns: ReadonlyMap<string, string> = new Map()): string {
  const db = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const hash = createHash('sha256');
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all();
    const isCompared = (name: string) =>
      !changing.has(name) && !name.startsWith('sqlite_') && (columns.size === 0 || columns.has(name));
    for (const table of (tables as string[]).filter(isCompared)) {
      const rows = db
        .prepare(`SELECT ${columns.get(table) ?? '*'} FROM ${table}`)
        .raw()
        .all();
      hash.update(
        `${table} ${rows
          .map((row) => JSON.stringify(row))
          .sort()
          .join()}\n`,
      );
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

/** In memory where that has room: what is asked is what the files hold, not whether a disk has them. */
export function faultFolder(name: string): string {
  return mkdtempSync(path.join(temporaryFilesInMemory().TMPDIR ?? tmpdir(), `gatehouse-${name}-`));
}

/** A hub that polled, made a backup, and recorded more after it. Its note says which of the two it belongs to. */
export async function makeWorld(): Promise<World> {
  const folder = faultFolder('backup-world');
  await using lab = await startLab({ routers: { a: { kind: 'vendor_a', sessions: 20, seed: 5 } } });
  const note = (text: string) => lab.as.admin.notes.write({ body: { ip: '192.168.100.23', note: text } });
  await note('new');
  const total = async () => (await lab.as.admin.connections.list({ query: { limit: '1' } })).total;
  const { name } = await lab.as.admin.backup.create({ body: {} });
  const totals = { new: await total(), old: 0 };
  await note('old');
  lab.routers.a.flow({
    ...{ src: '192.168.100.23', dst: '198.51.100.7', dport: 443, proto: 'tcp', lastsMs: 600_000, ends: 'silent' },
  });
  await lab.poll();
  totals.old = await total();
  await lab.stop();
  cpSync(lab.dataDir, folder, { recursive: true });
  const content = contentOf(path.join(folder, 'backups', name));
  return { folder, name, adminToken: lab.adminToken, new: content, totals };
}

/** Reads of a database what `older` has columns for: what a migration must leave as it was. */
export function contentAsIn(older: string): (file: string) => string {
  const db = new Database(older, { readonly: true, fileMustExist: true });
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
  const columns = new Map(tables.map((table) => [table, columnsOf(db, table)]));
  db.close();
  return (file) => contentOf(file, columns);
}

const columnsOf = (db: Database.Database, table: string) =>
  db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table).join();

/** The database of the world as the program before this schema would have it, in a new file in `folder`. */
export function olderDatabase(world: World, folder: string): string {
  const steps = path.join(folder, 'steps');
  cpSync(path.join(root, 'src/hub/base/migrations'), steps, { recursive: true });
  for (const name of readdirSync(steps).filter((step) => step > '017')) {
    rmSync(path.join(steps, name));
  }
  const older = path.join(folder, 'older.db');
  migrate(older, steps);
  const db = new Database(older);
  db.pragma('foreign_keys = OFF');
  db.prepare('ATTACH ? AS newer').run(path.join(world.folder, 'monitor.db'));
  // The outbox has other tables now: of before, it begins empty.
  const both = 'SELECT name FROM newer.sqlite_schema';
  const tables = db
    .prepare(`SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name IN (${both})`)
    .pluck()
    .all();
  for (const name of tables as string[]) {
    const columns = columnsOf(db, name);
    db.exec(`DELETE FROM main.${name}; INSERT INTO main.${name} (${columns}) SELECT ${columns} FROM newer.${name}`);
  }
  db.exec('DETACH newer');
  db.pragma(`application_id = ${productKind.applicationId}`);
  db.pragma('journal_mode = DELETE');
  db.close();
  return older;
}

/** A copy of the world in `target`, which is replaced. */
export function copyWorld(world: World, target: string): string {
  rmSync(target, { recursive: true, force: true });
  cpSync(world.folder, target, { recursive: true });
  return target;
}

/** A hub on the folder as it is, and its administrator. */
export async function openFolder(world: World, dataDir: string, log = createLog('hub', 'silent')) {
  const lab = await startLab({ hub: { dataDir, log } });
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

export type OpenWorld = Awaited<ReturnType<typeof openFolder>>;

/** As \`openFolder\`, on a copy of the world. */
export function startOn(world: World, dataDir: string): Promise<OpenWorld> {
  return openFolder(world, copyWorld(world, dataDir));
}

export const isReady = async (hub: OpenWorld) => (await hub.as.raw({ method: 'GET', path: '/readyz' })).status === 200;
export const totalOf = async (hub: OpenWorld) => (await hub.as.admin.connections.list({ query: { limit: '1' } })).total;

export const upload = (hub: OpenWorld, body: Buffer) =>
  hub.as.raw({ method: 'POST', path: '/api/backup/upload', headers: {}, body });

const postJson = (hub: OpenWorld, route: string, body: object) =>
  hub.as.raw({
    ...{ method: 'POST', path: `/api/backup/${route}`, headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(body),
  });
export const restore = (hub: OpenWorld, name: string) => postJson(hub, 'restore', { name });
export const create = (hub: OpenWorld) => postJson(hub, 'create', {});

export type Side = 'old' | 'new';

export interface Served {
  side: Side;
  /** What the log says from warnings on, and the warnings of the status, each a line. */
  said: string;
}

/**
 * What a hub serves that starts on the folder. Throws an Error unless it is ready and has the old or the new data, whole:
 * database, notes and what it answers alike; also when anything of a restore is left, or a generation is not whole.
 */
export async function served(
  world: World,
  dataDir: string,
  read: (file: string) => string = contentOf,
): Promise<Served> {
  const { log, lines } = collectLog('warn');
  const isInterrupted = existsSync(toReplacementFiles(path.join(dataDir, 'monitor.db')).marker);
  let total: number;
  const said: string[] = [];
  {
    await using hub = await openFolder(world, dataDir, log);
    if (!(await isReady(hub))) {
      throw new Error('the hub is not ready');
    }
    total = await totalOf(hub);
    said.push(...(await hub.as.admin.status.status({})).warnings);
  }
  const side = await sideOf(world, dataDir, read);
  if (total !== world.totals[side]) {
    throw new Error(`it lists ${total} connections, and its database is the ${side} one`);
  }
  said.push(...lines.map(({ msg }) => msg));
  if (isInterrupted && !said.some((line) => line.startsWith('the restore of ') && line.includes(' was interrupted'))) {
    throw new Error(`it serves the ${side} data and does not say so: ${said.join('; ')}`);
  }
  return { side, said: said.join('\n') };
}

/** Of a folder whose hub has ended. */
async function sideOf(world: World, dataDir: string, read: (file: string) => string): Promise<Side> {
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
      throw new Error(`${stored.name}: ${fault.sentence}`);
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

export interface SystemCallFault {
  /** The system call, and which one of them. */
  call: string;
  at: number;
  /** `EIO for good`: that call and all of its kind after it. */
  fault: 'kill' | 'EIO' | 'ENOSPC' | 'EIO for good' | 'ENOSPC for good';
  /** Only calls on this file count. */
  file?: string;
}

/**
 * How a program of this project ended under strace, which does the fault. `compiled` is a folder for what Node compiles: the
 * first run fills it, so that the runs after it take a fifth of the time.
 */
export function runWithFault(
  words: readonly string[],
  { call, at, fault, file }: SystemCallFault,
  compiled: string,
): { isOver: boolean; said: string } {
  const what = fault === 'kill' ? 'signal=KILL' : `error=${fault.split(' ')[0]}`;
  const when = `${at}${fault.endsWith('for good') ? '+' : ''}`;
  const tracing = [
    // Faster, as only the traced calls stop; but strace 6.1 then sends no signal.
    ...(fault === 'kill' ? [] : ['--seccomp-bpf']),
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    '-e',
    `trace=${call}`,
    ...(file ? ['-P', file] : []),
  ];
  const injecting = [...tracing, '-e', `inject=${call}:${what}:when=${when}`, process.execPath, ...words];
  const env = childEnv({ FORCE_COLOR: '0', NODE_COMPILE_CACHE: compiled });
  const ended = spawnSync('strace', injecting, { cwd: root, env, encoding: 'utf8' });
  if (ended.error) {
    throw ended.error;
  }
  const said = `${ended.stdout}${ended.stderr}`;
  return { isOver: fault === 'kill' ? ended.signal === null && ended.status !== 137 : ended.status === 0, said };
}

/**
 * Runs the program undisturbed. Returns how many calls of each kind the thread with most of them makes, as strace counts the
 * calls of each thread for itself. Throws an Error when the program fails.
 */
export function countCalls(
  words: readonly string[],
  calls: readonly string[],
  compiled: string,
): { counts: Record<string, number>; said: string } {
  const tracing = ['--seccomp-bpf', '-f', '-qq', '-o', `${compiled}.calls`, '-e', `trace=${calls.join()}`];
  const env = childEnv({ FORCE_COLOR: '0', NODE_COMPILE_CACHE: compiled });
  const { status, stdout, stderr } = spawnSync('strace', [...tracing, process.execPath, ...words], {
    ...{ cwd: root, env, encoding: 'utf8' },
  });
  const said = `${stdout}${stderr}`;
  if (status !== 0) {
    throw new Error(`${words.join(' ')} ended with ${status}: ${said}`);
  }
  const ofThreads = new Map<string, number>();
  const counts: Record<string, number> = {};
  for (const [begun, , call = ''] of readFileSync(`${compiled}.calls`, 'utf8').matchAll(/^(\d+) +(\w+)(?=\()/gm)) {
    const count = (ofThreads.get(begun) ?? 0) + 1;
    ofThreads.set(begun, count);
    counts[call] = Math.max(counts[call] ?? 0, count);
  }
  return { counts, said };
}

/** Whether system calls can be traced and changed here. */
export function canTrace(): boolean {
  return existsSync('/usr/bin/strace') && spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']).status === 0;
}
