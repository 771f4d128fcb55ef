// A log for the query benchmarks: a small network's two weeks, repeatable, recorded as the hub records it.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Threat } from '#contract/model.ts';
import { openEnrichmentData } from '#hub/identify/enrichment/embedded/data.ts';
import { recordObservations } from '#hub/record/connections/record/record.ts';
import type { FactProvider } from '#hub/record/connections/store/facts.ts';
import { HourRows } from '#hub/record/connections/store/hour-pack.ts';
import { findHours, readHourFlows } from '#hub/record/connections/store/hour-rows.ts';
import type { Observation } from '#hub/record/connections/store/observation.ts';
import { packHours } from '#hub/record/connections/upkeep/hour-packer.ts';
import { openCheckpoint } from '#kernel/sqlite/checkpoint-connection.ts';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { createDice, type Dice } from '../test/support/random-log.ts';
import { seedAlerts, seededAlerts } from './seed-alerts.ts';
import { coverageBytes, seedCoverage } from './seed-coverage.ts';

export interface SeedOptions {
  /** Flows, 1,000 to 10,000,000. */
  rows: number;
  /** Folder for monitor.db; it must hold none yet. */
  dataDir: string;
  /** Instant of the last sighting. */
  now: number;
  progress(text: string): void;
}

export interface Seeded {
  flows: number;
  hours: number;
  bytes: number;
  /** Of them, what says how much was observed. */
  coverageBytes: number;
}

const hourMs = 3_600_000;
const days = 14;
const sources = 60;
const destinations = 40_000;
const organisations = 4000;
const countries = ['US', 'JP', 'DE', 'NL', 'GB', 'FR', 'IE', 'SG', 'CA', 'AU', 'BR', 'IN', 'SE', 'PL', 'ES', 'IT'];
const services: readonly (readonly [proto: string, dport: number])[] = [
  ...Array.from({ length: 12 }, () => ['TCP', 443] as const),
  ...Array.from({ length: 5 }, () => ['UDP', 443] as const),
  ['TCP', 80],
  ['UDP', 53],
  ['UDP', 123],
  ['TCP', 5223],
  ['TCP', 8883],
];

/** Records `rows` flows hour by hour, some of them again in later hours, and describes both ends. */
export async function seedLog({ rows, dataDir, now, progress }: SeedOptions): Promise<Seeded> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = path.join(dataDir, 'monitor.db');
  migrate(file, path.join(import.meta.dirname, '../src/hub/base/migrations'));
  const db = new Db(file);
  // Between batches: while one follows another at once, the hub's own checkpoints never come to the end of the log.
  const carryOver = openCheckpoint(file);
  const dice = createDice(4_711);
  const hours = days * 24;
  const start = now - hours * hourMs;
  const seen: Key[] = [];
  const known = new Set<number>();
  for (let hour = 0; hour < hours; hour += 1) {
    const fresh = Math.floor((rows * (hour + 1)) / hours) - known.size;
    const at = () => start + hour * hourMs + dice.whole(hourMs);
    const observations: Observation[] = [];
    for (let count = 0; count < fresh; count += 1) {
      const key = newKey(dice, known);
      seen.push(key);
      observations.push(observationOf(key, at(), dice));
    }
    // The newest and the most used flows come back.
    for (let count = Math.min(fresh * 2, seen.length); count > 0; count -= 1) {
      const key = seen[seen.length - 1 - dice.skewed(seen.length)];
      if (key) {
        observations.push(observationOf(key, at(), dice));
      }
    }
    const kind = hour % 3 === 0 ? 'vendor_b' : 'vendor_a';
    const end = start + (hour + 1) * hourMs;
    await recordObservations(db, { routerId: `bench-${kind}`, kind, observations, now: end, factProvider });
    // Day by day: the file never has to hold more than that row by row.
    if ((hour + 1) % 24 === 0) {
      await packHours(db, end);
    }
    progress(`${hour + 1} of ${hours} hours, ${known.size} flows`);
    carryOver.run();
  }
  carryOver.close();
  const { version } = await openEnrichmentData();
  await describeEnds(db, dice, version);
  progress('alerts');
  await seedAlerts(db, start, now, (index) => ({
    src: sourceAddress(index % sources),
    dst: destinationAddress(index % seededAlerts.causes),
  }));
  progress('coverage');
  await seedCoverage(db, start, now, dice);
  const count = (table: string) => (db.prepare(`SELECT count(*) AS rows FROM ${table}`).get() as { rows: number }).rows;
  const { bytes } = db
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()')
    .get() as { bytes: number };
  const seeded = { flows: count('flow'), hours: countHours(db), bytes, coverageBytes: coverageBytes(db) };
  await db.close();
  return seeded;
}

