// What is told of a device that was not known: to the detection log, and to live updates.
import type { Writer, WriteSteps } from '#kernel/sqlite.ts';

/** The first sighting of a device. Instants are epoch milliseconds. */
export interface NewDevice {
  deviceId: string;
  /** Canonical address it was seen with. */
  address: string;
  /** Lower-case colon form; null while no neighbour table has shown one. */
  mac: string | null;
  vendor: string | null;
  dnsName: string | null;
  mdnsName: string | null;
  firstSeen: number;
  /**
   * The known device that this probably is with a new private MAC; null for a device that is news. Who alerts stays
   * silent when it is set.
   */
  probably: string | null;
  /** Found by the first look of a router at its LAN, when everything is new: nobody is to be alarmed. */
  isFirstLook: boolean;
}

/**
 * Called in the transaction that makes the devices: what it writes is committed with them, and what it throws undoes
 * both. What it returns is called after the commit.
 */
export type OnMade = (writer: Writer, made: readonly NewDevice[]) => WriteSteps<() => void>;
