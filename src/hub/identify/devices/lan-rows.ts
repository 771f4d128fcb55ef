// Rows of a LAN as routers show them: who uses which address now, and to whom an address was given.

/** A line of an ARP or IPv6 neighbour table. */
export interface Neighbour {
  /** Canonical IP literal. */
  address: string;
  /** Lower-case colon form. */
  mac: string;
  interfaceName: string;
  /** Seconds since the router last heard from it; `null` where the entry is static or does not say. */
  heardSec: number | null;
  /** The router's own address. */
  isOwn: boolean;
}

/** An address that a router's DHCP server has given out. */
export interface Lease {
  /** Canonical IP literal. */
  address: string;
  /** Lower-case colon form; `null` when the client named itself otherwise. */
  mac: string | null;
  /** Lower-case hex pairs joined by colons, type byte first; `null` for a client known by its MAC. */
  clientId: string | null;
  /** Host name the client sent. */
  name: string | null;
}
