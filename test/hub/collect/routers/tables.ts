// Tables for tests: what a reader makes of lines, and sessions of which a test names the fields that matter.
import type { RouterKind, Session } from '#hub/collect/routers/driver.ts';
import { createNatDetailReader } from '#hub/collect/routers/vendor-a/nat.ts';
import { createTranslationReader } from '#hub/collect/routers/vendor-b/nat.ts';
import { captureClock } from './captures.ts';

/** Noon of the day of the captures, as the clock of a vendor_b router. */
export const noon = Date.UTC(2026, 2, 1, 12);

export function readTable(kind: RouterKind, lines: readonly string[]) {
  const now = captureClock();
  const reader =
    kind === 'vendor_a' ? createNatDetailReader({ now }) : createTranslationReader({ now, routerNow: () => noon });
  for (const line of lines) {
    reader.push(line);
  }
  return reader.end({ cut: false, noisy: 0 });
}

/** A TCP session without any time, printed at the beginning of time. */
export const sessionWith = (more: Partial<Session> = {}): Session => ({
  ...{ proto: 'TCP', src: '192.168.100.2', sport: 50_000, dst: '203.0.113.80', dport: 443, vrf: null },
  ...{ outerAddress: null, outerPort: null, ttl: null, ageSec: null, idleSec: null },
  ...{ printedFrom: 0, printedTo: 0, ...more },
});
