// The vendor of a network card by its MAC: the longest registered prefix wins (MA-S 36 bits, MA-M 28, MA-L 24).
import { lowerBound } from '#kernel/columns/sorted-search.ts';
import type { TextColumn } from './text-column.ts';

/** Shown instead of a vendor for a locally administered address (IEEE 802c: the U/L bit is set). */
export const privateMacVendor = 'private address';

/** Prefixes of one length, ascending, each with the number of its vendor. */
export interface PrefixTable {
  prefixes: Float64Array | Uint32Array;
  vendors: Uint32Array;
}

export type MacVendors = ReturnType<typeof createMacVendors>;

export function createMacVendors(
  tables: { large: PrefixTable; medium: PrefixTable; small: PrefixTable },
  names: TextColumn,
) {
  const byLength = [
    { bits: 36, ...tables.small },
    { bits: 28, ...tables.medium },
    { bits: 24, ...tables.large },
  ];
  return {
    /** `mac` is in lower-case colon form. A name, `private address`, or `null` when nobody registered the prefix. */
    findVendor(mac: string) {
      if (isPrivateMac(mac)) {
        return privateMacVendor;
      }
      const value = Number.parseInt(mac.replaceAll(':', ''), 16);
      for (const { bits, prefixes, vendors } of byLength) {
        const prefix = Math.floor(value / 2 ** (48 - bits));
        const found = lowerBound(prefixes, prefix);
        if (prefixes[found] === prefix) {
          return names.text(vendors[found] ?? 0);
        }
      }
      return null;
    },
  };
}

/** Whether the U/L bit is set: the address has no registered vendor. `mac` is in lower-case colon form. */
export function isPrivateMac(mac: string): boolean {
  return /^[0-9a-f][2367abef]:/.test(mac);
}
