// NAT timers of the two vendors and which of them runs for an entry.
import type { NatEntry, RouterKind } from '../model.ts';

/** Seconds without a packet after which an entry of each class is removed. */
export interface Timers {
  tcp: number;
  udp: number;
  icmp: number;
  dns: number;
  closing: number;
  /** GRE, ESP and whatever else has no ports. */
  other: number;
}

export const defaultTimers: Readonly<Record<RouterKind, Timers>> = {
  vendor_a: { tcp: 900, udp: 900, icmp: 900, dns: 10, closing: 60, other: 900 },
  vendor_b: { tcp: 86_400, udp: 300, icmp: 60, dns: 60, closing: 60, other: 86_400 },
};

/** Seconds of the timer in force for an entry; 0 for a static mapping, which never ages. */
export function getTimeout(timers: Timers, entry: Pick<NatEntry, 'proto' | 'dport' | 'closing' | 'fixed'>): number {
  if (entry.fixed) {
    return 0;
  }
  if (entry.closing) {
    return timers.closing;
  }
  if (entry.proto === 'udp') {
    return entry.dport === 53 ? timers.dns : timers.udp;
  }
  return entry.proto === 'tcp' ? timers.tcp : entry.proto === 'icmp' ? timers.icmp : timers.other;
}
