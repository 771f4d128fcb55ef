// Judges destinations by given threat settings, from the documents of the feeds that the hub stores.
import type { FeedName } from '#contract/threat.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import type { Settings } from '../../base/settings/schema.ts';
import type { Judge } from '../../record/connections/store/facts.ts';
import { buildAll } from './build-tables.ts';
import { type DocumentName, documentNames, feedDocuments, isWanted } from './feed-documents.ts';
import { createJudge, type JudgeOptions } from './judge.ts';
import { type DocumentRows, feedOrder, openRows } from './tables/rows.ts';

export type ThreatSettings = Pick<Settings['threat'], 'feeds' | 'dropLevel' | 'allowList'>;

/** Returns the judge of these settings, and the feeds that are switched on and have no stored document. */
export function openVerdicts(
  reader: Reader,
  { feeds, dropLevel, allowList }: ThreatSettings,
  { now, isObserved }: Pick<JudgeOptions, 'isObserved'> & { now: number },
): { judge: Judge; missing: FeedName[] } {
  const documents = documentNames.flatMap((part) => {
    const rows = isWanted(part, feeds) ? readRowsOf(reader, part) : null;
    return rows ? [{ part, rows }] : [];
  });
  const dropGrade = dropLevel === 'danger' ? 2 : 1;
  const { listed, allowed } = buildAll({ documents, allowList, dropGrade, now, before: null });
  const stored = new Set(documents.map(({ part }) => feedDocuments[part].feed));
  return {
    judge: createJudge({ listed: () => listed, allowed: () => allowed, isObserved }),
    missing: feedOrder.filter((name) => feeds[name] && !stored.has(name)),
  };
}

function readRowsOf(reader: Reader, part: DocumentName): DocumentRows | null {
  const pieces = reader.prepare('SELECT bytes FROM threat_rows WHERE part = ? ORDER BY piece').pluck().all(part);
  const packed = Buffer.concat(pieces as Buffer[]);
  // A copy: the columns begin at the start of its own buffer.
  return openRows(new Uint8Array(packed));
}
