// What every reader of an ARP or IPv6 neighbour table gives back.
import type { Neighbour, Unparsed } from './driver.ts';

export interface NeighbourTable {
  neighbours: Neighbour[];
  /** The number of entries the table itself declares. */
  declared: number | null;
  unparsed: Unparsed;
}
