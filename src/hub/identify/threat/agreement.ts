// What the verdicts of the log agree with: the version of the tables, and the documents that they were built from.
import type { Db } from '#kernel/sqlite/sqlite.ts';
import type { DocumentName } from './feed-documents.ts';
import type { ListState, ListStates } from './list-changes.ts';

/** Stored instead of a version while the log is being judged: a start that finds it judges the whole log. */
const underWay = 'under way';

/** Version of the tables that all verdicts of the log are based on; `null` before the first. */
export function readJudgedVersion(db: Db): string | null {
  const row = db.prepare('SELECT version FROM threat_verdicts').get() as { version: string } | undefined;
  return row?.version ?? null;
}

const saveVersion = 'INSERT OR REPLACE INTO threat_verdicts (id, version) VALUES (1, ?)';

/** To be called before the first verdict changes. What the log agreed with before stays stored. */
export function beginJudging(db: Db): Promise<void> {
  return db.write((writer) => void writer.prepare(saveVersion).run(underWay));
}

/** Stores that all verdicts of the log agree with the tables `version`, built from `lists`. */
export async function saveAgreement(db: Db, version: string, lists: ListStates): Promise<void> {
  if (readJudgedVersion(db) === version && serializeLists(readAgreedLists(db)) === serializeLists(lists)) {
    return;
  }
  await db.write((writer) => {
    writer.prepare(saveVersion).run(version);
    writer.prepare('DELETE FROM threat_agreed').run();
    const insert = writer.prepare(
      'INSERT INTO threat_agreed (part, sha256, fetched_at, checked_at) VALUES (?, ?, ?, ?)',
    );
    for (const [part, { sha256, fetchedAt, checkedAt }] of lists) {
      insert.run(part, sha256, fetchedAt, checkedAt);
    }
  });
}

/** The documents that the log agreed with last, as they were confirmed then. */
export function readAgreedLists(db: Db): ListStates {
  const rows = db
    .prepare('SELECT part, sha256, fetched_at AS fetchedAt, checked_at AS checkedAt FROM threat_agreed ORDER BY part')
    .all() as ({ part: DocumentName } & ListState)[];
  return new Map(rows.map(({ part, ...state }) => [part, state]));
}

function serializeLists(lists: ListStates): string {
  const rows = [...lists].map(([part, { sha256, fetchedAt, checkedAt }]) => [part, sha256, fetchedAt, checkedAt]);
  return JSON.stringify(rows.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
}
