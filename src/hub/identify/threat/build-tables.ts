// Builds the tables of listed and allowed indicators. Runs in the thread.
import type { FeedName } from '#contract/threat.ts';
import type { DocumentName } from './feed-documents.ts';
import { parseAllowed } from './feeds/false-positives.ts';
import type { Grade } from './indicator.ts';
import { buildListing } from './listing.ts';
import { buildTables } from './tables/build.ts';
import { buildDifference } from './tables/difference.ts';
import { type DocumentRows, type Entry, feedOrder, packRows } from './tables/rows.ts';
import type { Tables } from './tables/tables.ts';

export interface BuildTask {
  documents: readonly { part: DocumentName; rows: DocumentRows }[];
  allowList: readonly string[];
  dropGrade: Grade;
  now: number;
  /** The previous tables. */
  before: Tables | null;
}

export interface Built {
  listed: Tables;
  allowed: Tables;
  /** What was added, removed or changed; null when there were no tables before. */
  changed: Tables | null;
  /** Indicators in use, by feed. */
  counts: Record<FeedName, number>;
}

export function buildAll({ documents, allowList, dropGrade, now, before }: BuildTask): Built {
  const selectRows = (isException: boolean) =>
    documents.filter(({ part }) => (part === 'false_positives') === isException).map(({ rows }) => rows);
  const listed = buildTables(
    buildListing({ documents: selectRows(false), exceptions: selectRows(true), dropGrade, now }),
  );
  const counts = { feed_c2: 0, feed_ioc: 0, feed_url: 0, feed_drop: 0 };
  for (const feed of listed.feeds) {
    counts[feedOrder[feed] ?? 'feed_c2'] += 1;
  }
  return { listed, allowed: buildAllowedTables(allowList), changed: before && buildDifference(before, listed), counts };
}

/** An allowed name includes its subdomains. */
function buildAllowedTables(allowList: readonly string[]): Tables {
  const exceptions = allowList.map(parseAllowed).filter((one) => one !== null);
  const weight = { feed: 'feed_c2', exact: 1, loose: 1, tag: '', url: '', covers: true } as const;
  return buildTables(packRows(exceptions.map((one): Entry => ({ ...one, port: 0, ...weight }))));
}
