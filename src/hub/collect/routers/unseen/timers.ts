// How long a NAT entry stays at least, by the timers with which the routers are delivered.
import type { RouterKind } from '#contract/routers.ts';

/** Least life of an entry of a service from its first packet to its end, milliseconds. */
export type LeastLife = (proto: string, dport: number) => number;

/** TCP after FIN or RST, and DNS after the answer of vendor_a; everything else of it has the NAT timer. */
const closedMs = 60_000;
const dnsVendorAMs = 10_000;
const natTimerVendorAMs = 900_000;

/** vendor_b: UDP that is not DNS, and what has no ports. */
const udpVendorBMs = 300_000;
const otherVendorBMs = 86_400_000;

/** No entry of any service of vendor_b stays shorter: the only kind that has tables without times. */
export const shortestPlainMs = closedMs;

/** `natTimerSec` is the NAT timer of vendor_a as it is configured; null or undefined: not known, so as delivered. */
export function findLeastLife(kind: RouterKind, natTimerSec: number | null | undefined): LeastLife {
  return kind === 'vendor_a' ? vendorA((natTimerSec ?? natTimerVendorAMs / 1000) * 1000) : vendorB;
}

function vendorA(timerMs: number): LeastLife {
  return (proto, dport) => Math.min(timerMs, proto === 'TCP' ? closedMs : isDns(proto, dport) ? dnsVendorAMs : timerMs);
}

function vendorB(proto: string, dport: number): number {
  if (proto === 'UDP') {
    return isDns(proto, dport) ? closedMs : udpVendorBMs;
  }
  return proto === 'TCP' || proto === 'ICMP' ? closedMs : otherVendorBMs;
}

export function isDns(proto: string, dport: number): boolean {
  return proto === 'UDP' && dport === 53;
}
