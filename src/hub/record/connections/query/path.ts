// The path of a connection over the routers that showed it, as the API shows it.
import type { Connection } from '#contract/model.ts';
import type { ConnectionPath, DoubleNat, Hop } from '#contract/path.ts';
import { isLocalIp } from '#kernel/net/address.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { chainOf, type Stage } from './chain.ts';
import { createLinks, type Links } from './links.ts';

export interface Paths {
  of(flow: number, connection: PathOf): ConnectionPath;
}

type PathOf = Pick<Connection, 'src' | 'sport' | 'dst' | 'dport' | 'proto' | 'lastSeen' | 'observedBy'>;

/** `reader` is of one snapshot: what is the same for all connections is read once. */
export function createPaths(reader: Pick<Reader, 'prepare'>): Paths {
  const links = createLinks(reader);
  const names = new Map(
    reader.prepare("SELECT key, name FROM coverage_subject WHERE kind = 'router'").raw().all() as [string, string][],
  );
  return {
    of(flow, connection) {
      const { src, observedBy } = connection;
      if (observedBy.length === 0) {
        return { ...pathOf('none', [], null), doubleNat: 'unknown', message: 'no router showed this connection' };
      }
      const named = (hops: Omit<Hop, 'name'>[]) =>
        hops.map((hop) => ({ ...hop, name: names.get(hop.routerId) ?? null }));
      const stages = chainOf(links, { flow, src, observedBy });
      if (stages === null) {
        const hops = named(observedBy.map((routerId) => aloneAt(routerId, links, connection, null)));
        const doubleNat = natOf(hops, false);
        return { ...pathOf('unknown', hops, null), doubleNat, message: messageOf('unknown', doubleNat, hops) };
      }
      const state = stages.length > 1 ? 'ordered' : 'single';
      const hops = named(
        state === 'single'
          ? [aloneAt(observedBy[0] ?? '', links, connection, connection.sport)]
          : hopsOf(stages, links, connection),
      );
      const seen = stages.flatMap(({ onward }) => (onward ? [onward.seenAt] : []));
      const doubleNat = natOf(hops, state === 'ordered');
      const seenAt = seen.length === 0 ? null : Math.min(...seen);
      return { ...pathOf(state, hops, seenAt), doubleNat, message: messageOf(state, doubleNat, hops) };
    },
  };
}

function pathOf(state: ConnectionPath['state'], hops: Hop[], seenAt: number | null) {
  return { state, hops, seenAt };
}

function idOf({ dst, dport, proto }: PathOf, src: string): string {
  return [src, dst, dport, proto].join();
}

function aloneAt(routerId: string, links: Links, connection: PathOf, port: number | null): Omit<Hop, 'name'> {
  const { src, lastSeen } = connection;
  const address = links.addressOf(routerId, lastSeen);
  return {
    ...{ routerId, position: null, connections: [idOf(connection, src)], connectionsTotal: 1 },
    inside: { address: src, port },
    outside: address === null ? null : { address, port: null },
  };
}

function hopsOf(stages: readonly Stage[], links: Links, connection: PathOf): Omit<Hop, 'name'>[] {
  // Behind a translation there are sessions of several connections: no port is that of all.
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
      connections: flows.map(({ src }) => idOf(connection, src)),
      connectionsTotal: flowsTotal,
      inside: inner === null ? null : { address: inner, port: isAlone ? sport : null },
      outside,
    };
  });
}

/** `isOrdered`: each hop gets what the one before translates to. */
function natOf(hops: readonly Omit<Hop, 'name'>[], isOrdered: boolean): DoubleNat {
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

function messageOf(state: ConnectionPath['state'], doubleNat: DoubleNat, hops: readonly Hop[]): string {
  const nameOf = ({ name, routerId }: Hop) => name ?? routerId;
  if (state === 'unknown') {
    const routers = hops.map(nameOf).join(' and ');
    return `${routers} show it, and their tables do not say in which order: either may be the way of a part of its sessions`;
  }
  const steps = hops.map((hop) => {
    const from = hop.inside?.address ?? `${hop.connectionsTotal} connections`;
    return hop.outside === null
      ? `${nameOf(hop)} does not show what it translates ${from} to`
      : hop.outside.address === hop.inside?.address
        ? `${nameOf(hop)} leaves ${from} as it is`
        : `${nameOf(hop)} translates ${from} to ${hop.outside.address}`;
  });
  const nat = {
    seen: ': double NAT',
    likely: ', which is no public address: something beyond translates it again, and is not read by this hub',
    no: '',
    unknown: '',
  }[doubleNat];
  return `${steps.join(', then ')}${nat}`;
}
