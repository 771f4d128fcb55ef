// A router that plays a period: its NAT table has the sessions of the period at their times.
import type { PeriodConnection } from '#capture/period.ts';
import type { RouterKind } from '../router/model.ts';
import type { RouterServerOptions } from '../router/router.ts';
import type { HostKind } from '../router/world/hosts.ts';
import { defaultTimers } from '../router/world/timers.ts';
import type { Flow } from '../router/world/traffic.ts';
import { chooseObserver, leads } from './choose-observer.ts';
import { readPeriod } from './read-period.ts';
import { listSightings, otherPort, type Sighting } from './sightings.ts';

/**
 * Returns what a router needs that begins to play at an instant, epoch milliseconds. `name` chooses one of several routers.
 * Throws a UsageError when the file is wrong or has no such router.
 */
export function planPeriodRouter(file: string, kind: RouterKind, name: string | null) {
  const { header, hosts, connections } = readPeriod(file);
  const router = chooseObserver(header.observers, kind, name);
  const own = connections.filter(({ by }) => by.includes(router));
  const shared = {
    sessions: 0,
    traffic: false,
    hosts: hosts.map(
      ({ host, mac, name }): HostKind => ({ name, mac, ipv4: host, apps: [], lease: 'dynamic', client: 'plain' }),
    ),
  } satisfies Partial<RouterServerOptions>;
  return (start: number): Partial<RouterServerOptions> => ({
    ...shared,
    flows: own
      .flatMap((connection) => toFlows(connection, kind, start, leads(header.observers, connection.by, router)))
      .sort((one, other) => one.startAt - other.startAt),
  });
}

/** From the start of a session to its sighting packets come so often, which keeps its entry in the table. */
const packetsEveryMs = 10_000;

/** Printed times are whole seconds, so that a packet may seem later than it was by almost as much. */
const roundingMs = 999;

/**
 * The sessions of a connection. Of those that see it together, one leads and shows all sightings; the others show the last
 * one, a little earlier, so that the hub counts it once. vendor_a shows no ages: where a session began before its sighting,
 * it was one of two. vendor_b keeps a TCP session for a day, and its age would hide the start of the next one: it is closed.
 */
function toFlows(connection: PeriodConnection, kind: RouterKind, start: number, isLeader: boolean): Flow[] {
  const sightings = listSightings(connection);
  const final = sightings.pop();
  if (final === undefined) {
    return [];
  }
  const flow = (from: number, to: number, port: number | null, ends: Flow['ends'] = 'silent'): Flow => ({
    proto: connection.proto.toLowerCase() as Flow['proto'],
    src: connection.src,
    sport: port ?? 0,
    dst: connection.dst,
    dport: connection.dport,
    startAt: start + from,
    everyMs: packetsEveryMs,
    endAt: start + to,
    ends,
    burst: { packets: 1, bytesIn: 420, bytesOut: 180 },
  });
  const { at, ends } = findLastPacket(connection, kind, final);
  if (!isLeader) {
    const shown = Math.max(connection.seen[0]?.[0] ?? 0, at - roundingMs);
    return [flow(shown, shown, final.port, ends)];
  }
  const session = (begin: number, sighting: Sighting, last = sighting.at, how?: Flow['ends']): Flow[] =>
    kind === 'vendor_a' && begin < sighting.at
      ? [flow(begin, begin, otherPort(sighting.port, connection.seen.length)), flow(last, last, sighting.port, how)]
      : [flow(Math.min(begin, last), last, sighting.port, how)];
  const earlier = sightings.flatMap((sighting, index) => {
    const isFirst = sightings[index - 1]?.startedAt !== sighting.startedAt;
    const isLast = sightings[index + 1]?.startedAt !== sighting.startedAt;
    const how = kind === 'vendor_b' && connection.proto === 'TCP' && isLast ? 'fin' : 'silent';
    return session(isFirst ? sighting.startedAt : sighting.at, sighting, sighting.at, how);
  });
  return [...earlier, ...session(final.startedAt, final, at, ends)];
}

/**
 * The last packet of the final session. The remaining time tells whether the short timer of a closed or a DNS session ran.
 * vendor_a then shows no idle time, so that the hub took the time of the read for it: the packet came earlier.
 */
function findLastPacket({ proto, dport, ttl }: PeriodConnection, kind: RouterKind, { at }: Sighting) {
  const { closing, dns } = defaultTimers[kind];
  const shortSec = proto === 'TCP' ? closing : proto === 'UDP' && dport === 53 ? dns : 0;
  if (ttl === null || ttl > shortSec) {
    return { at, ends: 'silent' } as const;
  }
  const earlierMs = kind === 'vendor_a' ? (shortSec - ttl) * 1000 : 0;
  return { at: at - earlierMs, ends: proto === 'TCP' ? 'fin' : 'silent' } as const;
}