/** Rows of all hours. */
function countHours(db: Db): number {
  const rows = new HourRows();
  return findHours(db, 0, Number.MAX_SAFE_INTEGER).reduce((sum, hour) => {
    readHourFlows(db, hour, rows);
    return sum + rows.length;
  }, 0);
}

const factProvider: FactProvider = {
  describe: () => null,
  describeSource: () => null,
  judge: ({ dst, dport }) => listings.get(dst)?.[dport === 443 ? 'exact' : 'other'] ?? null,
};

interface Key {
  source: number;
  destination: number;
  service: number;
  port: number;
}

/** Half of the flows go to well-used destinations on service ports; the rest have ports of their own. */
function newKey(dice: Dice, known: Set<number>): Key {
  for (;;) {
    const key: Key = {
      source: dice.skewed(sources),
      destination: dice.skewed(destinations),
      service: dice.whole(services.length),
      port: dice.chance(0.5) ? 0 : 1024 + dice.skewed(60_000),
    };
    const [proto, dport] = services[key.service] ?? ['TCP', 443];
    const port = (key.port === 0 ? dport : key.port) * 2 + (proto === 'TCP' ? 1 : 0);
    const packed = (key.source * destinations + key.destination) * 131_072 + port;
    if (!known.has(packed)) {
      known.add(packed);
      return key;
    }
  }
}

function observationOf({ source, destination, service, port }: Key, at: number, dice: Dice): Observation {
  const [proto, dport] = services[service] ?? ['TCP', 443];
  return {
    src: sourceAddress(source),
    dst: destinationAddress(destination),
    dport: port === 0 ? dport : port,
    proto,
    sport: 1024 + dice.whole(60_000),
    ttl: dice.whole(900),
    startedAt: at,
    at,
  };
}

const sourceAddress = (index: number) => `192.168.1.${index + 2}`;
const destinationAddress = (index: number) => `20.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;

/** Every 97th destination: on port 443 for sure, on the others less so. */
const listings = new Map(
  Array.from({ length: Math.ceil(destinations / 97) }, (_, index) => {
    const dst = destinationAddress(index * 97);
    const listed = { source: 'feed_ioc', tag: 'botnet', matchType: 'ip', matchValue: dst, url: null } as const;
    const exact: Threat = { ...listed, level: 'danger', confidence: 'high', port: 443 };
    const other: Threat = { ...listed, level: 'warn', confidence: 'low', port: null };
    return [dst, { exact, other }];
  }),
);

/** The hub must take these words for its own: it describes again what other data described. */
function describeEnds(db: Db, dice: Dice, version: string): Promise<void> {
  return db.write(function* (writer) {
    writer.prepare('INSERT INTO enrichment_state (id, version) VALUES (1, ?)').run(version);
    const ofSource = writer.prepare('UPDATE source SET mac = ?, vendor = ?, dns_name = ? WHERE address = ?');
    for (let index = 0; index < sources; index += 1) {
      const mac = `02:00:5e:00:00:${index.toString(16).padStart(2, '0')}`;
      ofSource.run(mac, index % 3 === 0 ? null : `Vendor ${index % 7}`, `host-${index}.lan`, sourceAddress(index));
    }
    const ofDestination = writer.prepare(
      'UPDATE destination SET host = ?, country = ?, org = ?, lat = ?, lon = ?, city = ? WHERE address = ?',
    );
    for (let index = 0; index < destinations; index += 1) {
      const address = destinationAddress(index);
      const org = dice.skewed(organisations);
      const country = countries[dice.skewed(countries.length)] ?? 'US';
      const host = dice.chance(0.3) ? null : `edge-${index}.org${org}.example`;
      const place = org % 180;
      ofDestination.run(
        host,
        country,
        `Org ${org} ${org === 0 ? 'Cloud' : 'Net'}`,
        place - 90,
        place,
        `City ${place}`,
        address,
      );
      yield;
    }
  });
}
