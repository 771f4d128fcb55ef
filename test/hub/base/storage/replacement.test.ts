// A database is replaced while the disk fails at one call after the other: it is the old one or the new one then, with the
// notes of its side, and nothing else is left.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '#hub/base/storage/database.ts';
import { notCarriedOver } from '#hub/base/storage/restore/carry-over.ts';
import {
  discardIncoming,
  type Replacement,
  recoverReplacement,
  replaceDatabase,
  toReplacementFiles,
} from '#hub/base/storage/restore/replacement.ts';
import { closeLog } from '#kernel/sqlite/database-copy.ts';
import { failFiles } from '../../../support/failing-files.ts';
import { runs } from '../../../support/property-runs.ts';
import { makeFolder } from '../../../support/temporary-folder.ts';

const models = makeFolder('replacement');
const folder = path.join(models, 'data');
const file = path.join(folder, 'monitor.db');
const notesFile = path.join(folder, 'notes.json');
const files = toReplacementFiles(file);
const aside = path.join(folder, 'aside.db');
const now = 1_790_000_000_000;

afterAll(() => rmSync(models, { recursive: true, force: true }));

/** A whole database of this product whose one observer has this name, and whose one Agent and identity are valid. */
async function makeModel(name: string): Promise<void> {
  const db = openDatabase(path.join(models, name));
  await db.write((writer) => {
    writer.prepare("INSERT INTO observer (router_id, kind) VALUES (?, 'vendor_a')").run(name);
    writer
      .prepare(
        `INSERT INTO agent (agent_id, platform, host_name, os_version, agent_version, created_at, updated_at, token_hash)
         VALUES ('one', 'linux', 'desk', '1', '1', 1, 1, ?)`,
      )
      .run(`hash of ${name}`);
    writer.prepare("INSERT INTO threat_document VALUES ('feodo', 1, ?)").run(Buffer.from(name));
  });
  await db.close();
  closeLog(path.join(models, name));
}

const sideOf = (database: string): string => {
  const db = new Database(database, { readonly: true });
  const [name, ...more] = db.prepare('SELECT router_id FROM observer ORDER BY id').pluck().all() as string[];
  db.close();
  return [name, ...more].join();
};

/** Hash and end of the Agent of a database, and whose threat feeds it has. */
const carriedBy = (database: string): unknown[] => {
  const db = new Database(database, { readonly: true });
  const agent = db.prepare('SELECT token_hash, revoked_at FROM agent').raw().get() as unknown[];
  const lists = db.prepare('SELECT bytes FROM threat_document').pluck().all();
  db.close();
  return [...agent, String(lists)];
};

beforeAll(async () => {
  await makeModel('old');
  await makeModel('new');
  // Its last rows are in its log alone.
  cpSync(path.join(models, 'old'), path.join(models, 'logged'));
  const db = new Database(path.join(models, 'logged'));
  db.pragma('journal_mode = WAL');
  db.pragma('wal_autocheckpoint = 0');
  db.exec("INSERT INTO observer (router_id, kind) VALUES ('in the log', 'vendor_a')");
  cpSync(path.join(models, 'logged'), path.join(models, 'with log'));
  cpSync(path.join(models, 'logged-wal'), path.join(models, 'with log-wal'));
  db.close();
  const whole = readFileSync(path.join(models, 'old'));
  const changed = (name: string, at: number, bytes: number[]) => {
    const copy = Buffer.from(whole);
    copy.set(bytes, at);
    writeFileSync(path.join(models, name), copy);
  };
  changed('no SQLite', 0, [0, 0, 0, 0]);
  const logged = readFileSync(path.join(models, 'with log'));
  // SQLite reads this file, and refuses to write it.
  logged[18] = 3;
  writeFileSync(path.join(models, 'unknown formats'), logged);
  cpSync(path.join(models, 'with log-wal'), path.join(models, 'unknown formats-wal'));
  const reader = new Database(path.join(models, 'old'), { readonly: true });
  const rootOf = reader.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck();
  for (const [name, table] of [
    ['damaged page', 'ai_usage'],
    ['damaged list', 'threat_document'],
  ] as const) {
    changed(name, (Number(rootOf.get(table)) - 1) * 4096, Array(4096).fill(0xa5));
  }
  reader.close();
});

