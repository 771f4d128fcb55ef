// Compares the sessions that routers saw from a machine with those that its Agent reported (wire contract 5.2): the same
// one by all five parts, or by four when that leaves no choice; what could be several is not guessed.

export interface Session {
  src: string;
  /** 0: not known. */
  sport: number;
  dst: string;
  dport: number;
  proto: string;
  firstSeen: number;
  lastSeen: number;
}

export interface Compared<R extends Session, A extends Session> {
  exact5tuple: number;
  unique4tupleTime: number;
  ambiguous: number;
  routerOnly: Unmatched<R>[];
  agentOnly: Unmatched<A>[];
}

export interface Unmatched<S extends Session> {
  session: S;
  /** The other side has the same five parts, at a time that lies too far away. */
  isElsewhere: boolean;
}

type Entry<S> = { session: S; state: 'open' | 'matched' | 'ambiguous' };

/** `windowMs`: how far the times of both sides may lie apart. */
export function compare<R extends Session, A extends Session>(
  routers: readonly R[],
  agents: readonly A[],
  windowMs: number,
): Compared<R, A> {
  const [left, right] = [routers.map(entry), agents.map(entry)];
  const byFour = Map.groupBy(right, ({ session }) => fourParts(session));
  const near = (one: Entry<R>) =>
    (byFour.get(fourParts(one.session)) ?? []).filter(({ session }) => overlap(one.session, session, windowMs));
  const counts = { exact5tuple: 0, unique4tupleTime: 0, ambiguous: 0 };

  for (const one of left) {
    const { sport } = one.session;
    const same = sport === 0 ? undefined : near(one).find(({ session }) => session.sport === sport);
    if (same) {
      // Two routers may show one session.
      counts.exact5tuple += 1;
      one.state = same.state = 'matched';
    }
  }
  for (const one of left.filter(({ state }) => state === 'open')) {
    const without = near(one).filter(
      ({ session, state }) => state === 'open' && (one.session.sport === 0 || session.sport === 0),
    );
    const [only] = without;
    if (only && without.length === 1) {
      counts.unique4tupleTime += 1;
      one.state = only.state = 'matched';
    } else if (only) {
      counts.ambiguous += 1;
      one.state = 'ambiguous';
    }
  }
  const isAmbiguous = new Set(
    left.filter(({ state }) => state === 'ambiguous').flatMap((one) => near(one).map(({ session }) => session)),
  );
  const [leftFive, rightFive] = [fivePartsOf(left), fivePartsOf(right)];
  return {
    ...counts,
    routerOnly: open(left, rightFive),
    agentOnly: open(
      right.filter(({ session }) => !isAmbiguous.has(session)),
      leftFive,
    ),
  };
}

function entry<S>(session: S): Entry<S> {
  return { session, state: 'open' };
}

function open<S extends Session>(entries: readonly Entry<S>[], others: ReadonlySet<string>): Unmatched<S>[] {
  return entries
    .filter(({ state }) => state === 'open')
    .map(({ session }) => ({ session, isElsewhere: session.sport !== 0 && others.has(fiveParts(session)) }));
}

function overlap(one: Session, other: Session, windowMs: number): boolean {
  return one.firstSeen - windowMs <= other.lastSeen && other.firstSeen <= one.lastSeen + windowMs;
}

const fourParts = ({ src, dst, dport, proto }: Session) => `${src} ${dst} ${dport} ${proto}`;
const fiveParts = (session: Session) => `${fourParts(session)} ${session.sport}`;
const fivePartsOf = (entries: readonly Entry<Session>[]) => new Set(entries.map(({ session }) => fiveParts(session)));
