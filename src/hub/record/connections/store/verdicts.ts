// Verdicts: why flows are not safe. Flows refer to the rows of a dictionary.
import type { Threat, ThreatLevel } from '#contract/model.ts';
import type { Reader, Writer } from '#kernel/sqlite/sqlite.ts';

const levels = ['safe', 'warn', 'danger'] as const satisfies readonly ThreatLevel[];

type ThreatRow = Omit<Threat, 'level'> & { id: number; rank: 1 | 2 };

/** Reads all verdicts by id. There are few. */
export function readThreats(reader: Pick<Reader, 'prepare'>): Map<number, Threat> {
  const rows = reader
    .prepare(
      `SELECT id, level AS rank, confidence, source, tag, match_type AS matchType, match_value AS matchValue, port, url
       FROM threat`,
    )
    .all() as ThreatRow[];
  return new Map(
    rows.map(({ id, rank, confidence, source, tag, matchType, matchValue, port, url }) => [
      id,
      { level: levels[rank] as Threat['level'], confidence, source, tag, matchType, matchValue, port, url },
    ]),
  );
}

/** Returns a function to the id of a verdict, which is inserted on first use and then cached; null has no id. */
export function createThreatInterner(writer: Writer): (threat: Threat | null) => number | null {
  const known = new Map<string, number>();
  const insert = writer.prepare(
    `INSERT INTO threat (level, confidence, source, tag, match_type, match_value, port, url)
     VALUES (@level, @confidence, @source, @tag, @matchType, @matchValue, @port, @url) ON CONFLICT DO UPDATE SET level = level RETURNING id`,
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

/** Orders verdicts, the most severe first: by level, confidence, and their text, so that the order is total. */
export function compareSeverity(a: Threat, b: Threat): number {
  const difference =
    levels.indexOf(b.level) - levels.indexOf(a.level) || rankConfidence(b.confidence) - rankConfidence(a.confidence);
  return difference || (toSortKey(a) < toSortKey(b) ? -1 : toSortKey(a) > toSortKey(b) ? 1 : 0);
}

const rankConfidence = (confidence: Threat['confidence']) => (confidence === 'high' ? 1 : 0);
const toSortKey = ({ source, tag, matchType, matchValue, port, url }: Threat) =>
  JSON.stringify([source, matchType, matchValue, tag, port, url]);
