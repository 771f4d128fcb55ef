// What the log of a lab holds when an assistant asks: three devices, destinations of every threat level, two periods.
import path from 'node:path';
import type { Threat } from '#contract/model.ts';
import { recordObservations } from '#hub/record/connections/record/record.ts';
import type { DestinationFacts, FactProvider } from '#hub/record/connections/store/facts.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import type { Lab } from './lab.ts';

const hour = 3_600_000;

/** Source, destination, port, protocol, and how many hours before now it was seen. */
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

const nowhere = { lat: null, lon: null, city: null };
const destinations: Record<string, DestinationFacts> = {
  '203.0.113.80': { host: 'files.example.net', country: 'NL', org: 'Example Hosting', ...nowhere },
  '198.51.100.7': { host: 'cdn.example.org', country: 'US', org: 'Example Cloud', ...nowhere },
};
const threats: Record<string, Threat> = {
  '198.51.100.7': {
    ...{ level: 'warn', confidence: 'low', source: 'feed_url', tag: 'shared host', matchType: 'domain' },
    ...{ matchValue: 'example.org', port: null, url: 'http://cdn.example.org/x' },
  },
  '198.51.100.9': {
    ...{ level: 'danger', confidence: 'high', source: 'feed_c2', tag: 'c2 server', matchType: 'ip' },
    ...{ matchValue: '198.51.100.9', port: null, url: null },
  },
};

const desk = { mac: '02:00:5e:10:00:01', vendor: 'Acme', dnsName: 'desk.lan', mdnsName: null, deviceId: null };

const factProvider: FactProvider = {
  describe: (address) => destinations[address] ?? null,
  describeSource: (address) => (address === '192.168.1.10' ? desk : null),
  judge: ({ dst }) => threats[dst] ?? null,
};

/** Written into the file of a hub that runs, as its own recorder would. */
export async function seedLog({ dataDir, clock }: Pick<Lab<never>, 'dataDir' | 'clock'>): Promise<void> {
  const db = new Db(path.join(dataDir, 'monitor.db'));
  try {
    const now = clock.now();
    const observations = flows.map(([src, dst, dport, proto, hours]) => {
      const at = now - hours * hour;
      return { src, dst, dport, proto, sport: null, ttl: null, startedAt: at, at };
    });
    const router = { routerId: 'vendor-a-1', kind: 'vendor_a', name: 'router' } as const;
    await recordObservations(db, { ...router, observations, now, factProvider });
  } finally {
    await db.close();
  }
}
