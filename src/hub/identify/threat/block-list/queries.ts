// The addresses of the own network that no rule about private ranges protects.
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { parseListedIp } from '../address.ts';

export const blockListQueries = {
  /** Public addresses of devices: mostly those of IPv6. */
  publicDevices: (reader: Reader): string[] =>
    (reader.prepare('SELECT address FROM source').pluck().all() as string[]).filter(
      (address) => parseListedIp(address) !== null,
    ),
};

export type BlockListQueries = typeof blockListQueries;
