// One value that several clients write at once: what it may hold at the end, given how each write was answered.

/** How a write was answered: it was acknowledged, refused, or the client does not know. */
export type Ending = 'acknowledged' | 'refused' | 'unknown';

interface Write {
  value: unknown;
  begunAt: number;
  /** Infinity while nobody knows: a write without an answer may come into effect at any time. */
  endedAt: number;
  ending: Ending;
}

let instant = 0;
/** The order in which things began and ended. */
const nextInstant = () => ++instant;

/**
 * A register (Lamport 1986, "On interprocess communication"): an acknowledged write came into effect at some instant
 * between its request and its answer, a refused one never, one without an answer perhaps.
 */
export class Register<T> {
  readonly name: string;
  #writes: Write[];

  constructor(name: string, initial: T) {
    this.name = name;
    this.#writes = [{ value: initial, begunAt: 0, endedAt: 0, ending: 'acknowledged' }];
  }

  /** A write of `value` begins now; what is returned is called with its ending. */
  begin(value: T): (ending: Ending) => void {
    const write: Write = { value, begunAt: nextInstant(), endedAt: Number.POSITIVE_INFINITY, ending: 'unknown' };
    this.#writes.push(write);
    return (ending) => {
      write.ending = ending;
      write.endedAt = ending === 'unknown' ? Number.POSITIVE_INFINITY : nextInstant();
    };
  }

  /** Every value that no later acknowledged write must have replaced. */
  possible(): T[] {
    const acknowledged = this.#writes.filter(({ ending }) => ending === 'acknowledged');
    return this.#writes
      .filter(({ ending }) => ending !== 'refused')
      .filter((write) => !acknowledged.some((other) => other.begunAt > write.endedAt))
      .map(({ value }) => value as T);
  }

  /** The value the last acknowledged write leaves when nothing else was under way; for choosing what to do next. */
  latest(): T {
    return this.#writes.filter(({ ending }) => ending === 'acknowledged').at(-1)?.value as T;
  }

  /** A sentence when `value` cannot have come from the writes; null when it can. */
  problem(value: T): string | null {
    const texts = this.possible().map((one) => JSON.stringify(one));
    return texts.includes(JSON.stringify(value))
      ? null
      : `${this.name} is ${JSON.stringify(value)}, but the writes that were acknowledged leave ${texts.join(' or ')}`;
  }
}

/** The order of events outside registers: what ended before something else began. */
export function mark(): number {
  return nextInstant();
}
