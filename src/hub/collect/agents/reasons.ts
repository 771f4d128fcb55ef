// Chooses the likeliest reason why the Agent or the router did not see a session that the other one saw.
import type { agentOnlyReasons, routerOnlyReasons } from '#contract/agent-reconciliation.ts';
import { lowerBound } from '#kernel/columns/sorted-search.ts';
import { isLocalIp } from '#kernel/net/address.ts';
import { minuteMs } from '#kernel/time/time.ts';
import type { Session, Unmatched } from './reconcile.ts';

export type RouterOnlyReason = (typeof routerOnlyReasons)[number];
export type AgentOnlyReason = (typeof agentOnlyReasons)[number];

/** What is known of the Agent in the range. */
export interface AgentSide {
  /** When batches came, ascending. */
  deliveries: Float64Array;
  /** The kernel reported connections by events: short ones are not missed. */
  hasEvents: boolean;
  skewMs: number | null;
  now: number;
}

/** What is known of the routers in the range. */
export interface RouterSide {
  /** Source address → when routers showed sessions of it, ascending. */
  sightings: ReadonlyMap<string, Float64Array>;
  pollMs: number;
  skewMs: number | null;
  now: number;
}

/** An Agent delivers what it saw within this time. */
const deliveryMs = 5 * minuteMs;
/** A pause of all sessions of a machine beyond which its router is taken for silent. */
const silenceMs = 30 * minuteMs;
const skewMs = 90_000;

export function routerOnlyReason({ session, isElsewhere }: Unmatched<Session>, agent: AgentSide): RouterOnlyReason {
  const { proto, firstSeen, lastSeen } = session;
  if (isElsewhere && Math.abs(agent.skewMs ?? 0) > skewMs) {
    return 'clock_skew';
  }
  if (!hasBetween(agent.deliveries, lastSeen, Number.POSITIVE_INFINITY) && agent.now - lastSeen < deliveryMs) {
    return 'not_yet_delivered';
  }
  if (!hasBetween(agent.deliveries, firstSeen - deliveryMs, lastSeen + deliveryMs)) {
    return 'agent_silent';
  }
  if (proto !== 'TCP' && proto !== 'UDP') {
    return 'protocol_not_observed';
  }
  if (proto === 'UDP') {
    return 'unconnected_udp';
  }
  return agent.hasEvents ? 'other_namespace' : 'shorter_than_interval';
}

export function agentOnlyReason({ session, isElsewhere }: Unmatched<Session>, routers: RouterSide): AgentOnlyReason {
  const { src, dst, firstSeen, lastSeen } = session;
  if (isElsewhere && Math.abs(routers.skewMs ?? 0) > skewMs) {
    return 'clock_skew';
  }
  if (isLocalIp(dst)) {
    return 'local_destination';
  }
  if (dst.includes(':')) {
    return 'ipv6_not_translated';
  }
  if (routers.now - lastSeen < 2 * routers.pollMs) {
    return 'not_yet_polled';
  }
  const sightings = routers.sightings.get(src);
  if (sightings === undefined) {
    return 'no_router_of_this_address';
  }
  return hasBetween(sightings, firstSeen - silenceMs, lastSeen + silenceMs) ? 'shorter_than_poll' : 'router_silent';
}

function hasBetween(ascending: Float64Array, from: number, to: number): boolean {
  const next = ascending[lowerBound(ascending, from)];
  return next !== undefined && next <= to;
}

/** Hints only: no text may claim that a device or a program is at fault. */
export const routerOnlyExplanations: Readonly<Record<RouterOnlyReason, string>> = {
  clock_skew: 'The Agent reported the same ports at another time: its clock differs from that of the hub.',
  agent_silent: 'The Agent delivered nothing around this time: it was stopped, offline, or not installed yet.',
  not_yet_delivered: 'The Agent has not delivered since; it may still be on its way.',
  protocol_not_observed: 'Agents observe TCP and UDP; this protocol they do not see.',
  unconnected_udp:
    'A program that sends UDP without connecting, as most DNS clients do, shows its destination to no socket table.',
  shorter_than_interval:
    'The Agent looks at intervals and gets no events of the kernel: a connection that is shorter is missed.',
  other_namespace:
    'It may come from a container, a virtual machine or another network namespace of this machine, or be forwarded for another device.',
};

export const agentOnlyExplanations: Readonly<Record<AgentOnlyReason, string>> = {
  clock_skew: 'A router saw the same ports at another time: the clock of the Agent differs from that of the hub.',
  local_destination: 'The destination is on the local network or the machine itself: it does not pass a router.',
  no_router_of_this_address:
    'No router that this hub reads has shown this address: it may be behind another router, a VPN or a mobile network.',
  ipv6_not_translated: 'IPv6 is routed without translation: tables of translated sessions do not show it.',
  not_yet_polled: 'It is so recent that the routers may not have been read since.',
  router_silent: 'No router showed a session of this address around this time: it was not read, or could not be.',
  shorter_than_poll: 'It may have begun and ended between two reads of the router.',
};
