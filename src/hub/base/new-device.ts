// A new device, as reported to the detection log and to live updates.
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';

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
  /** The known device that this probably is with a new private MAC, and no alert; null for a device that is news. */
  probably: string | null;
  /** From the first LAN report of a router, in which everything is new: no alert. */
  isFirstLook: boolean;
}

/**
 * Called in the transaction that creates the devices: what it writes is committed with them, and what it throws rolls
 * both back. The returned function is called after the commit.
 */
export type OnMade = (writer: Writer, made: readonly NewDevice[]) => WriteSteps<() => void>;
