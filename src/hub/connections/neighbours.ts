// Neighbour tables and DHCP leases → what is known of the sources that flows come from.
import type { Db } from '#kernel/sqlite.ts';

/** Sets MAC and maker of each known source address; addresses without flows are left alone. One transaction. */
export function recordNeighbours(
  db: Db,
  neighbours: readonly { address: string; mac: string }[],
  vendorOf: (mac: string) => string | null = () => null,
): Promise<void> {
  return db.write(function* (writer) {
    const update = writer.prepare('UPDATE source SET mac = ?, vendor = ? WHERE address = ? AND mac IS NOT ?');
    for (const { address, mac } of neighbours) {
      update.run(mac, vendorOf(mac), address, mac);
      yield;
    }
  });
}

/** A host of the LAN as a lease or a resolver tells it. */
export interface KnownHost {
  address: string;
  /** Lower-case colon form. */
  mac: string | null;
  name: string | null;
}

/** Sets what is told of each known source address; what is not told stays. One transaction. */
export function recordHosts(
  db: Db,
  hosts: readonly KnownHost[],
  vendorOf: (mac: string) => string | null,
): Promise<void> {
  return db.write(function* (writer) {
    const card = writer.prepare('UPDATE source SET mac = ?, vendor = ? WHERE address = ? AND mac IS NOT ?');
    const named = writer.prepare('UPDATE source SET dns_name = ? WHERE address = ? AND dns_name IS NOT ?');
    for (const { address, mac, name } of hosts) {
      if (mac !== null) {
        card.run(mac, vendorOf(mac), address, mac);
      }
      if (name !== null) {
        named.run(name, address, name);
      }
      yield;
    }
  });
}
