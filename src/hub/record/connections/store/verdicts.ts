// Verdicts say why a flow is not safe. The table `threat` has one row for each distinct verdict; flows refer to its id.
import type { Threat, ThreatLevel } from '#contract/model.ts';
import type { Reader, Writer } from '#kernel/sqlite/sqlite.ts';

/** Ordered by severity: the column `level` stores the index. */
const levels = ['safe', 'warn', 'danger'] as const satisfies readonly ThreatLevel[];

type ThreatRow = Omit<Threat, 'level'> & { id: number; rank: 1 | 2 };

/** Reads all verdicts, of which there are few, by id. */
export function readThreats(reader: Pick<Reader, 'prepare'>): Map<number, Threat> {
  const rows = reader
    .prepare(
      `SELECT id, level AS rank, confidence, source, tag, match_type AS matchType, match_value AS matchValue, port, url
       FROM threat`,
    )
    .all() as ThreatRow[];
  return new Map(rows.map(({ id, rank, ...rest }) => [id, { level: levels[rank] as Threat['level'], ...rest }]));
}

/** Returns a function that finds or inserts a verdict and returns its id. It caches ids: use it in one transaction. */
export function createThreatInterner(writer: Writer): (threat: Threat | null) => number | null {
  const known = new Map<string, number>();
  // The update changes nothing: it makes RETURNING give the id of a row that exists.
  const insert = writer.prepare(
    `INSERT INTO threat (level, confidence, source, tag, match_type, match_value, port, url)
     VALUES (@level, @confidence, @source, @tag, @matchType, @matchValue, @port, @url)
     ON CONFLICT DO UPDATE SET level = level RETURNING id`,
  );
  return (threat) => {
    if (threat === null) {
      return null;
    }
    const { level, tag, url } = threat;
    const row = { ...threat, level: levels.indexOf(level), tag: tag || null, url: url || null };
    const key = JSON.stringify(row);
    const id = known.get(key) ?? (insert.get(row) as { id: number }).id;
    known.set(key, id);
    return id;
  };
}

/** Orders verdicts, the most severe first: by level, by confidence, then by the other fields for a total order. */
export function compareSeverity(a: Threat, b: Threat): number {
  const difference =
    levels.indexOf(b.level) - levels.indexOf(a.level) || rankConfidence(b.confidence) - rankConfidence(a.confidence);
  return difference || Number(toSortKey(a) > toSortKey(b)) - Number(toSortKey(a) < toSortKey(b));
}

const rankConfidence = (confidence: Threat['confidence']) => (confidence === 'high' ? 1 : 0);
const toSortKey = ({ source, tag, matchType, matchValue, port, url }: Threat) =>
  JSON.stringify([source, matchType, matchValue, tag, port, url]);
