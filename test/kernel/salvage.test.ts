// What is salvaged of a damaged database: all that can be read, as a whole database, and the damaged file stays as it is.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { newestVersion } from '#kernel/sqlite/migrations.ts';
import type { SalvagedTable } from '#kernel/sqlite/salvage/copy-table.ts';
import { type Salvage, salvageDatabase } from '#kernel/sqlite/salvage.ts';
import { flipBit, makeHubDatabase, migrations, type Page, pagesOf, rowsByTable, zero } from '../support/hub-rows.ts';
import { runs } from '../support/property-runs.ts';
import { createRandom } from '../support/random.ts';
import { makeFolder, temporaryFolder } from '../support/temporary-folder.ts';

const schema = { migrations, applicationId: 0x47484f55 };
const newest = newestVersion(migrations);

interface Case {
  source: string;
  target: string;
}

/** A copy of the undamaged database. */
function copied(): Case {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const source = path.join(folder.path, 'monitor.db');
  copyFileSync(original.file, source);
  return { source, target: path.join(folder.path, 'salvaged.db') };
}

const original = { file: '', rows: new Map<string, string[]>(), pages: [] as Page[], triggers: [] as unknown[] };

beforeAll(() => {
  const folder = makeFolder('salvage');
  original.file = path.join(folder, 'monitor.db');
  makeHubDatabase(original.file);
  original.rows = rowsByTable(original.file);
  original.pages = pagesOf(original.file);
  const db = new Database(original.file, { readonly: true });
  original.triggers = triggersOf(db);
  db.close();
  return () => rmSync(folder, { recursive: true });
});

const triggersOf = (db: Database.Database) =>
  db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name").all();
const of = (owner: string, kind: Page['kind']) =>
  original.pages.filter((page) => page.owner === owner && page.kind === kind && page.path !== '/');
const rootOf = (owner: string) => original.pages.filter((page) => page.owner === owner && page.path === '/');
const cellsOf = (pages: readonly Page[]) => pages.reduce((sum, { cells }) => sum + cells, 0);

/** Salvages, and requires of every result: a whole database, the source as it was, nothing else in the folder. */
function salvage({ source, target }: Case): Salvage & { rows: Map<string, string[]>; by: Map<string, SalvagedTable> } {
  const before = filesIn(path.dirname(source));
  const salvaged = salvageDatabase(source, target, schema);
  const after = filesIn(path.dirname(source));
  expect(after.delete(path.basename(target))).toBe(true);
  expect(after).toEqual(before);
  expect(statSync(target).mode & 0o777).toBe(0o600);
  const db = new Database(target, { readonly: true });
  const state = ['integrity_check', 'foreign_key_check', 'user_version', 'application_id', 'journal_mode'].map((name) =>
    db.pragma(name),
  );
  const triggers = triggersOf(db);
  db.close();
  expect(state).toEqual([
    [{ integrity_check: 'ok' }],
    [],
    [{ user_version: newest }],
    [{ application_id: schema.applicationId }],
    [{ journal_mode: 'delete' }],
  ]);
  expect(triggers).toEqual(original.triggers);
  const rows = rowsByTable(target);
  for (const { table, rows: count, partial } of salvaged.tables) {
    expect(partial).toBeLessThanOrEqual(count);
    expect(rows.get(table)?.length ?? 0).toBeLessThanOrEqual(count);
  }
  return { ...salvaged, rows, by: new Map(salvaged.tables.map((one) => [one.table, one])) };
}

/** Digests of all but what SQLite makes for a reader. */
function filesIn(folder: string): Map<string, string> {
  const files = readdirSync(folder).map((name) => path.join(folder, name));
  return new Map(
    files
      .filter((file) => !(file.endsWith('-shm') || (file.endsWith('-wal') && statSync(file).size === 0)))
      .map((file) => [path.basename(file), createHash('sha256').update(readFileSync(file)).digest('hex')]),
  );
}

