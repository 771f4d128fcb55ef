// Finds the flows with sessions that a whole table no longer shows.
import type { EndedFlow, FlowEnds } from '../../record/connections/store/observation.ts';

interface ShownSession {
  /** The result of `flowKey`. */
  readonly flow: string;
}

type Sessions = ReadonlyMap<string, ShownSession>;

/** The key that all sessions of a flow share. `join` saves memory: a template string keeps its parts alive. */
export function flowKey({ proto, src, dst, dport }: Pick<EndedFlow, 'proto' | 'src' | 'dst' | 'dport'>): string {
  return [proto, src, dst, dport].join('|');
}

/** Ends of sessions. Ends that were not stored, because the batch could not be saved, come again with the next read. */
export class SessionEnds {
  #flows = new Set<string>();
  /** The database may list flows whose sessions are not known here. */
  #hasUnknown = true;
  /** The ends found in whole tables and not stored yet. */
  #ends: FlowEnds | null = null;
  /** Whether the last read returned `#ends`. */
  #isTaken = false;

  /** Whether earlier tables, in this run or before it, had sessions that are not remembered. */
  get hasUnknown(): boolean {
    return this.#hasUnknown;
  }

  forgotten(): void {
    this.#hasUnknown = true;
  }

  /** The ends by a whole table that arrived at `at`: every known session that it does not show. */
  take(known: Sessions, shown: Sessions, at: number): FlowEnds {
    for (const [key, { flow }] of known) {
      if (!shown.has(key)) {
        this.#flows.add(flow);
      }
    }
    const isAll = this.#hasUnknown || (this.#ends?.isAll ?? false);
    this.#hasUnknown = false;
    this.#isTaken = true;
    this.#ends = { at, isAll, flows: isAll ? [] : toEndedFlows(this.#flows, shown) };
    return this.#ends;
  }

  /** A table that was not read to its end ends nothing. */
  skip(): null {
    this.#isTaken = false;
    return null;
  }

  /** The caller has stored the last read. */
  stored(): void {
    if (this.#isTaken) {
      this.#ends = null;
      this.#flows.clear();
    }
  }
}

function toEndedFlows(ended: ReadonlySet<string>, shown: Sessions): EndedFlow[] {
  const listed = new Set<string>();
  for (const { flow } of ended.size === 0 ? [] : shown.values()) {
    if (ended.has(flow)) {
      listed.add(flow);
    }
  }
  return [...ended].map((flow) => {
    const [proto = '', src = '', dst = '', dport = ''] = flow.split('|');
    return { proto, src, dst, dport: Number(dport), isListed: listed.has(flow) };
  });
}
