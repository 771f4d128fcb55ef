// Stored beacons: a candidate stays until a scan no longer finds it, a dismissed one until its alert is not expected.
import type { Beacon } from '#contract/beacons.ts';
import { limits } from '#contract/limits.ts';
import { AppError } from '#kernel/errors.ts';
import type { Db, Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { candidateScore, type RegularFlow, type Scan } from './scan.ts';

export type BeaconStore = ReturnType<typeof createBeaconStore>;

export type DismissedBeacon = Pick<Beacon, 'src' | 'dst' | 'dport' | 'proto'>;

/**
 * Called in the transaction of a scan with new candidates that are not benign: what it writes is committed with it,
 * and what it throws rolls both back. The returned function is called after the commit.
 */
export type OnNews = (writer: Writer, news: readonly RegularFlow[]) => WriteSteps<() => void>;

const columns = `b.id, b.src, b.dst, d.host AS dstHost, b.dport, b.proto, d.country, d.org, b.interval_ms AS intervalMs,
  b.cov AS intervalCov, b.obs_count AS obsCount, b.score, b.first_seen AS firstSeen, b.last_seen AS lastSeen,
  b.detected_at AS detectedAt, b.status, b.benign,
  CASE t.level WHEN 2 THEN 'danger' WHEN 1 THEN 'warn' ELSE 'safe' END AS threatLevel`;
const tables = `beacon b LEFT JOIN source s ON s.address = b.src LEFT JOIN destination d ON d.address = b.dst
  LEFT JOIN flow f ON f.source_id = s.id AND f.destination_id = d.id AND f.dport = b.dport AND f.proto = b.proto
  LEFT JOIN threat t ON t.id = f.threat_id`;

export function createBeaconStore(db: Db) {
  const readOne = (where: string, values: object) => {
    const row = db.prepare(`SELECT ${columns} FROM ${tables} WHERE ${where}`).get(values) as Beacon | undefined;
    return row ?? null;
  };
  return {
    /** Stores the findings of a scan, with what `onNews` writes; resolves after the commit and its callback. */
    async apply(scan: Scan, onNews: OnNews) {
      const committed = await db.write(function* (writer) {
        return yield* onNews(writer, yield* applyScan(writer, scan));
      });
      committed();
    },
    /** Returns the beacons, the most regular ones first. */
    list: ({ dismissed, benign }: { dismissed: boolean; benign: boolean }) =>
      db
        .prepare(
          `SELECT ${columns} FROM ${tables}
           WHERE (? OR b.status = 'candidate') AND (? OR b.benign IS NULL)
           ORDER BY b.cov, b.detected_at DESC, b.id`,
        )
        .all(Number(dismissed), Number(benign)) as Beacon[],
    get: (id: number) => readOne('b.id = @id', { id }),
    find: ({ src, dst, dport, proto }: Pick<RegularFlow, 'src' | 'dst' | 'dport' | 'proto'>) =>
      readOne('b.src = @src AND b.dst = @dst AND b.dport = @dport AND b.proto = @proto', { src, dst, dport, proto }),
    /**
     * False when there is no such beacon; dismissing twice changes nothing. `onDismissed` is called in the same transaction.
     * Throws AppError `beacon_limit`.
     */
    dismiss: (id: number, onDismissed: (writer: Writer, beacon: DismissedBeacon) => void) =>
      db.save((writer) => {
        const { dismissed } = writer
          .prepare("SELECT count(*) AS dismissed FROM beacon WHERE status = 'dismissed' AND id <> @id")
          .get({ id }) as { dismissed: number };
        if (dismissed >= limits.beaconsDismissed) {
          throw createLimitError();
        }
        const beacon = writer
          .prepare("UPDATE beacon SET status = 'dismissed' WHERE id = @id RETURNING src, dst, dport, proto")
          .get({ id }) as DismissedBeacon | undefined;
        if (beacon !== undefined) {
          onDismissed(writer, beacon);
        }
        return beacon !== undefined;
      }),
  };
}

const createLimitError = () =>
  new AppError(
    'beacon_limit',
    `${limits.beaconsDismissed} beacons are dismissed, and no more can be: add the domain or the organisation to those of the beacon settings`,
  );

function* applyScan(writer: Writer, { at, found }: Scan): WriteSteps<RegularFlow[]> {
  const find = writer.prepare(
    'SELECT id, status, benign FROM beacon WHERE src = @src AND dst = @dst AND dport = @dport AND proto = @proto',
  );
  const insert = writer.prepare(
    `INSERT INTO beacon (src, dst, dport, proto, interval_ms, cov, score, obs_count, first_seen, last_seen, detected_at,
       status, benign)
     VALUES (@src, @dst, @dport, @proto, @intervalMs, @cov, @score, @obsCount, @firstSeen, @lastSeen, @at, 'candidate',
       @benign)`,
  );
  const update = writer.prepare(
    `UPDATE beacon SET interval_ms = @intervalMs, cov = @cov, score = @score, obs_count = @obsCount,
       first_seen = @firstSeen, last_seen = @lastSeen, benign = @benign WHERE id = @id`,
  );
  const kept = new Set<number>();
  const news: RegularFlow[] = [];
  for (const { threat, ...flow } of found) {
    const known = find.get(flow) as { id: number; status: Beacon['status']; benign: string | null } | undefined;
    if (known) {
      update.run({ ...flow, id: known.id });
      kept.add(known.id);
    } else if (flow.score >= candidateScore) {
      kept.add(Number(insert.run({ ...flow, at }).lastInsertRowid));
    }
    const isKnownCandidate = known
      ? known.status === 'dismissed' || known.benign === null
      : flow.score < candidateScore;
    if (!isKnownCandidate && flow.benign === null) {
      news.push({ ...flow, threat });
    }
    yield;
  }
  const remove = writer.prepare('DELETE FROM beacon WHERE id = ?');
  const candidates = writer.prepare("SELECT id FROM beacon WHERE status = 'candidate'").all() as { id: number }[];
  for (const { id } of candidates) {
    if (!kept.has(id)) {
      remove.run(id);
    }
    yield;
  }
  return news;
}