/** Tables that do not have the same rows as the undamaged database. */
function incomplete(rows: ReadonlyMap<string, string[]>): string[] {
  return [...original.rows.keys()].filter(
    (table) => rows.get(table)?.join('\n') !== original.rows.get(table)?.join('\n'),
  );
}

function lost(rows: ReadonlyMap<string, string[]>, table: string): number {
  const salvaged = new Set(rows.get(table));
  return (original.rows.get(table) ?? []).filter((row) => !salvaged.has(row)).length;
}

test('of an undamaged database every row of every table is there', () => {
  const reported: string[] = [];
  const one = copied();
  const { rows, tables, orphans } = salvage(one);
  expect(incomplete(rows)).toEqual([]);
  expect(orphans).toBe(0);
  expect(tables.filter(({ gaps, error, partial }) => gaps > 0 || error !== null || partial > 0)).toEqual([]);
  expect(tables.map(({ table, rows }) => [table, rows])).toEqual(
    tables.map(({ table }) => [table, original.rows.get(table)?.length]),
  );
  salvageDatabase(one.source, `${one.target}-2`, schema, (table) => reported.push(table));
  expect(reported).toEqual(tables.map(({ table }) => table));
});

describe('zeroed leaf pages', () => {
  const third = (pages: Page[]) => pages.filter((_, index) => index % 3 === 1);
  test.each<[what: string, table: string, pick: (pages: Page[]) => Page[]]>([
    ['one in the middle', 'audit_event', (pages) => pages.slice(40, 41)],
    ['the first', 'audit_event', (pages) => pages.slice(0, 1)],
    ['the last', 'audit_event', (pages) => pages.slice(-1)],
    ['the first and the last', 'audit_event', (pages) => [...pages.slice(0, 1), ...pages.slice(-1)]],
    ['each third', 'audit_event', third],
    ['one in the middle', 'flow_hour', (pages) => pages.slice(40, 41)],
    ['the first', 'flow_hour', (pages) => pages.slice(0, 1)],
    ['the last', 'flow_hour', (pages) => pages.slice(-1)],
    ['the first and the last', 'flow_hour', (pages) => [...pages.slice(0, 1), ...pages.slice(-1)]],
    ['each third', 'flow_hour', third],
    ['two, of keys with text', 'threat_document', (pages) => [...pages.slice(9, 10), ...pages.slice(-10, -9)]],
    ['each third, without a column of its id', 'clock_gap', third],
  ])('%s of %s: their rows alone are lost', (_what, table, pick) => {
    const one = copied();
    const pages = pick(of(table, 'leaf'));
    zero(one.source, pages);
    const { rows, by } = salvage(one);
    expect(incomplete(rows)).toEqual([table]);
    expect(lost(rows, table)).toBe(cellsOf(pages));
    expect(by.get(table)).toEqual({
      table,
      rows: (original.rows.get(table)?.length ?? 0) - cellsOf(pages),
      partial: 0,
      gaps: pages.length,
      error: expect.stringMatching(/malformed.*SQLITE_CORRUPT/),
    });
  });

  test.each(['flow', 'destination', 'source'])('of %s: an index has what a row must have', (table) => {
    const one = copied();
    const pages = of(table, 'leaf').slice(3, 5);
    zero(one.source, pages);
    const { rows, by, orphans } = salvage(one);
    expect(orphans).toBe(0);
    expect(incomplete(rows)).toEqual([table]);
    expect(by.get(table)).toMatchObject({ rows: original.rows.get(table)?.length, partial: cellsOf(pages), gaps: 1 });
    expect(lost(rows, table)).toBe(cellsOf(pages));
    expect(rows.get(table)).toHaveLength(original.rows.get(table)?.length ?? 0);
  });

  test('of a table that others refer to: rows of these are taken out, and counted', () => {
    const one = copied();
    const pages = of('device', 'leaf').slice(2, 3);
    zero(one.source, pages);
    const { rows, orphans } = salvage(one);
    expect(lost(rows, 'device')).toBe(cellsOf(pages));
    expect(incomplete(rows).sort()).toEqual(['device', 'device_observer', 'interface', 'lease']);
    expect(orphans).toBe(['device_observer', 'interface', 'lease'].reduce((sum, table) => sum + lost(rows, table), 0));
    expect(lost(rows, 'interface')).toBe(cellsOf(pages));
  });
});

