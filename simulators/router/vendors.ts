// The command language of each kind of router.
import type { RouterKind } from './model.ts';
import type { Vendor } from './vendor.ts';
import { vendorA } from './vendor-a.ts';
import { vendorB } from './vendor-b.ts';

export const vendors: Record<RouterKind, Vendor> = { vendor_a: vendorA, vendor_b: vendorB };
