// ARP and IPv6 neighbour tables → MAC addresses of the sources that flows are known from.
import type { Db } from '#kernel/sqlite.ts';

/** Sets the MAC of each known source address; addresses without flows are left alone. One transaction. */
export function recordNeighbours(db: Db, neighbours: readonly { address: string; mac: string }[]): Promise<void> {
  return db.write(function* (writer) {
    const update = writer.prepare('UPDATE source SET mac = ? WHERE address = ? AND mac IS NOT ?');
    for (const { address, mac } of neighbours) {
      update.run(mac, address, mac);
      yield;
    }
  });
}