test('of lost overflow pages their rows are lost, and none between', () => {
  const one = copied();
  // The first page of what a row has beyond its leaf; of each fifth row.
  const firsts = of('flow_hour_pack', 'overflow').filter(({ path }) => path.endsWith('+000000'));
  const pages = firsts.filter((_, index) => index % 5 === 1);
  zero(one.source, pages);
  const { rows, by } = salvage(one);
  expect(pages).toHaveLength(4);
  expect(incomplete(rows)).toEqual(['flow_hour_pack']);
  expect(lost(rows, 'flow_hour_pack')).toBe(4);
  expect(by.get('flow_hour_pack')).toMatchObject({ rows: 16, gaps: 4 });
});

test.each(['audit_event', 'flow_hour'])('a zeroed interior page of %s: the rows below it are lost', (table) => {
  const one = copied();
  const [page] = of(table, 'internal').slice(1, 2);
  zero(one.source, page ? [page] : []);
  const below = of(table, 'leaf').filter(({ path }) => path.startsWith(page?.path ?? '?'));
  const { rows, by } = salvage(one);
  expect(below.length).toBeGreaterThan(5);
  expect(incomplete(rows)).toEqual([table]);
  expect(lost(rows, table)).toBe(cellsOf(below) + (table === 'flow_hour' ? (page?.cells ?? 0) : 0));
  expect(by.get(table)?.gaps).toBe(1);
});

describe('a zeroed root page', () => {
  test.each(['audit_event', 'flow_hour'])('of %s: the table is empty', (table) => {
    const one = copied();
    zero(one.source, rootOf(table));
    const { rows, by } = salvage(one);
    expect(incomplete(rows)).toEqual([table]);
    expect(by.get(table)).toMatchObject({ rows: 0, gaps: 1, error: expect.stringContaining('SQLITE_CORRUPT') });
  });

  test('of a table with an index of what a row must have: every row is there', () => {
    const one = copied();
    zero(one.source, [...rootOf('destination'), ...rootOf('observer_set'), ...rootOf('flow')]);
    const { rows, by } = salvage(one);
    expect(by.get('destination')).toMatchObject({ rows: 600, partial: 600, gaps: 1 });
    expect(by.get('flow')).toMatchObject({ rows: 3000, partial: 3000, gaps: 1 });
    expect(incomplete(rows).sort()).toEqual(['destination', 'flow']);
  });
});

test('damaged indexes lose nothing', () => {
  const one = copied();
  const isIndex = ({ owner }: Page) => !original.rows.has(owner) && owner !== 'sqlite_schema';
  zero(one.source, original.pages.filter(isIndex));
  const { rows, tables } = salvage(one);
  expect(incomplete(rows)).toEqual([]);
  expect(tables.filter(({ gaps }) => gaps > 0)).toEqual([]);
});

test('an index that is damaged too is read from both ends', () => {
  const one = copied();
  const pages = of('destination', 'leaf').slice(20, 21);
  const indexes = ['sqlite_autoindex_destination_1', 'destination_host'];
  zero(one.source, [...pages, ...indexes.flatMap((index) => of(index, 'leaf').slice(0, 1))]);
  const { by, orphans } = salvage(one);
  expect(by.get('destination')).toMatchObject({ rows: 600, partial: cellsOf(pages), gaps: 1 });
  expect(orphans).toBe(0);
});

