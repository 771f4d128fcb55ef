// An exported connection without what identifies somebody: other addresses, MACs and names of hosts.
import { mapAddress, mapMac } from '#capture/anonymise-period.ts';
import type { Mapping } from '#capture/mapping.ts';
import type { ExportedConnection } from './format.ts';

/** The same row with replacements. Ports, times, verdicts, places, organisations and programs stay. */
export function anonymiseExported(mapping: Mapping, row: ExportedConnection): ExportedConnection {
  const mapName = (name: string | null) => (name === null ? null : mapping.name(name));
  return {
    ...row,
    src: mapAddress(mapping, row.src),
    srcMac: row.srcMac === null ? null : mapMac(mapping, row.srcMac),
    srcDnsName: mapName(row.srcDnsName),
    srcMdnsName: mapName(row.srcMdnsName),
    dst: mapAddress(mapping, row.dst),
    dstHost: mapName(row.dstHost),
    agentHost: mapName(row.agentHost),
  };
}
