// What the log of a lab holds when an assistant asks: three devices, destinations of every threat level, two periods.
import path from 'node:path';
import { recordObservations } from '#hub/connections/record.ts';
import { Db } from '#kernel/sqlite.ts';
import type { Lab } from './lab.ts';

const hour = 3_600_000;

const flows = [
  ['192.168.1.10', '203.0.113.80', 443, 'TCP', 0.2],
  ['192.168.1.10', '203.0.113.80', 80, 'TCP', 0.3],
  ['192.168.1.10', '198.51.100.7', 443, 'TCP', 2],
  ['192.168.1.20', '203.0.113.80', 443, 'TCP', 5],
  ['192.168.1.20', '198.51.100.9', 8443, 'TCP', 20],
  ['192.168.1.20', '2001:db8::53', 53, 'UDP', 30],
  ['192.168.1.30', '198.51.100.7', 443, 'UDP', 100],
  ['192.168.1.30', '192.0.2.99', 0, 'ICMP', 300],
] as const;

const destinations: Record<string, Record<string, string | number>> = {
  '203.0.113.80': { host: 'files.example.net', country: 'NL', org: 'Example Hosting' },
  '198.51.100.7': {
    ...{ host: 'cdn.example.org', country: 'US', org: 'Example Cloud', threat_level: 1, threat_confidence: 'low' },
    ...{ threat_source: 'feed_url', threat_tag: 'shared host', threat_match_type: 'domain' },
    ...{ threat_match_value: 'example.org', threat_url: 'http://cdn.example.org/x' },
  },
  '198.51.100.9': {
    ...{ threat_level: 2, threat_confidence: 'high', threat_source: 'feed_c2', threat_tag: 'c2 server' },
    ...{ threat_match_type: 'ip', threat_match_value: '198.51.100.9' },
  },
};

/** Hours before now at which each flow was seen are the last column of the table above. */
export async function seedLog({ dataDir, clock }: Pick<Lab<never>, 'dataDir' | 'clock'>): Promise<void> {
  const db = new Db(path.join(dataDir, 'monitor.db'));
  try {
    const now = clock.now();
    const observations = flows.map(([src, dst, dport, proto, hours]) => {
      const at = now - hours * hour;
      return { src, dst, dport, proto, sport: null, ttl: null, startedAt: at, at };
    });
    await recordObservations(db, { routerId: 'vendor-a-1', kind: 'vendor_a', name: 'router', observations, now });
    await db.write((writer) => {
      for (const [address, columns] of Object.entries(destinations)) {
        const sets = Object.keys(columns).map((name) => `${name} = ?`);
        writer
          .prepare(`UPDATE destination SET ${sets.join(', ')} WHERE address = ?`)
          .run(...Object.values(columns), address);
      }
      writer
        .prepare('UPDATE source SET mac = ?, vendor = ?, dns_name = ? WHERE address = ?')
        .run('02:00:5e:10:00:01', 'Acme', 'desk.lan', '192.168.1.10');
    });
  } finally {
    await db.close();
  }
}