test('an index that names a row that is not there adds none', () => {
  const one = copied();
  const edit = (sql: string) =>
    new Database(one.source).unsafeMode().exec(`PRAGMA writable_schema = ON; ${sql}`).close();
  edit("CREATE TABLE hidden AS SELECT * FROM sqlite_schema WHERE name = 'flow_seen'");
  edit("DELETE FROM sqlite_schema WHERE name = 'flow_seen'");
  edit('DELETE FROM flow WHERE id = 1500');
  edit('INSERT INTO sqlite_schema SELECT * FROM hidden');
  const pages = pagesOf(one.source).filter(({ owner, kind }) => owner === 'flow' && kind === 'leaf');
  zero(one.source, [...pages.slice(9, 10), ...pages.slice(-10, -9)]);
  const { by, rows } = salvage(one);
  expect(by.get('flow')).toMatchObject({ rows: 2999, gaps: 2 });
  expect(rows.get('flow')?.filter((row) => row.startsWith('1500 '))).toEqual([]);
});

test('a row that breaks a rule of its table is left out', () => {
  const one = copied();
  const bytes = readFileSync(one.source);
  const [page] = of('audit_event', 'leaf').slice(7, 8);
  bytes.write('loginsucxess', bytes.indexOf('loginsuccess', ((page?.number ?? 0) - 1) * 512));
  writeFileSync(one.source, bytes);
  const { rows, by } = salvage(one);
  expect(lost(rows, 'audit_event')).toBe(1);
  expect(by.get('audit_event')).toMatchObject({ rows: 1499, gaps: 1, error: expect.stringMatching(/CHECK.*outcome/) });
});

describe('a file that is cut off', () => {
  test.each([0.9, 0.6, 0.3])('after %d of its bytes: what is in them is there', (share) => {
    const one = copied();
    const last = Math.floor((statSync(one.source).size / 512) * share);
    truncateSync(one.source, last * 512 + 100);
    const { rows } = salvage(one);
    const cut = new Set(original.pages.filter(({ number }) => number > last).map(({ owner }) => owner));
    const whole = [...original.rows.keys()].filter((table) => !cut.has(table));
    expect(whole.length).toBeGreaterThan(3);
    expect(
      incomplete(rows).filter(
        (table) =>
          whole.includes(table) && !['flow', 'interface', 'lease', 'device_observer', 'router_session'].includes(table),
      ),
    ).toEqual([]);
    expect(lost(rows, 'source')).toBeLessThan(60);
  });
});

test('rows of the write-ahead log are salvaged too', () => {
  const one = copied();
  const writer = new Database(one.source);
  writer.pragma('wal_autocheckpoint = 0');
  writer.exec("INSERT INTO observer VALUES (9, 'router-9', 'agent', NULL)");
  const moved = copied();
  copyFileSync(one.source, moved.source);
  copyFileSync(`${one.source}-wal`, `${moved.source}-wal`);
  writer.close();
  zero(moved.source, of('audit_event', 'leaf').slice(20, 21));
  const { rows } = salvage(moved);
  expect(rows.get('observer')).toHaveLength(3);
  expect(incomplete(rows)).toEqual(['observer', 'audit_event']);
});

test.each([1, 5, 9, 13])('a database at step %i of the schema comes to the newest', (version) => {
  const one = copied();
  const old = path.join(path.dirname(one.source), 'old.db');
  makeHubDatabase(old, version);
  const pages = pagesOf(old).filter((page) => page.owner === 'flow_hour' && page.kind === 'leaf');
  zero(old, pages.slice(30, 31));
  const { rows, by } = salvage({ source: old, target: one.target });
  expect(rows.get('flow')).toHaveLength(3000);
  expect(rows.get('flow_hour')).toHaveLength(3000 - (pages[30]?.cells ?? 0));
  expect(by.has('agent')).toBe(false);
});

test.each([0, 8, 999])('with the unknown number %i of its schema it is read by the newest', (version) => {
  const one = copied();
  const db = new Database(one.source);
  db.pragma(`user_version = ${version}`);
  db.pragma('journal_mode = DELETE');
  db.close();
  expect(incomplete(salvage(one).rows)).toEqual([]);
});

