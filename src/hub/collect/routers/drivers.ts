// The one table that names the drivers.
import { discreet } from './discreet.ts';
import type { RouterDriver, RouterKind } from './driver.ts';
import { vendorA } from './vendor-a.ts';
import { vendorB } from './vendor-b.ts';

const drivers = { vendor_a: discreet(vendorA), vendor_b: discreet(vendorB) } as const satisfies Record<
  RouterKind,
  RouterDriver
>;

/** What it returns and throws holds no secret of the router. */
export function driverOf(kind: RouterKind): RouterDriver {
  return drivers[kind];
}
