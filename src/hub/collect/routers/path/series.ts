// Finds the connections that two routers translate one after the other: the outer one has, as source of a session, what the
// inner one translates a session to.
import { yieldToEventLoop } from '#kernel/time/clock.ts';
import { hourMs } from '#kernel/time/time.ts';
import type { FlowLink, Translated } from '../../../record/connections/store/flow-link.ts';
import type { Session } from '../driver.ts';
import { hasPorts } from '../reader.ts';
import { byChance, mayBeChance } from './chance.ts';

/** The translations that a whole table shows. Of its links, only those that were not stored in the last hour. */
export interface Shown {
  translated: Translated;
  /** Call this once they are stored: until then the same links come again. */
  stored(): void;
}

export type Series = ReturnType<typeof createSeries>;

/** Sessions by `tupleKey`. */
type ByTuple = ReadonlyMap<string, Session>;

/** The last whole table of a router, reduced to the sessions that another router may have too. */
interface Table {
  at: number;
  /** Addresses that sources are translated to. */
  outers: ReadonlySet<string>;
  /** Addresses of sources. */
  inners: ReadonlySet<string>;
  /** Sessions that are translated to a source of another router, by what they are translated to. */
  outward: ByTuple;
  /** Sessions whose source is what another router translates to, by their source. */
  inward: ByTuple;
}

const turnEvery = 2000;

export function createSeries(togetherMs: number) {
  const tables = new Map<string, Table>();
  const pairs = new Map<string, Pair>();
  const getPair = (inner: string, outer: string): Pair => {
    const name = `${inner} ${outer}`;
    const pair = pairs.get(name) ?? { isProven: false, stored: new Map() };
    pairs.set(name, pair);
    return pair;
  };
  return {
    /**
     * Takes the sessions of a whole table of a router, here at `at`, and compares it with the last one of each other router.
     * Tables that are further apart than `togetherMs` are not compared: ports are given to other sessions in time.
     */
    async read(routerId: string, sessions: readonly Session[], at: number) {
      const table = await toTable(
        sessions,
        at,
        [...tables].flatMap(([id, other]) => (id === routerId ? [] : [other])),
      );
      tables.set(routerId, table);
      const found: { pair: Pair; links: Map<string, FlowLink> }[] = [];
      for (const [otherId, other] of [...tables]) {
        if (otherId !== routerId && Math.abs(at - other.at) <= togetherMs) {
          const here = { routerId, table };
          const there = { routerId: otherId, table: other };
          const outwards = getPair(routerId, otherId);
          const inwards = getPair(otherId, routerId);
          const outer = await findLinks(here, there, outwards);
          const inner = await findLinks(there, here, inwards);
          found.push({ pair: outwards, links: outer }, { pair: inwards, links: inner });
        }
      }
      const due = found.flatMap(({ pair, links }) => [...links].filter(([flow, link]) => isDue(pair, flow, link, at)));
      return {
        translated: { routerId, addresses: [...table.outers], links: due.map(([, link]) => link), at },
        stored() {
          for (const { pair, links } of found) {
            pair.stored = new Map([...links].map(([flow, link]) => [flow, toStored(pair, flow, link, at)]));
          }
        },
      };
    },
    /** Drops the table of a router that was removed or replaced. */
    forget(routerId: string) {
      tables.delete(routerId);
      for (const name of [...pairs.keys()].filter((one) => one.split(' ').includes(routerId))) {
        pairs.delete(name);
      }
    },
  };
}

/** Two routers of which the first may be behind the second. */
interface Pair {
  /** The first is behind the second: more sessions matched than could by chance. */
  isProven: boolean;
  /** The source that the outer router shows of a flow of the inner one, and when that was stored. */
  stored: ReadonlyMap<string, Stored>;
}

interface Stored {
  src: string;
  at: number;
}

function isDue({ stored }: Pair, flow: string, { outer }: FlowLink, at: number): boolean {
  const before = stored.get(flow);
  return before === undefined || before.src !== outer.src || Math.abs(at - before.at) >= hourMs;
}

