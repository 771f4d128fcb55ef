// The labels of sources. The feature that knows devices writes them, in its own transaction.
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import type { SourceFacts } from './facts.ts';

export type SourceLabels = ReturnType<typeof createSourceLabels>;

export function createSourceLabels(writer: Writer) {
  const update = writer.prepare(
    `UPDATE source SET mac = @mac, vendor = @vendor, dns_name = @dnsName, mdns_name = @mdnsName, device_id = @deviceId
     WHERE address = @address AND (mac IS NOT @mac OR vendor IS NOT @vendor OR dns_name IS NOT @dnsName OR mdns_name IS NOT @mdnsName
       OR device_id IS NOT @deviceId)`,
  );
  const handOver = writer.prepare('UPDATE source SET held_since = ? WHERE address = ?');
  const unknown = writer.prepare(
    `SELECT s.address, s.first_seen AS firstSeen, max(s.first_seen, coalesce((SELECT f.last_seen FROM flow f
       INDEXED BY flow_seen WHERE f.source_id = s.id ORDER BY f.last_seen DESC LIMIT 1), s.first_seen)) AS lastSeen
     FROM source s WHERE s.device_id IS NULL AND s.first_seen IS NOT NULL AND (s.first_seen <= @before OR EXISTS (
       SELECT 1 FROM flow f JOIN observer_set m ON m.id = f.observer_set_id JOIN observer o ON o.router_id = @observerId
       WHERE f.source_id = s.id AND ',' || m.members || ',' LIKE '%,' || o.id || ',%'))`,
  );
  return {
    /** Labels the source at `address`, if it has flows. */
    describe: (address: string, facts: SourceFacts) => void update.run({ ...facts, address }),
    /** The address has a new holder since `since`: earlier traffic keeps the labels of the former one. */
    handOver: (address: string, since: number) => void handOver.run(since, address),
    /** Sources without a device that `observerId` saw, or that were first seen up to `before`. */
    unknown: (observerId: string, before: number) =>
      unknown.all({ observerId, before }) as { address: string; firstSeen: number; lastSeen: number }[],
  };
}
