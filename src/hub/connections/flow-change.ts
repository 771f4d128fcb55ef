// The log of changed flows: every transaction that changes flows says so, and a reader takes up what is new.
import type { Reader, Writer } from '#kernel/sqlite.ts';

/** Flows that the log names before its oldest entries go. A reader further behind reads everything. */
const maxNamed = 1_000_000;

export interface FlowChanges {
  /** A flow was added, changed or removed. */
  changed(flow: number): void;
  /** Writes the entry; the last step of the transaction. */
  save(): void;
}

/** For one transaction. */
export function createFlowChanges(writer: Writer): FlowChanges {
  const flows: number[] = [];
  return {
    changed: (flow) => void flows.push(flow),
    save() {
      if (flows.length === 0) {
        return;
      }
      const { total } = writer
        .prepare(
          `INSERT INTO flow_change (flows, total)
           VALUES (?, ? + coalesce((SELECT total FROM flow_change ORDER BY id DESC LIMIT 1), 0)) RETURNING total`,
        )
        .get(Buffer.from(Uint32Array.from(flows).buffer), flows.length) as { total: number };
      writer.prepare('DELETE FROM flow_change WHERE total <= ?').run(total - maxNamed);
    },
  };
}

export interface ChangesSince {
  /** To be given the next time. */
  place: number;
  /** `null`: any flow may have changed. */
  flows: ReadonlySet<number> | null;
}

/** What changed since `place`; the first time it is `null`. */
export function readChanges(reader: Reader, place: number | null): ChangesSince {
  const { newest } = reader
    .prepare("SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'flow_change'), 0) AS newest")
    .get() as { newest: number };
  if (place === null || place > newest) {
    return { place: newest, flows: null };
  }
  const rows = reader.prepare('SELECT flows FROM flow_change WHERE id > ? ORDER BY id').all(place) as {
    flows: Uint8Array | null;
  }[];
  if (rows.length < newest - place || rows.some(({ flows }) => flows === null)) {
    return { place: newest, flows: null };
  }
  const flows = new Set<number>();
  for (const row of rows) {
    for (const flow of idsOf(row.flows as Uint8Array)) {
      flows.add(flow);
    }
  }
  return { place: newest, flows };
}

function idsOf(blob: Uint8Array): Uint32Array {
  return new Uint32Array(blob.slice().buffer);
}
