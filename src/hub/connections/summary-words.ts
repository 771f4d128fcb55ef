// The dictionaries as the summary needs them: whole, by id.
import type { Reader } from '#kernel/sqlite.ts';

export interface SourceRow {
  id: number;
  src: string;
  srcMac: string | null;
  srcVendor: string | null;
  srcDnsName: string | null;
  srcMdnsName: string | null;
}

export interface DestinationRow {
  id: number;
  dst: string;
  host: string | null;
  country: string | null;
  org: string | null;
  lat: number | null;
  lon: number | null;
  city: string | null;
}

export function readSources(reader: Reader): ReadonlyMap<number, SourceRow> {
  const rows = reader
    .prepare(
      `SELECT id, address AS src, mac AS srcMac, vendor AS srcVendor, dns_name AS srcDnsName,
           mdns_name AS srcMdnsName FROM source`,
    )
    .all() as SourceRow[];
  return new Map(rows.map((row) => [row.id, row]));
}

export function readDestinations(reader: Reader): ReadonlyMap<number, DestinationRow> {
  const rows = reader
    .prepare('SELECT id, address AS dst, host, country, org, lat, lon, city FROM destination')
    .all() as DestinationRow[];
  return new Map(rows.map((row) => [row.id, row]));
}

/** What a destination is called where addresses do not matter: its organisation, else its host, else its address. */
export function targetOf({ org, host, dst }: DestinationRow): string {
  return org ?? host ?? dst;
}
