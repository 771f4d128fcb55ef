// The connections of a device, counted over its addresses.
import { ask, type Reply } from '../api/client.ts';
import { mostValues } from './names.ts';

export type Traffic = Reply<'GET /api/connections/summary'>;

/** Returns the addresses that are counted: the latest ones, as many as the API takes. */
export const countedAddresses = (addresses: readonly string[]) => addresses.slice(0, mostValues);

/** `from` and `to` in epoch milliseconds, both included. */
export interface Window {
  from: number;
  to: number;
  buckets: number;
}

/** `addresses` is not empty: without an address the API counts the connections of all devices. */
export function loadTraffic(
  addresses: readonly string[],
  { from, to, buckets }: Window,
  stop: AbortSignal,
): Promise<Traffic> {
  const query = { from: String(from), to: String(to), buckets: String(buckets), src: addresses };
  return ask('GET /api/connections/summary', { query }, stop);
}