interface Case {
  former: 'old' | 'with log' | 'no SQLite' | 'unknown formats' | 'damaged page' | 'damaged list' | null;
  setAside: boolean;
  notes: boolean;
  taken: 'readable' | 'unreadable' | 'none';
}

const cases: readonly Case[] = [
  { former: 'old', setAside: false, notes: true, taken: 'readable' },
  { former: 'with log', setAside: false, notes: false, taken: 'readable' },
  { former: 'with log', setAside: true, notes: true, taken: 'readable' },
  { former: 'no SQLite', setAside: true, notes: true, taken: 'unreadable' },
  { former: 'unknown formats', setAside: true, notes: false, taken: 'unreadable' },
  { former: 'damaged page', setAside: true, notes: true, taken: 'unreadable' },
  { former: 'damaged list', setAside: true, notes: true, taken: 'readable' },
  { former: null, setAside: false, notes: true, taken: 'none' },
];

/** The folder before a replacement, with what a restore long ago could not remove. */
function layOut({ former }: Case): void {
  rmSync(folder, { recursive: true, force: true });
  cpSync(path.join(models, 'new'), files.incoming, { recursive: true });
  if (former !== null) {
    cpSync(path.join(models, former), file);
  }
  if (existsSync(path.join(models, `${former}-wal`))) {
    cpSync(path.join(models, `${former}-wal`), `${file}-wal`);
  }
  writeFileSync(notesFile, 'old');
  for (const end of ['', '-wal', '-shm', '-journal']) {
    writeFileSync(files.former + end, 'of long ago');
  }
}

const replace = ({ setAside, notes }: Case): Replacement =>
  replaceDatabase({
    ...{ file, now, source: 'the backup', setAside: setAside ? aside : null },
    notes: notes ? { file: notesFile, before: 'old', after: 'new' } : null,
  });

/** What the folder holds is the one side or the other, whole: databases, logs, notes, and nothing else. */
function requireSide(one: Case, side: 'old' | 'new'): void {
  const isNew = side === 'new';
  const hasLog = existsSync(path.join(models, `${one.former}-wal`));
  const wanted = [
    ...(isNew || one.former !== null ? ['monitor.db'] : []),
    ...(isNew && one.setAside ? ['aside.db'] : []),
    ...(isNew && one.setAside && hasLog && one.taken === 'unreadable' ? ['aside.db-wal'] : []),
    'notes.json',
  ];
  const mayLie = isNew ? ['monitor.db-shm'] : hasLog ? ['monitor.db-wal', 'monitor.db-shm'] : [];
  expect(readdirSync(folder).filter((name) => !mayLie.includes(name))).toEqual(wanted.sort());
  expect(readFileSync(notesFile, 'utf8')).toBe(isNew && one.notes ? 'new' : 'old');
  if (isNew) {
    expect(sideOf(file)).toBe('new');
    const lists = one.former === 'damaged list' ? 'new' : 'old';
    const carried = {
      readable: ['hash of old', null, lists],
      unreadable: [null, now, 'new'],
      none: ['hash of new', null, 'new'],
    };
    expect(carriedBy(file)).toEqual(carried[one.taken]);
  } else if (one.former === null) {
    expect(existsSync(file)).toBe(false);
  } else if (one.taken === 'readable') {
    expect(sideOf(file)).toBe(one.former === 'with log' ? 'old,in the log' : 'old');
  } else {
    expect(readFileSync(file).equals(readFileSync(path.join(models, one.former)))).toBe(true);
  }
  if (isNew && one.setAside) {
    if (one.taken === 'readable') {
      expect(sideOf(aside)).toBe(one.former === 'with log' ? 'old,in the log' : 'old');
    } else {
      expect(readFileSync(aside).equals(readFileSync(path.join(models, String(one.former))))).toBe(true);
    }
  }
}

const endings = ['confirm', 'undo', 'kill', 'kill and undo'] as const;

/** A start of the hub after all this. Returns what it said, and the side that it serves by that. */
function startAfter(undoes: boolean): 'old' | 'new' {
  const said: string[] = [];
  const replacement = recoverReplacement(file, ({ sentence }) => said.push(sentence));
  if (replacement !== null) {
    expect(replacement.source).toBe('the backup');
    if (undoes) {
      replacement.undo();
      return 'old';
    }
    expect(replacement.confirm()).toBeNull();
    return 'new';
  }
  return said.join().includes('is the restored one') ? 'new' : 'old';
}

