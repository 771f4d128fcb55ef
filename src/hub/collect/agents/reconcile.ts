// Compares the sessions that routers saw from a machine with those that its Agent reported. A session matches by all
// five parts, or by four when only one candidate is left. Ambiguous sessions are not matched
// (docs/reference/wire-contract/5-behaviours.md#52-ingest-comparison-retention).

export interface Session {
  src: string;
  /** 0 when unknown. */
  sport: number;
  dst: string;
  dport: number;
  proto: string;
  firstSeen: number;
  lastSeen: number;
}

export interface Compared<R extends Session, A extends Session> {
  /** Sessions that both sides saw. */
  both: { exact5tuple: number; unique4tupleTime: number; ambiguous: number };
  routerOnly: Unmatched<R>[];
  agentOnly: Unmatched<A>[];
}

export interface Unmatched<S extends Session> {
  session: S;
  /** The other side has a session with the same five parts, but more than `windowMs` earlier or later. */
  isElsewhere: boolean;
}

/** The range of the comparison, epoch milliseconds. A session in it may match one from up to `windowMs` outside of it. */
export interface ComparedRange {
  from: number;
  to: number;
  /** Largest difference between the times of both sides. */
  windowMs: number;
}

type Entry<S> = { session: S; state: 'open' | 'matched' | 'ambiguous' };

/** Counts pairs with at least one session in the range, and single sessions only in the range. */
export function compare<R extends Session, A extends Session>(
  routers: readonly R[],
  agents: readonly A[],
  { from, to, windowMs }: ComparedRange,
): Compared<R, A> {
  const left = routers.map(toEntry);
  const right = agents.map(toEntry);
  const byFive = Map.groupBy(right, ({ session }) => fiveParts(session));
  const byFour = Map.groupBy(right, ({ session }) => fourParts(session));
  const withoutPort = Map.groupBy(
    right.filter(({ session }) => session.sport === 0),
    ({ session }) => fourParts(session),
  );
  const isInRange = ({ session }: Entry<Session>) => session.lastSeen >= from && session.firstSeen <= to;
  const isNear = (one: Entry<R>) => (other: Entry<A>) => overlap(one.session, other.session, windowMs);
  const counts = { exact5tuple: 0, unique4tupleTime: 0, ambiguous: 0 };

  for (const one of left.filter(({ session }) => session.sport !== 0)) {
    const same = byFive.get(fiveParts(one.session))?.find(isNear(one));
    if (same) {
      // Two routers may show one session.
      counts.exact5tuple += isInRange(one) || isInRange(same) ? 1 : 0;
      one.state = same.state = 'matched';
    }
  }
  for (const one of left.filter(({ state }) => state === 'open')) {
    const others = (one.session.sport === 0 ? byFour : withoutPort).get(fourParts(one.session)) ?? [];
    const possible = others.filter(({ state }) => state !== 'matched').filter(isNear(one));
    const [only, another] = possible;
    if (only && !another) {
      counts.unique4tupleTime += isInRange(one) || isInRange(only) ? 1 : 0;
      one.state = only.state = 'matched';
    } else if (only) {
      counts.ambiguous += isInRange(one) ? 1 : 0;
      for (const each of [one, ...possible]) {
        each.state = 'ambiguous';
      }
    }
  }
  return {
    both: counts,
    routerOnly: listOpen(left.filter(isInRange), collectFiveParts(right)),
    agentOnly: listOpen(right.filter(isInRange), collectFiveParts(left)),
  };
}

function toEntry<S>(session: S): Entry<S> {
  return { session, state: 'open' };
}

function listOpen<S extends Session>(entries: readonly Entry<S>[], others: ReadonlySet<string>): Unmatched<S>[] {
  return entries
    .filter(({ state }) => state === 'open')
    .map(({ session }) => ({ session, isElsewhere: session.sport !== 0 && others.has(fiveParts(session)) }));
}

function overlap(one: Session, other: Session, windowMs: number): boolean {
  return one.firstSeen - windowMs <= other.lastSeen && other.firstSeen <= one.lastSeen + windowMs;
}

const fourParts = ({ src, dst, dport, proto }: Session) => `${src} ${dst} ${dport} ${proto}`;
const fiveParts = (session: Session) => `${fourParts(session)} ${session.sport}`;
const collectFiveParts = (entries: readonly Entry<Session>[]) =>
  new Set(entries.map(({ session }) => fiveParts(session)));
