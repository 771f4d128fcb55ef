// Answers about destinations from beyond the local data, and how all sources combine.
import type { Db, Writer } from '#kernel/sqlite/sqlite.ts';
import type { DestinationFacts } from '../../record/connections/store/facts.ts';
import type { AddressFacts } from './embedded/operator-files.ts';

export type AnswerKind = 'dns' | 'ptr' | 'rdap' | 'geo';

/** One answer; no `facts`: there are none. */
export interface Answer {
  address: string;
  /** When it arrived and when it expires, epoch milliseconds. */
  at: number;
  until: number;
  facts: Partial<DestinationFacts>;
}

type Find = (address: string) => AddressFacts;

const columns = ['host', 'country', 'org', 'lat', 'lon', 'city'] as const;

/** Stores answers for destinations of the log and updates their rows. Returns the destinations that changed. */
export function storeAnswers(db: Db, kind: AnswerKind, answers: readonly Answer[], find: Find): Promise<string[]> {
  return db.write(function* (writer) {
    const selectId = writer.prepare('SELECT id FROM destination WHERE address = ?');
    const keep = writer.prepare(
      `INSERT INTO destination_answer (destination_id, kind, at, until, host, country, org, lat, lon, city)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (destination_id, kind) DO UPDATE SET at = excluded.at, until = excluded.until, host = excluded.host,
         country = excluded.country, org = excluded.org, lat = excluded.lat, lon = excluded.lon, city = excluded.city`,
    );
    const describe = createDescriber(writer, find);
    const changed: string[] = [];
    for (const { address, at, until, facts } of answers) {
      const row = selectId.get(address) as { id: number } | undefined;
      if (row) {
        keep.run(row.id, kind, at, until, ...columns.map((name) => facts[name] ?? null));
        if (describe({ id: row.id, address })) {
          changed.push(address);
        }
      }
      yield;
    }
    return changed;
  });
}

/** Updates the row of a destination; true when that changed it. Facts of other origin stay. */
export function createDescriber(writer: Writer, find: Find): (row: { id: number; address: string }) => boolean {
  const selectAnswers = writer.prepare(
    'SELECT kind, host, country, org, lat, lon, city FROM destination_answer WHERE destination_id = ?',
  );
  const update = writer.prepare(
    `UPDATE destination SET host = new.host, country = new.country, org = new.org, lat = new.lat, lon = new.lon,
       city = new.city
     FROM (
       SELECT coalesce(:host, host) AS host, coalesce(:country, country) AS country, coalesce(:org, org) AS org,
         iif(:lat IS NULL, lat, :lat) AS lat, iif(:lat IS NULL, lon, :lon) AS lon,
         iif(:lat IS NULL AND :city IS NULL, city, :city) AS city
       FROM destination WHERE id = +:id
     ) AS new
     WHERE destination.id = +:id AND (destination.host, destination.country, destination.org, destination.lat,
       destination.lon, destination.city) IS NOT (new.host, new.country, new.org, new.lat, new.lon, new.city)`,
  );
  return ({ id, address }) => {
    const answers = selectAnswers.all(id) as AnswerRow[];
    return update.run({ id, ...combineFacts(find(address), answers) }).changes > 0;
  };
}

type AnswerRow = DestinationFacts & { kind: AnswerKind };

/**
 * A name that a client resolved wins over the one that the owner of the address published; the registry over the local
 * data for country and organisation (docs/reference/wire-contract/3-records.md#31-connection). An online service fills
 * the gaps.
 */
function combineFacts(known: AddressFacts, answers: readonly AnswerRow[]): DestinationFacts {
  const find = (kind: AnswerKind) => answers.find((answer) => answer.kind === kind);
  const rdap = find('rdap');
  const geo = find('geo');
  const located = geo && (geo.lat !== null || geo.city !== null) ? geo : known;
  return {
    host: find('dns')?.host ?? find('ptr')?.host ?? null,
    country: rdap?.country ?? known.country ?? geo?.country ?? null,
    org: rdap?.org ?? known.org ?? geo?.org ?? null,
    lat: located.lat,
    lon: located.lon,
    city: located.city,
  };
}

/** Whether `host` is only published by the owner of the address (PTR), and no client resolved it. */
export function isOnlyPublished(db: Pick<Db, 'prepare'>, address: string, host: string): boolean {
  const of = db.prepare(
    `SELECT EXISTS (
       SELECT 1 FROM destination d JOIN destination_answer a ON a.destination_id = d.id
       WHERE d.address = ? AND a.kind = ? AND a.host = ? COLLATE NOCASE
     ) AS found`,
  );
  const has = (kind: AnswerKind) => (of.get(address, kind, host) as { found: number }).found === 1;
  return has('ptr') && !has('dns');
}
