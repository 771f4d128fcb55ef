// The command language of each kind of router, with the commands that a user adds.
import type { RouterKind } from './model.ts';
import type { OwnCommand } from './own-commands.ts';
import type { Vendor } from './vendor.ts';
import { createVendorA } from './vendor-a.ts';
import { createVendorB } from './vendor-b.ts';

export const vendors: Record<RouterKind, (own: readonly OwnCommand[]) => Vendor> = {
  vendor_a: createVendorA,
  vendor_b: createVendorB,
};
