// Devices and destinations whose first flow ever began in a window.
import type { NewNodes } from '#contract/connection-reports.ts';
import { limits } from '#contract/limits.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';

export interface NewNodesParams {
  from: number | undefined;
  to: number | undefined;
  now: number;
}

const sourceColumns =
  'address AS src, mac AS srcMac, vendor AS srcVendor, dns_name AS srcDnsName, mdns_name AS srcMdnsName';
const destinationColumns = 'address AS dst, host AS dstHost, country, org';

export function findNewNodes(reader: Reader, { from, to, now }: NewNodesParams): NewNodes {
  const bounds = [from ?? 0, to ?? Number.MAX_SAFE_INTEGER];
  const inWindow = (table: 'source' | 'destination') => `FROM ${table} WHERE first_seen BETWEEN ? AND ?`;
  const count = (table: 'source' | 'destination') => {
    const row = reader.prepare(`SELECT count(*) AS nodes ${inWindow(table)}`).get(...bounds) as { nodes: number };
    return row.nodes;
  };
  const newest = (table: 'source' | 'destination', columns: string) =>
    reader
      .prepare(
        `SELECT ${columns}, first_seen AS firstSeen ${inWindow(table)} ORDER BY first_seen DESC, address LIMIT ?`,
      )
      .all(...bounds, limits.newNodes);
  return {
    deviceCount: count('source'),
    destinationCount: count('destination'),
    newDevices: newest('source', sourceColumns) as NewNodes['newDevices'],
    newDestinations: newest('destination', destinationColumns) as NewNodes['newDestinations'],
    serverTime: now,
  };
}
