// The one switch that names the drivers.
import type { RouterDriver, RouterKind } from './driver.ts';
import { vendorA } from './vendor-a.ts';
import { vendorB } from './vendor-b.ts';

export function driverOf(kind: RouterKind): RouterDriver {
  switch (kind) {
    case 'vendor_a':
      return vendorA;
    case 'vendor_b':
      return vendorB;
  }
}