function toStored(pair: Pair, flow: string, link: FlowLink, at: number): Stored {
  const before = pair.stored.get(flow);
  return before === undefined || isDue(pair, flow, link, at) ? { src: link.outer.src, at } : before;
}

async function toTable(sessions: readonly Session[], at: number, others: readonly Table[]): Promise<Table> {
  const outers = new Set<string>();
  const inners = new Set<string>();
  const outward = new Map<string, Session>();
  const inward = new Map<string, Session>();
  const isInner = (address: string) => others.some((other) => other.inners.has(address));
  const isOuter = (address: string) => others.some((other) => other.outers.has(address));
  for (const [index, session] of sessions.entries()) {
    if (index % turnEvery === turnEvery - 1) {
      await yieldToEventLoop();
    }
    const { src, sport, outerAddress, outerPort } = session;
    inners.add(src);
    if (outerAddress !== null) {
      outers.add(outerAddress);
      if (isInner(outerAddress)) {
        outward.set(tupleKey(session, outerAddress, outerPort), session);
      }
    }
    if (isOuter(src)) {
      inward.set(tupleKey(session, src, sport), session);
    }
  }
  return { at, outers, inners, outward, inward };
}

/** A key that the same session has in the tables of both routers. */
function tupleKey(session: Session, address: string, port: number | null): string {
  return `${targetKey(session, address)} ${port ?? ''}`;
}

function targetKey({ proto, dst, dport }: Session, address: string): string {
  return `${proto} ${address} ${dst} ${dport}`;
}

interface NamedTable {
  routerId: string;
  table: Table;
}

/** One link for each flow of `inner` that `outer` shows too; no link while the matches may be chance. */
async function findLinks(inner: NamedTable, outer: NamedTable, pair: Pair): Promise<Map<string, FlowLink>> {
  const links = new Map<string, FlowLink>();
  const { outward } = inner.table;
  const { inward } = outer.table;
  if (outward.size === 0 || inward.size === 0) {
    return links;
  }
  const chance = pair.isProven ? null : await createChance(inward);
  for (const [tuple, session] of outward) {
    const beyond = inward.get(tuple);
    chance?.add(session, beyond !== undefined);
    if (beyond) {
      const { src, dst, dport, proto } = session;
      links.set(`${proto} ${src} ${dst} ${dport}`, {
        inner: { src, dst, dport, proto },
        innerRouter: inner.routerId,
        outer: { src: beyond.src, dst, dport, proto },
        outerRouter: outer.routerId,
        sport: session.sport,
        port: session.outerPort,
        beyondAddress: beyond.outerAddress,
        beyondPort: beyond.outerPort,
      });
      if (links.size % turnEvery === 0) {
        await yieldToEventLoop();
      }
    }
  }
  pair.isProven ||= chance?.isExcluded() ?? false;
  return pair.isProven ? links : new Map();
}

/** Counts how many sessions match, and how many would by chance, among those with ports. */
async function createChance(inward: ByTuple) {
  const sameTarget = new Map<string, number>();
  let [rows, matches, expected] = [0, 0, 0];
  for (const session of inward.values()) {
    const target = targetKey(session, session.src);
    sameTarget.set(target, (sameTarget.get(target) ?? 0) + 1);
    rows += 1;
    if (rows % turnEvery === 0) {
      await yieldToEventLoop();
    }
  }
  return {
    add(session: Session, isMatch: boolean): void {
      const { proto, outerAddress } = session;
      // Many machines use the same query ids of ICMP: they prove nothing.
      if (hasPorts(proto) && outerAddress !== null) {
        expected += byChance(sameTarget.get(targetKey(session, outerAddress)) ?? 0);
        matches += isMatch ? 1 : 0;
      }
    },
    isExcluded: () => matches > 0 && !mayBeChance(matches, expected),
  };
}
