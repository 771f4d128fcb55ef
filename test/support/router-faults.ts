// What the tests of router faults share: a router whose table comes in one piece, and which faults are shown where.
import { type RouterFault, routerFaults } from '#simulators/router/faults.ts';
import type { RouterKind } from '#simulators/router/model.ts';
import type { RouterSimulator } from '#simulators/router/router.ts';
import { type RouterOptions, startRouter } from '#simulators/router/start.ts';

/** The faults of a router that means harm or is broken beyond its protocol; hostile-faults.test.ts shows each. */
export const hostileFaults = [
  'secret-shown',
  'dribble',
  'endless',
  'endless-line',
  'endless-banner',
] as const satisfies readonly RouterFault[];

/** All other faults; faults.test.ts shows each. */
export const otherFaults = Object.keys(routerFaults).filter((name) => !hostileFaults.some((one) => one === name));

export const kinds = ['vendor_a', 'vendor_b'] as const satisfies readonly RouterKind[];

/** The command that reads the NAT table. */
export const table: Readonly<Record<RouterKind, string>> = {
  vendor_a: 'show nat descriptor address 1000 detail',
  vendor_b: 'show ip nat translations',
};

/** The rows of standing sessions in an output. */
export const rows = (text: string) => text.split('\r\n').filter((line) => /198\.18\./.test(line));

/** A router in English; vendor_a has no pager, vendor_b lands on `#`. */
export function startUnpaged(kind: RouterKind, extra: Partial<RouterOptions> = {}): Promise<RouterSimulator> {
  return startRouter(kind, {
    credentials: { privileged: kind === 'vendor_b' },
    settings: { lines: 'infinity', columns: 200, ...(kind === 'vendor_a' ? { character: 'en.ascii' } : {}) },
    ...extra,
  });
}