/** The side that there must be, by what was thrown and answered. Null: either, and a start says which. */
function replaceAndEnd(one: Case, ending: (typeof endings)[number]): 'old' | 'new' | null {
  let replacement: Replacement;
  try {
    replacement = replace(one);
  } catch {
    return null;
  }
  expect(replacement.missing).toBe(one.taken === 'unreadable' ? notCarriedOver : null);
  if (ending === 'confirm') {
    try {
      replacement.confirm();
      return 'new';
    } catch {
      // As the hub does then.
    }
  }
  // What a hub that has it open leaves when it is killed.
  writeFileSync(`${file}-shm`, 'of the new one');
  if (!ending.startsWith('kill')) {
    try {
      replacement.undo();
      return 'old';
    } catch {
      return null;
    }
  }
  return null;
}

test('the marker is off the disk before the old database goes', () => {
  layOut(cases[0] as Case);
  const replacement = replace(cases[0] as Case);
  using failing = failFiles(folder, null);
  replacement.confirm();
  expect(failing.calls.slice(0, 4)).toEqual([
    'rm monitor.db.restore.json',
    'fsync data',
    'rm monitor.db.former',
    'fsync data',
  ]);
});

test.each([
  ['old', false, 'restore_failed'],
  ['old', true, 'restore_failed'],
  ['new', false, 'database_busy'],
] as const)(
  'nothing is replaced while another connection has the %s one open, set aside: %s',
  (which, setAside, code) => {
    const one: Case = { former: 'old', setAside, notes: true, taken: 'readable' };
    layOut(one);
    const db = new Database(which === 'old' ? file : files.incoming);
    db.pragma(`journal_mode = ${which === 'old' ? 'WAL' : 'DELETE'}`);
    db.exec('BEGIN');
    db.prepare('SELECT count(*) FROM observer').get();
    expect(() => replace(one)).toThrow(expect.objectContaining({ code }));
    db.close();
    requireSide(one, 'old');
  },
);

test('a database that cannot be read whole is replaced only where it is set aside', () => {
  const one: Case = { former: 'no SQLite', setAside: false, notes: true, taken: 'unreadable' };
  layOut(one);
  expect(() => replace(one)).toThrow();
  requireSide(one, 'old');
});

test('what was prepared and is not wanted goes, and an error of that hides no other one', () => {
  layOut(cases[0] as Case);
  writeFileSync(`${files.incoming}-journal`, '');
  {
    using _failing = failFiles(folder, { at: 1, count: 1, error: 'EIO' });
    discardIncoming(file);
  }
  expect(existsSync(files.incoming)).toBe(true);
  discardIncoming(file);
  expect(readdirSync(folder).filter((name) => name.includes('incoming'))).toEqual([]);
});

describe.each(cases)('over $former, set aside: $setAside', (one) => {
  test.each(endings)('%s', (ending) => {
    layOut(one);
    const side = replaceAndEnd(one, ending);
    if (side !== null) {
      requireSide(one, side);
    }
    const wanted = { confirm: 'new', undo: 'old', kill: 'new', 'kill and undo': 'old' }[ending];
    const after = startAfter(ending === 'kill and undo');
    requireSide(one, side ?? after);
    expect(side ?? after).toBe(wanted);
  });

  test('the disk fails at each call, once or for good', () => {
    const stride = runs(9, 1);
    let tried = 0;
    for (const [nth, count] of [1, Number.POSITIVE_INFINITY].entries()) {
      for (let at = 1 + ((cases.indexOf(one) + 3 * nth) % stride), isOver = false; !isOver; at += stride) {
        const ending = endings[(at + nth) % 2] ?? 'confirm';
        layOut(one);
        const failing = failFiles(folder, { at, count, error: 'EIO' });
        let side: 'old' | 'new' | null;
        let calls: number;
        try {
          side = replaceAndEnd(one, ending);
        } finally {
          calls = failing.calls.length;
          failing[Symbol.dispose]();
        }
        try {
          const served = startAfter(false);
          expect([null, served]).toContain(side === 'new' ? null : side);
          requireSide(one, side ?? served);
        } catch (cause) {
          throw new Error(`${ending}, ${count} from call ${at} (${failing.calls[at - 1]})`, { cause });
        }
        tried += 1;
        isOver = calls < at;
      }
    }
    expect(tried).toBeGreaterThan(4);
  });
});
