// Ties a test to the requirements it proves. The coverage test compares what is cited here with test/requirements.ts.
import { test } from 'vitest';
import { requirements } from '../requirements.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** What the test cites; the reporter reads it to see which citations ran. */
    verifies?: string[];
  }
}

/** A row of a table: `what` is its title. */
export interface TableRow {
  what: string;
}

/** A row that cites requirements of its own. */
export interface CitingRow extends TableRow {
  ids: string;
}

const known: ReadonlySet<string> = new Set(requirements.map((requirement) => requirement.id));

/**
 * A test that proves the requirements `ids`, separated by spaces, at most three; `what` says which part of them.
 * `ids` is written as a literal, because the coverage test reads the citation from the source text.
 * Throws while the test file is collected when an id is not in the manifest.
 */
export function verifies(ids: string, what: string, body: () => void | Promise<void>, timeoutMs?: number): void {
  const cited = ids.split(/\s+/);
  const unknown = cited.filter((id) => !known.has(id));
  if (unknown.length > 0) {
    throw new Error(
      `verifies('${ids}') cites what test/requirements does not state: ${unknown.map((id) => `'${id}'`).join(', ')}. Correct the id or add the requirement.`,
    );
  }
  const options = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  test(`${what} [${ids}]`, { ...options, meta: { verifies: cited } }, body);
}

/**
 * One test for each row of a table. The rows are written in the call, each with its `ids` and `what`; or `ids` comes
 * first and holds for every row, which may then come from anywhere.
 */
verifies.each = each;

type Body<Row> = (row: Row) => void | Promise<void>;

function each<Row extends CitingRow>(rows: readonly Row[], body: Body<Row>, timeoutMs?: number): void;
function each<Row extends TableRow>(ids: string, rows: readonly Row[], body: Body<Row>, timeoutMs?: number): void;
function each(
  first: string | readonly CitingRow[],
  second: readonly TableRow[] | Body<never>,
  third?: Body<never> | number,
  fourth?: number,
): void {
  if (typeof first === 'string') {
    const rows = (second as TableRow[]).map((row) => ({ ...row, ids: first }));
    each(rows, third as Body<TableRow>, fourth);
    return;
  }
  for (const row of first) {
    verifies(row.ids, row.what, () => (second as Body<TableRow>)(row), third as number | undefined);
  }
}
