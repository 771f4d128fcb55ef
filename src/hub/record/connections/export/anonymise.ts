// An exported connection without what identifies somebody: other addresses, MACs and names of hosts.
import { replaceAddress, replaceColonMac } from '#capture/anonymise-period.ts';
import type { Mapping } from '#capture/mapping.ts';
import type { ExportedConnection } from './format.ts';

/** The same row with replacements. Ports, times, verdicts, places, organisations and programs stay. */
export function anonymiseExported(mapping: Mapping, row: ExportedConnection): ExportedConnection {
  const replaceName = (name: string | null) => (name === null ? null : mapping.replaceName(name));
  return {
    ...row,
    src: replaceAddress(mapping, row.src),
    srcMac: row.srcMac === null ? null : replaceColonMac(mapping, row.srcMac),
    srcDnsName: replaceName(row.srcDnsName),
    srcMdnsName: replaceName(row.srcMdnsName),
    dst: replaceAddress(mapping, row.dst),
    dstHost: replaceName(row.dstHost),
    agentHost: replaceName(row.agentHost),
  };
}
