// The facts for the draft of a note; a query for reader threads.
import type { Reader } from '#kernel/sqlite/sqlite.ts';

/** Instants are epoch milliseconds. */
export interface DraftFacts {
  ip: string;
  mac: string | null;
  vendor: string | null;
  dnsName: string | null;
  mdnsName: string | null;
  firstSeen: number;
  lastSeen: number;
  /** Where it sends to most, by sessions: organisation, else host, else address. */
  topDestinations: { name: string; sessions: number }[];
}

const maxDestinations = 5;

/** Of the device `deviceId`, which is shown and has been seen with `ip`. */
export function readDraftFacts(reader: Reader, { deviceId, ip }: { deviceId: string; ip: string }): DraftFacts {
  const device = reader
    .prepare(
      `SELECT r.dns_name AS dnsName, r.mdns_name AS mdnsName, min(d.first_seen) AS firstSeen, max(d.last_seen) AS lastSeen
       FROM device r JOIN device d ON d.root = r.id WHERE r.device_id = ?`,
    )
    .get(deviceId) as Pick<DraftFacts, 'dnsName' | 'mdnsName' | 'firstSeen' | 'lastSeen'>;
  const card = reader
    .prepare(
      `SELECT l.mac, i.vendor FROM lease l LEFT JOIN interface i ON i.mac = l.mac
       WHERE l.address = ? ORDER BY l.last_seen DESC, l.id DESC LIMIT 1`,
    )
    .get(ip) as Pick<DraftFacts, 'mac' | 'vendor'>;
  const topDestinations = reader
    .prepare(
      `SELECT coalesce(d.org, d.host, d.address) AS name, count(*) AS sessions
       FROM source s JOIN flow f ON f.source_id = s.id JOIN destination d ON d.id = f.destination_id
       WHERE s.device_id = ? GROUP BY 1 ORDER BY sessions DESC, name LIMIT ${maxDestinations}`,
    )
    .all(deviceId) as DraftFacts['topDestinations'];
  return { ip, ...card, ...device, topDestinations };
}

export const noteQueries = { draftFacts: readDraftFacts };
