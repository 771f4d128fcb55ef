// What the log knows of its sources besides their addresses. Whoever knows devices writes it, within its own transaction.
import type { Writer } from '#kernel/sqlite.ts';
import type { SourceFacts } from './facts.ts';

export interface SourceWords {
  /** Describes the source at `address`; an address without flows is left alone. */
  describe(address: string, facts: SourceFacts): void;
  /** From `since` on the address is another's: what was last seen before that keeps the words of who held it then. */
  handOver(address: string, since: number): void;
  /** Addresses of sources that nobody has said anything of: seen by `observerId`, or first seen up to `before`. */
  unknown(observerId: string, before: number): readonly { address: string; firstSeen: number; lastSeen: number }[];
}

export function createSourceWords(writer: Writer): SourceWords {
  const update = writer.prepare(
    `UPDATE source SET mac = @mac, vendor = @vendor, dns_name = @dnsName, mdns_name = @mdnsName, device_id = @deviceId
     WHERE address = @address AND (mac IS NOT @mac OR vendor IS NOT @vendor OR dns_name IS NOT @dnsName OR mdns_name IS NOT @mdnsName
       OR device_id IS NOT @deviceId)`,
  );
  const handOver = writer.prepare('UPDATE source SET held_since = ? WHERE address = ?');
  const unknown = writer.prepare(
    `SELECT s.address, s.first_seen AS firstSeen, max(s.first_seen, (SELECT f.last_seen FROM flow f INDEXED BY flow_seen
       WHERE f.source_id = s.id ORDER BY f.last_seen DESC LIMIT 1)) AS lastSeen
     FROM source s WHERE s.device_id IS NULL AND s.first_seen IS NOT NULL AND (s.first_seen <= @before OR EXISTS (
       SELECT 1 FROM flow f JOIN observer_set m ON m.id = f.observer_set_id JOIN observer o ON o.router_id = @observerId
       WHERE f.source_id = s.id AND ',' || m.members || ',' LIKE '%,' || o.id || ',%'))`,
  );
  return {
    describe: (address, facts) => void update.run({ ...facts, address }),
    handOver: (address, since) => void handOver.run(since, address),
    unknown: (observerId, before) =>
      (unknown.all({ observerId, before }) as { address: string; firstSeen: number; lastSeen: number | null }[]).map(
        (row) => ({
          ...row,
          lastSeen: row.lastSeen ?? row.firstSeen,
        }),
      ),
  };
}
