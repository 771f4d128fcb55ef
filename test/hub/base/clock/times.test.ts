// Times in the database after a clock that was ahead came back: every column is decided about, and of random rows only
// what lies ahead changes.
import path from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clampFutureTimes, shiftSteadyTimes } from '#hub/base/clock/clamp.ts';
import type { TableTimes } from '#hub/base/clock/times.ts';
import { migrationsFolder } from '#hub/base/storage/product.ts';
import { times } from '#hub/start/times.ts';
import { migrate } from '#kernel/sqlite/sqlite.ts';
import { dayMs } from '#kernel/time/time.ts';
import { runs } from '../../../support/property-runs.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { correctedBy, leftAlone, noTimes } from './decided-columns.ts';

const now = Date.UTC(2026, 2, 1, 3);
const tables = times.flatMap((feature) => feature.tables);

/** A database with the schema of this program. */
function openMigrated() {
  const folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.db');
  migrate(file, migrationsFolder);
  const db = new Database(file);
  db.pragma('foreign_keys = OFF');
  db.pragma('ignore_check_constraints = ON');
  return Object.assign(db, {
    [Symbol.dispose]() {
      db.close();
      folder[Symbol.dispose]();
    },
  });
}

interface Column {
  table: string;
  name: string;
  type: string;
  isRequired: number;
}

function columnsOf(db: Database.Database): Column[] {
  return db
    .prepare(
      `SELECT t.name AS "table", c.name, c.type, c."notnull" OR c.pk > 0 AS isRequired
       FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
    )
    .all() as Column[];
}

const deadlinesOf = ({ deadlines = {} }: TableTimes) => Object.keys(deadlines);

/** What is decided: each `table.column`, as often as somebody says something about it. */
function decided(): string[] {
  return [
    ...tables.flatMap((one) => [...one.timestamps, ...deadlinesOf(one)].map((column) => `${one.table}.${column}`)),
    ...Object.keys(correctedBy),
    ...Object.keys(leftAlone),
    ...Object.entries(noTimes).flatMap(([table, names]) => names.split(' ').map((name) => `${table}.${name}`)),
  ];
}

function undecided(db: Database.Database): string[] {
  const known = new Set(decided());
  return columnsOf(db)
    .map(({ table, name }) => `${table}.${name}`)
    .filter((name) => !known.has(name));
}

test('every column of every table is decided about, once, and a new one is not', () => {
  using db = openMigrated();
  expect(
    undecided(db),
    'name these in times.ts of their feature, or in test/hub/base/clock/decided-columns.ts',
  ).toEqual([]);
  const there = columnsOf(db).map(({ table, name }) => `${table}.${name}`);
  expect(decided().sort()).toEqual(there.sort());
  db.exec('ALTER TABLE agent_code ADD COLUMN shown_at INTEGER; CREATE TABLE voucher (id INTEGER, until INTEGER)');
  expect(undecided(db)).toEqual(['agent_code.shown_at', 'voucher.id', 'voucher.until']);
});

test('who corrects a column is called by a feature, and nobody else is', () => {
  const called = times.flatMap(({ clamps = [] }) => clamps.map(({ name }) => name));
  const named = Object.values(correctedBy).filter((name) => !name.includes(' '));
  expect(new Set(called)).toEqual(new Set(named));
});

type Value = number | string | Buffer | null;
type Row = Record<string, Value>;

/** What `src/hub/start/times.ts` says of the columns of one table. */
function timesOf(table: string) {
  const parts = tables.filter((one) => one.table === table);
  const steady = parts.filter(({ isSteady }) => isSteady).flatMap((one) => [...one.timestamps, ...deadlinesOf(one)]);
  return {
    timestamps: parts.flatMap(({ timestamps }) => timestamps),
    deadlines: parts.flatMap(({ deadlines = {} }) => Object.entries(deadlines)),
    isSteady: (column: string) => steady.includes(column),
  };
}

/** How far a deadline is from its stamp; that of an approved request has no other. */
const lifetime = 600_000;

/** A row with these timestamps and the deadlines computed from them; whatever else is required differs from row to row. */
function makeRow(columns: readonly Column[], instants: readonly (number | null)[], id: number): Row {
  const { timestamps, deadlines } = timesOf(columns[0]?.table ?? '');
  const row: Row = {};
  for (const { name, type, isRequired } of columns) {
    const filler = type === 'TEXT' ? `${name} ${id}` : type === 'BLOB' ? Buffer.from([id]) : id;
    const stamp = timestamps.indexOf(name);
    row[name] = (stamp < 0 ? null : instants[stamp]) ?? (isRequired === 1 ? filler : null);
  }
  for (const [deadline, stamp] of deadlines) {
    const from = stamp in row ? row[stamp] : instants[0];
    row[deadline] = Number(from ?? id) + lifetime;
  }
  return row;
}

/** What must become of a row when the steady clock is reset by `shift`. */
function corrected(table: string, row: Row, shift: number): Row {
  const { timestamps, deadlines, isSteady } = timesOf(table);
  const result = { ...row };
  const leadOf = (stamp: Value | undefined, column: string) => {
    const ahead = Number(stamp ?? 0) - now;
    return ahead <= 0 ? 0 : isSteady(column) ? shift : ahead;
  };
  for (const stamp of timestamps) {
    result[stamp] = row[stamp] === null ? null : Number(row[stamp]) - leadOf(row[stamp], stamp);
  }
  for (const [deadline, stamp] of deadlines) {
    const end = Number(row[deadline]);
    result[deadline] = end - leadOf(stamp in row ? row[stamp] : end - lifetime, deadline);
  }
  return result;
}

function finish<T>(steps: Generator<void, T, void>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) {
      return step.value;
    }
  }
}

const instant = fc.oneof(
  fc.integer({ min: now - 40 * dayMs, max: now }),
  fc.integer({ min: now + 1, max: now + 40 * dayMs }),
);

test.each([...new Set(tables.map(({ table }) => table))])(
  'of random rows of %s what lies ahead is corrected, with its deadlines, and all else stays bit for bit',
  (table) => {
    using db = openMigrated();
    const columns = columnsOf(db).filter((column) => column.table === table);
    const names = columns.map(({ name }) => name);
    const insert = db.prepare(
      `INSERT INTO "${table}" (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`,
    );
    const stored = () =>
      new Set(
        db
          .prepare(`SELECT * FROM "${table}"`)
          .all()
          .map((row) => JSON.stringify(row)),
      );
    const instants = fc.array(fc.option(instant, { freq: 8 }), { minLength: 5, maxLength: 5 });
    const shifts = fc.integer({ min: 1000, max: 90 * dayMs });
    fc.assert(
      fc.property(fc.array(instants, { maxLength: 6 }), shifts, (made, by) => {
        db.exec(`DELETE FROM "${table}"`);
        const rows = made.map((one, at) => makeRow(columns, one, at + 1));
        for (const row of rows) {
          insert.run(row);
        }
        finish(clampFutureTimes(db, [{ tables }], now));
        shiftSteadyTimes(db, [{ tables }], { by, after: now });
        expect(stored()).toEqual(new Set(rows.map((row) => JSON.stringify(corrected(table, row, by)))));
      }),
      { numRuns: runs(15, 200) },
    );
  },
);
