// The shortest time that a NAT entry stays in the table, by the factory timers of the routers.
import type { RouterKind } from '#contract/routers.ts';

/** Shortest time from the first packet of a service's entry to the end of the entry, milliseconds. */
export type LeastLife = (proto: string, dport: number) => number;

/** TCP after FIN or RST, for both kinds. vendor_a: DNS after its answer; everything else has the NAT timer. */
const closedMs = 60_000;
const dnsVendorAMs = 10_000;
const natTimerVendorAMs = 900_000;

/** vendor_b: UDP other than DNS, and protocols without ports. */
const udpVendorBMs = 300_000;
const otherVendorBMs = 86_400_000;

/** The shortest of all timers of vendor_b, which is the only kind with tables without times. */
export const shortestPlainMs = closedMs;

/** `natTimerSec` is the configured NAT timer of vendor_a; null or undefined when unknown: then the factory timer counts. */
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
