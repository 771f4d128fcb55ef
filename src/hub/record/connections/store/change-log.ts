// The change log: every transaction that changes flows or their hours adds an entry, and readers apply the new ones.
import type { Reader, Writer } from '#kernel/sqlite/sqlite.ts';
import { randomHex } from '#kernel/text/secret.ts';

/** With more flows and hours than this, the oldest entries are deleted. A reader that is further behind reads everything. */
const maxNamed = 1_000_000;

export type FlowChanges = ReturnType<typeof createFlowChanges>;

/** For one transaction, most of whose sightings lie in `currentHour`. */
export function createFlowChanges(writer: Writer, currentHour: number | null = null) {
  const flows: number[] = [];
  const rows: number[] = [];
  return {
    /** Notes that a flow was added, changed or deleted. */
    changed: (flow: number) => void flows.push(flow),
    /** Notes that the row of a flow in this hour was added or changed. */
    touched(hour: number, flow: number) {
      if (hour !== currentHour || flows.at(-1) !== flow) {
        rows.push(hour, flow);
      }
    },
    /** Writes the noted changes. Call it as the last step of the transaction. */
    save() {
      if (flows.length === 0 && rows.length === 0) {
        return;
      }
      const { total } = writer
        .prepare(
          `INSERT INTO flow_change (flows, hour, rows, total)
           VALUES (?, ?, ?, ? + coalesce((SELECT total FROM flow_change ORDER BY id DESC LIMIT 1), 0)) RETURNING total`,
        )
        .get(
          packNumbers(flows),
          currentHour,
          rows.length === 0 ? null : packNumbers(rows),
          flows.length + rows.length,
        ) as {
        total: number;
      };
      writer.prepare('DELETE FROM flow_change WHERE total <= ?').run(total - maxNamed);
    },
  };
}

/** What one transaction changed. */
export interface FlowChange {
  flows: Uint32Array;
  /** An hour in which each of them may have been seen. */
  hour: number | null;
  /** Rows of other hours: hour, flow, hour, flow, … */
  rows: Uint32Array;
}

export interface ChangesSince {
  /** Position of the newest change: pass it to the next call, which then returns only later ones. */
  position: number;
  /** In order; `null`: everything may have changed. */
  changes: FlowChange[] | null;
}

const selectNewest = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'flow_change'), 0)";

/** Runs of the hub that are remembered. A file that an earlier run wrote is not used any more. */
const maxRuns = 16;

/** Notes where in the log of changes a run of the hub begins. Call it before the first change of the run. */
export function noteRun(writer: Writer): void {
  writer.prepare(`INSERT INTO flow_change_run (token, position) VALUES (?, (${selectNewest}))`).run(randomHex(32));
  writer.prepare('DELETE FROM flow_change_run WHERE id <= (SELECT max(id) FROM flow_change_run) - ?').run(maxRuns);
}

/** The token of the run of the hub in which the log of changes reached `position`; null when no run is noted. */
export function findRunAt(reader: Reader, position: number): string | null {
  const run = reader.prepare('SELECT token FROM flow_change_run WHERE position <= ? ORDER BY id DESC LIMIT 1');
  return (run.pluck().get(position) as string | undefined) ?? null;
}

/** Whether the log of this database reached `position` in that run. The log of an older or another copy did not. */
export function hasReached(reader: Reader, run: string, position: number): boolean {
  const reached = reader.prepare(
    `SELECT 1 FROM flow_change_run r WHERE r.token = @run AND @position BETWEEN r.position AND coalesce(
       (SELECT n.position FROM flow_change_run n WHERE n.id > r.id ORDER BY n.id LIMIT 1), (${selectNewest}))`,
  );
  return reached.get({ run, position }) !== undefined;
}

/** The changes since `position`; `null` for the first call. */
export function readChanges(reader: Reader, position: number | null): ChangesSince {
  const newest = reader.prepare(selectNewest).pluck().get() as number;
  if (position === null || position > newest) {
    return { position: newest, changes: null };
  }
  const entries = reader
    .prepare('SELECT flows, hour, rows FROM flow_change WHERE id > ? ORDER BY id')
    .all(position) as {
    flows: Uint8Array | null;
    hour: number | null;
    rows: Uint8Array | null;
  }[];
  const changes: FlowChange[] = [];
  for (const { flows, hour, rows } of entries) {
    if (flows === null) {
      return { position: newest, changes: null };
    }
    changes.push({ flows: unpackNumbers(flows), hour, rows: unpackNumbers(rows) });
  }
  return { position: newest, changes: changes.length < newest - position ? null : changes };
}

function packNumbers(numbers: readonly number[]): Buffer {
  return Buffer.from(Uint32Array.from(numbers).buffer);
}

function unpackNumbers(blob: Uint8Array | null): Uint32Array {
  return blob === null ? new Uint32Array() : new Uint32Array(blob.slice().buffer);
}
