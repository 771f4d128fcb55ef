// Which change of the lists a verdict follows from: the documents in use against those that the log agrees with.

import type { ListChange } from '#contract/retro-match.ts';
import { type FeedName, feedNames } from '#contract/threat.ts';
import { type DocumentName, documentsOfFeed } from './feed-documents.ts';

/** A document as it is in use. Instants are epoch milliseconds. */
export interface ListState {
  sha256: string | null;
  fetchedAt: number;
  /** When its publisher confirmed it last. */
  checkedAt: number;
}

export type ListStates = ReadonlyMap<DocumentName, ListState>;

export type ListChanges = Readonly<Partial<Record<FeedName, ListChange>>>;

/**
 * Of each feed in use, what made its verdicts what they are now. Times are those of the documents that changed: one that
 * is the same lists nothing new. An entry that is no false positive any more was listed by a change as well.
 */
export function findListChanges(agreed: ListStates, inUse: ListStates): ListChanges {
  const changed = (parts: readonly DocumentName[]) =>
    parts.filter((part) => agreed.get(part)?.sha256 !== inUse.get(part)?.sha256);
  const both = agreed.has('false_positives') && inUse.has('false_positives');
  const wasFalsePositive = both ? changed(['false_positives']) : [];
  return Object.fromEntries(
    feedNames.flatMap((feed) => {
      const parts = documentsOfFeed(feed).filter((part) => inUse.has(part));
      const own = changed(parts);
      const cleared = feed === 'feed_drop' ? [] : wasFalsePositive;
      const all = own.length > 0 ? own : cleared;
      return parts.length === 0
        ? []
        : [[feed, toListChange(all.length > 0 ? all : parts, all.length > 0, agreed, inUse)]];
    }),
  );
}

function toListChange(
  parts: readonly DocumentName[],
  isListed: boolean,
  agreed: ListStates,
  inUse: ListStates,
): ListChange {
  const before = parts.map((part) => agreed.get(part));
  const known = before.flatMap((state) => (state ? [state.checkedAt] : []));
  const isKnown = known.length === parts.length;
  const fetched = parts.map((part) => inUse.get(part)?.fetchedAt ?? 0);
  return {
    cause: isKnown ? (isListed ? 'list' : 'settings') : 'feed_added',
    previousAt: isKnown ? Math.min(...known) : null,
    listedAt: Math.max(...fetched),
  };
}
