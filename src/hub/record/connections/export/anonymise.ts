// Exported cells without what identifies somebody: other addresses, MACs and names of hosts.
import { replaceAddress, replaceColonMac } from '#capture/anonymise-period.ts';
import type { Mapping } from '#capture/mapping.ts';
import type { CellChanges } from './rows/cells.ts';

/** Replaces by `mapping`. Ports, times, verdicts, places, organisations and programs stay. */
export function createAnonymisation(mapping: Mapping): CellChanges {
  const replaceName = (name: string | null) => (name === null ? null : mapping.replaceName(name));
  return {
    source: (cells) => ({
      ...cells,
      src: replaceAddress(mapping, cells.src),
      srcMac: cells.srcMac === null ? null : replaceColonMac(mapping, cells.srcMac),
      srcDnsName: replaceName(cells.srcDnsName),
      srcMdnsName: replaceName(cells.srcMdnsName),
    }),
    destination: (cells) => ({
      ...cells,
      dst: replaceAddress(mapping, cells.dst),
      dstHost: replaceName(cells.dstHost),
    }),
    agent: (cells) => ({ ...cells, agentHost: replaceName(cells.agentHost) }),
  };
}
