// The path of a connection over the routers that showed it, as the API shows it.
import type { Connection } from '#contract/model.ts';
import type { ConnectionPath, DoubleNat, Hop } from '#contract/path.ts';
import { isLocalIp } from '#kernel/net/address.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { orderStages, type Stage } from './chain.ts';
import { createLinks, type Links } from './links.ts';

export interface Paths {
  find(flow: number, connection: PathSubject): ConnectionPath;
  /** Returns what an export says of the path; the same object for rows that differ only in their ends. */
  findRoute(flow: number, connection: PathSubject): Route;
}

export interface Route {
  /** Routers from the inside to the outside; empty when the order is not known. */
  path: readonly string[];
  pathState: ConnectionPath['state'];
  doubleNat: DoubleNat;
}

type PathSubject = Pick<Connection, 'src' | 'sport' | 'dst' | 'dport' | 'proto' | 'lastSeen' | 'observedBy'>;

/** `reader` is of one snapshot: what is the same for all connections is read once. */
export function createPaths(reader: Pick<Reader, 'prepare'>): Paths {
  const links = createLinks(reader);
  const names = new Map(
    reader.prepare("SELECT key, name FROM coverage_subject WHERE kind = 'router'").raw().all() as [string, string][],
  );
  const find = (flow: number, connection: PathSubject): ConnectionPath => {
    const { src, observedBy } = connection;
    if (observedBy.length === 0) {
      return {
        state: 'none',
        hops: [],
        seenAt: null,
        doubleNat: 'unknown',
        message: 'no router showed this connection',
      };
    }
    const named = (hops: Omit<Hop, 'name'>[]) => hops.map((hop) => ({ ...hop, name: names.get(hop.routerId) ?? null }));
    const stages = orderStages(links, { flow, src, observedBy });
    if (stages === null) {
      return toPath(
        'unknown',
        named(observedBy.map((routerId) => toSingleHop(routerId, links, connection, null))),
        null,
      );
    }
    const state = stages.length > 1 ? 'ordered' : 'single';
    const hops = named(
      state === 'single'
        ? [toSingleHop(observedBy[0] ?? '', links, connection, connection.sport)]
        : toHops(stages, links, connection),
    );
    const seen = stages.flatMap(({ onward }) => (onward ? [onward.seenAt] : []));
    return toPath(state, hops, seen.length === 0 ? null : Math.min(...seen));
  };
  const shared = new Map<string, Route>();
  return {
    find,
    findRoute(flow, connection) {
      if (links.has(flow)) {
        return toRoute(find(flow, connection));
      }
      // Without links, a path depends on nothing but the routers and what they translated to.
      const { observedBy, lastSeen } = connection;
      const key = observedBy.map((routerId) => `${routerId} ${links.addressOf(routerId, lastSeen)}`).join();
      const route = shared.get(key) ?? toRoute(find(flow, connection));
      shared.set(key, route);
      return route;
    },
  };
}

function toRoute({ state, hops, doubleNat }: ConnectionPath): Route {
  return { path: state === 'unknown' ? [] : hops.map(({ routerId }) => routerId), pathState: state, doubleNat };
}

function toPath(state: ConnectionPath['state'], hops: Hop[], seenAt: number | null): ConnectionPath {
  const doubleNat = judgeDoubleNat(hops, state === 'ordered');
  return { state, hops, seenAt, doubleNat, message: describePath(state, doubleNat, hops) };
}

function formatId({ dst, dport, proto }: PathSubject, src: string): string {
  return [src, dst, dport, proto].join();
}

function toSingleHop(routerId: string, links: Links, connection: PathSubject, port: number | null): Omit<Hop, 'name'> {
  const { src, lastSeen } = connection;
  const address = links.addressOf(routerId, lastSeen);
  return {
    routerId,
    position: null,
    connections: [formatId(connection, src)],
    connectionsTotal: 1,
    inside: { address: src, port },
    outside: address === null ? null : { address, port: null },
  };
}

function toHops(stages: readonly Stage[], links: Links, connection: PathSubject): Omit<Hop, 'name'>[] {
  // Behind a translation there are sessions of several connections, which do not share a port.
  const isOne = (stage: Stage | undefined) => stage?.flowsTotal === 1;
  const isAlone = stages.every(isOne);
  return stages.map((stage, index) => {
    const { routerId, flows, flowsTotal, onward } = stage;
    const before = stages[index - 1]?.onward ?? null;
    const [first] = flows;
    const inner = first !== undefined && flows.every(({ src }) => src === first.src) ? first.src : null;
    const sport = onward ? onward.sport : (before?.port ?? null);
    const beyond = before?.beyondAddress ?? links.addressOf(routerId, connection.lastSeen);
    const outside = onward
      ? { address: onward.outerSrc, port: isAlone ? onward.port : null }
      : beyond === null
        ? null
        : { address: beyond, port: isAlone ? (before?.beyondPort ?? null) : null };
    return {
      routerId,
      position: index === 0 ? 'inside' : index === stages.length - 1 ? 'outside' : 'between',
      connections: flows.map(({ src }) => formatId(connection, src)),
      connectionsTotal: flowsTotal,
      inside: inner === null ? null : { address: inner, port: isAlone ? sport : null },
      outside,
    };
  });
}

/** `isOrdered`: each hop receives what the one before translates to. */
function judgeDoubleNat(hops: readonly Omit<Hop, 'name'>[], isOrdered: boolean): DoubleNat {
  const translating = hops.filter(({ inside, outside }) => outside !== null && outside.address !== inside?.address);
  if (isOrdered && translating.length > 1) {
    return 'seen';
  }
  const last = isOrdered ? hops.slice(-1) : hops;
  const outer = last.map(({ outside }) => outside?.address ?? null);
  if (outer.length === 0 || outer.includes(null)) {
    return 'unknown';
  }
  const local = outer.filter((address) => address !== null && isLocalIp(address)).length;
  return local === outer.length ? 'likely' : local === 0 ? 'no' : 'unknown';
}

function describePath(state: ConnectionPath['state'], doubleNat: DoubleNat, hops: readonly Hop[]): string {
  const formatName = ({ name, routerId }: Hop) => name ?? routerId;
  if (state === 'unknown') {
    const routers = hops.map(formatName).join(' and ');
    return `${routers} show it; their tables do not say in which order, so each may carry a part of its sessions`;
  }
  const steps = hops.map((hop) => {
    const from = hop.inside?.address ?? `${hop.connectionsTotal} connections`;
    return hop.outside === null
      ? `${formatName(hop)} does not show what it translates ${from} to`
      : hop.outside.address === hop.inside?.address
        ? `${formatName(hop)} does not translate ${from}`
        : `${formatName(hop)} translates ${from} to ${hop.outside.address}`;
  });
  const nat = {
    seen: ': double NAT',
    likely: ', which is not a public address: another device, which this hub does not read, translates it again',
    no: '',
    unknown: '',
  }[doubleNat];
  return `${steps.join(', then ')}${nat}`;
}
