// The one table that names the drivers.
import type { RouterDriver, RouterKind } from './driver.ts';
import { redactDriver } from './redact-driver.ts';
import { vendorA } from './vendor-a.ts';
import { vendorB } from './vendor-b.ts';

const drivers: Readonly<Record<RouterKind, RouterDriver>> = {
  vendor_a: redactDriver(vendorA),
  vendor_b: redactDriver(vendorB),
};

/** What it returns and throws holds no secret of the router. */
export function getDriver(kind: RouterKind): RouterDriver {
  return drivers[kind];
}