test('a table and a column that the schema does not know, or that are missing, are said', () => {
  const one = copied();
  new Database(one.source)
    .exec('DROP TABLE clock_gap; CREATE TABLE extra (a); ALTER TABLE source DROP COLUMN vendor')
    .close();
  const { by } = salvage(one);
  expect(by.get('clock_gap')).toMatchObject({ rows: 0, gaps: 1, error: 'no such table: clock_gap' });
  expect(by.get('extra')).toMatchObject({ rows: 0, gaps: 1, error: expect.stringContaining('no such table') });
  expect(by.get('source')).toMatchObject({ rows: 60, gaps: 1, error: 'no such column: vendor' });
});

describe('nothing can be salvaged, and it is said', () => {
  test.each<[what: string, damage: (file: string) => void]>([
    ['a zeroed first page', (file) => zero(file, [{ number: 1 } as Page])],
    ['other text', (file) => writeFileSync(file, 'x'.repeat(5000))],
    ['no bytes', (file) => writeFileSync(file, '')],
    ['a few bytes', (file) => truncateSync(file, 300)],
  ])('of %s', (_what, damage) => {
    const one = copied();
    damage(one.source);
    expect(() => salvageDatabase(one.source, one.target, schema)).toThrow(
      /^nothing of \S+monitor\.db can be salvaged, its beginning cannot be read: put a backup back \(.+\)$/,
    );
    expect(existsSync(one.target)).toBe(false);
  });

  test('of a file that is not there', () => {
    const { source, target } = copied();
    expect(() => salvageDatabase(`${source}-2`, target, schema)).toThrow(/ cannot be opened: copy it /);
  });

  test('into a file that is there', () => {
    const one = copied();
    writeFileSync(one.target, 'mine');
    expect(() => salvageDatabase(one.source, one.target, schema)).toThrow(`${one.target} is there already: move it`);
    expect(readFileSync(one.target, 'utf8')).toBe('mine');
  });

  test('when the steps of the schema fail: no half a file is left', () => {
    const one = copied();
    expect(() => salvageDatabase(one.source, one.target, { ...schema, migrations: `${one.target}-none` })).toThrow(
      'ENOENT',
    );
    expect(existsSync(one.target)).toBe(false);
  });
});

test('one flipped bit anywhere: a whole database with all rows of other tables, or the sentence', () => {
  const random = createRandom(20_260);
  const owners = new Map(original.pages.map(({ number, owner }) => [number, owner]));
  const bits = statSync(original.file).size * 8;
  let refused = 0;
  for (let round = 0; round < runs(25, 100); round += 1) {
    using folder = temporaryFolder();
    const one = { source: path.join(folder.path, 'monitor.db'), target: path.join(folder.path, 'salvaged.db') };
    copyFileSync(original.file, one.source);
    const bit = Math.floor(random() * bits);
    const owner = owners.get(flipBit(one.source, bit));
    if (owner === 'sqlite_schema' && !isReadable(one)) {
      refused += 1;
      continue;
    }
    const { rows, orphans } = salvage(one);
    const others = owner === 'sqlite_schema' ? [] : incomplete(rows).filter((table) => table !== owner);
    // A row whose reference is another one by now is out too: it counts, and is of the damaged table itself.
    const lostOfOthers = others.reduce((sum, table) => sum + lost(rows, table), 0);
    expect(lostOfOthers, `bit ${bit}, of ${owner}: ${others.join(', ')}`).toBeLessThanOrEqual(orphans);
  }
  expect(refused).toBeLessThan(10);
});

/** Whether anything can be salvaged; if not, it is said. */
function isReadable({ source, target }: Case): boolean {
  try {
    salvageDatabase(source, `${target}-tried`, schema);
    rmSync(`${target}-tried`);
    return true;
  } catch (error) {
    expect(String(error)).toMatch(/^Error: nothing of \S+ can be salvaged/);
    return false;
  }
}
