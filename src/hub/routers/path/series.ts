// Finds the connections that two routers translate one after the other: the outer one has, as source of a session, what the
// inner one translates a session to.
import { yieldToEventLoop } from '#kernel/clock.ts';
import type { FlowKey, FlowLink, Translated } from '../../connections/store/flow-link.ts';
import type { Session } from '../driver.ts';
import { hasPorts } from '../reader.ts';
import { byChance, mayBeChance } from './chance.ts';

export interface Series {
  /**
   * Takes the sessions of a whole table of a router, here at `at`, and compares it with the last one of each other router.
   * Tables that are further apart than `togetherMs` are not compared: ports are given to other sessions in time.
   */
  read(routerId: string, sessions: readonly Session[], at: number): Promise<Translated>;
  /** Its table is not to be compared any more: the router was removed, or is another one. */
  forget(routerId: string): void;
}

/** A session as one side of it is found, by what both tables say of it. */
type ByTuple = ReadonlyMap<string, Session>;

/** What the last whole table of a router said. Only sessions that another router may have are stored. */
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

export function createSeries(togetherMs: number): Series {
  const tables = new Map<string, Table>();
  /** Pairs of which it was found out that one is behind the other: `inner outer`. */
  const proven = new Set<string>();
  return {
    async read(routerId, sessions, at) {
      const table = await tableOf(
        sessions,
        at,
        [...tables].flatMap(([id, other]) => (id === routerId ? [] : [other])),
      );
      tables.set(routerId, table);
      const links: FlowLink[] = [];
      for (const [otherId, other] of tables) {
        if (otherId !== routerId && Math.abs(at - other.at) <= togetherMs) {
          links.push(...linksOf([routerId, table], [otherId, other], proven));
          links.push(...linksOf([otherId, other], [routerId, table], proven));
        }
      }
      return { routerId, addresses: [...table.outers], links, at };
    },
    forget(routerId) {
      tables.delete(routerId);
      for (const pair of proven) {
        if (pair.split(' ').includes(routerId)) {
          proven.delete(pair);
        }
      }
    },
  };
}

async function tableOf(sessions: readonly Session[], at: number, others: readonly Table[]): Promise<Table> {
  const [outers, inners] = [new Set<string>(), new Set<string>()];
  const [outward, inward] = [new Map<string, Session>(), new Map<string, Session>()];
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
        outward.set(tupleOf(session, outerAddress, outerPort), session);
      }
    }
    if (isOuter(src)) {
      inward.set(tupleOf(session, src, sport), session);
    }
  }
  return { at, outers, inners, outward, inward };
}

/** What is the same in the tables of both routers. */
function tupleOf(session: Session, address: string, port: number | null): string {
  return `${targetOf(session, address)} ${port ?? ''}`;
}

function targetOf({ proto, dst, dport }: Session, address: string): string {
  return `${proto} ${address} ${dst} ${dport}`;
}

type Named = readonly [routerId: string, table: Table];

/** One link for each flow of `inner` that is a flow of `outer`; none while that may be chance. */
function linksOf([innerRouter, inner]: Named, [outerRouter, outer]: Named, proven: Set<string>): FlowLink[] {
  if (inner.outward.size === 0 || outer.inward.size === 0) {
    return [];
  }
  const sameTarget = new Map<string, number>();
  for (const session of outer.inward.values()) {
    const target = targetOf(session, session.src);
    sameTarget.set(target, (sameTarget.get(target) ?? 0) + 1);
  }
  const links = new Map<string, FlowLink>();
  let [matches, expected] = [0, 0];
  for (const [tuple, session] of inner.outward) {
    const { proto, outerAddress, outerPort } = session;
    const beyond = outer.inward.get(tuple);
    // Many machines use the same query ids of ICMP: they prove nothing.
    if (hasPorts(proto) && outerAddress !== null) {
      expected += byChance(sameTarget.get(targetOf(session, outerAddress)) ?? 0);
      matches += beyond ? 1 : 0;
    }
    if (beyond) {
      const flow = keyOf(session);
      links.set(`${flow.proto} ${flow.src} ${flow.dst} ${flow.dport}`, {
        ...{ inner: flow, innerRouter, outer: keyOf(beyond), outerRouter },
        ...{ sport: session.sport, port: outerPort },
        ...{ beyondAddress: beyond.outerAddress, beyondPort: beyond.outerPort },
      });
    }
  }
  const pair = `${innerRouter} ${outerRouter}`;
  if (!proven.has(pair)) {
    if (matches === 0 || mayBeChance(matches, expected)) {
      return [];
    }
    proven.add(pair);
  }
  return [...links.values()];
}

function keyOf({ src, dst, dport, proto }: Session): FlowKey {
  return { src, dst, dport, proto };
}
