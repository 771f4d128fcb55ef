// Which sessions a whole table does not show any more, by the flow that they belong to.
import type { EndedFlow, FlowEnds } from '../../record/connections/store/observation.ts';

/** A session that a table showed. */
interface OfFlow {
  /** What `flowKey` made of it. */
  readonly flow: string;
}

type Sessions = ReadonlyMap<string, OfFlow>;

/** The same for all sessions of a flow. Joined, as a template would hold each of its parts for as long as the result is held. */
export function flowKey({ proto, src, dst, dport }: Pick<EndedFlow, 'proto' | 'src' | 'dst' | 'dport'>): string {
  return [proto, src, dst, dport].join('|');
}

/** Ends of sessions that are not stored yet: those of a batch that could not be saved come again with the next. */
export class SessionEnds {
  #flows = new Set<string>();
  /** Flows may be stored as listed whose sessions are not known here. */
  #hasUnknown = true;
  /** Those of a whole table that are not stored yet. */
  #ends: FlowEnds | null = null;
  /** Whether the last read had them. */
  #isTaken = false;

  /** Whether sessions were shown, in this run or an earlier one, that nobody remembers. */
  get hasUnknown(): boolean {
    return this.#hasUnknown;
  }

  forgotten(): void {
    this.#hasUnknown = true;
  }

  /** What a whole table that had arrived at `at` ends: every known session that it does not show. */
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

  /** What the last read said is in the database. */
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
