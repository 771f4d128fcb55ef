// Which change of the lists a verdict follows from, and what people read of it.
import { expect, test } from 'vitest';
import type { ListChange } from '#contract/retro-match.ts';
import type { DocumentName } from '#hub/identify/threat/feed-documents.ts';
import { findListChanges, type ListState, type ListStates } from '#hub/identify/threat/list-changes.ts';
import { toRetroEvidence } from '#hub/identify/threat/retro-evidence.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

function states(
  all: Partial<Record<DocumentName, [sha256: string, fetchedAt: number, checkedAt: number]>>,
): ListStates {
  const entries = Object.entries(all) as [DocumentName, [string, number, number]][];
  return new Map(
    entries.map(([part, [sha256, fetchedAt, checkedAt]]): [DocumentName, ListState] => {
      return [part, { sha256, fetchedAt, checkedAt }];
    }),
  );
}

const agreed = states({
  ioc_recent: ['a', 10, 90],
  ioc_full: ['b', 20, 50],
  drop_v4: ['c', 30, 70],
  drop_v6: ['d', 40, 60],
});

test('times are those of the documents that changed; of several, the earliest confirmation and the latest fetch', () => {
  const recent = findListChanges(agreed, states({ ioc_recent: ['A', 100, 100], ioc_full: ['b', 20, 100] }));
  expect(recent).toEqual({ feed_ioc: { cause: 'list', previousAt: 90, listedAt: 100 } });
  const both = findListChanges(agreed, states({ ioc_recent: ['A', 100, 100], ioc_full: ['B', 101, 101] }));
  expect(both.feed_ioc).toEqual({ cause: 'list', previousAt: 50, listedAt: 101 });
  const others = findListChanges(agreed, states({ drop_v4: ['c', 30, 100], drop_v6: ['D', 102, 102] }));
  expect(others).toEqual({ feed_drop: { cause: 'list', previousAt: 60, listedAt: 102 } });
});

test('the same documents: the settings changed', () => {
  const same = findListChanges(agreed, states({ drop_v4: ['c', 30, 100], drop_v6: ['d', 40, 100] }));
  expect(same).toEqual({ feed_drop: { cause: 'settings', previousAt: 60, listedAt: 40 } });
});

test('a document that was not in use before: when it listed is not known', () => {
  expect(findListChanges(new Map(), states({ c2: ['x', 5, 9] }))).toEqual({
    feed_c2: { cause: 'feed_added', previousAt: null, listedAt: 5 },
  });
  const second = findListChanges(
    states({ drop_v4: ['c', 30, 70] }),
    states({ drop_v4: ['C', 80, 80], drop_v6: ['d', 81, 81] }),
  );
  expect(second.feed_drop).toEqual({ cause: 'feed_added', previousAt: null, listedAt: 81 });
});

test('what is no false positive any more is listed by a change of that list, in the feeds of abuse.ch alone', () => {
  const before = states({ c2: ['x', 5, 90], drop_v4: ['c', 30, 70], false_positives: ['f', 8, 60] });
  const after = (hash: string) =>
    states({ c2: ['x', 5, 100], drop_v4: ['c', 30, 100], false_positives: [hash, 99, 99] });
  expect(findListChanges(before, after('F'))).toEqual({
    feed_c2: { cause: 'list', previousAt: 60, listedAt: 99 },
    feed_drop: { cause: 'settings', previousAt: 70, listedAt: 30 },
  });
  expect(findListChanges(before, after('f')).feed_c2).toEqual({ cause: 'settings', previousAt: 90, listedAt: 5 });
  const first = findListChanges(states({ c2: ['x', 5, 90] }), after('F'));
  expect(first.feed_c2?.cause).toBe('settings');
  const gone = findListChanges(before, states({ c2: ['x', 5, 100] }));
  expect(gone.feed_c2?.cause).toBe('settings');
});

test.each<[ran: number, change: Partial<ListChange>, words: string]>([
  [6 * day + 2 * hour, {}, 'seen 6 days before it was listed'],
  [2 * day + hour, {}, 'seen 2 days before it was listed'],
  [2 * day + hour - 1, {}, 'seen between 47 hours and 2 days before it was listed'],
  [90 * minute, {}, 'seen between 30 minutes and 90 minutes before it was listed'],
  [hour + minute, {}, 'seen between 1 minute and 61 minutes before it was listed'],
  [6 * day, { previousAt: null }, 'seen 6 days before the hub had this list; it is not known when it was listed'],
  [day, { cause: 'settings' }, 'seen before new settings or an update made it a threat; the list is the same'],
])('seen %i ms before the fetch, %j: %s', (ran, change, message) => {
  const listedAt = 100 * day;
  const stored = { cause: 'list', previousAt: listedAt - hour, listedAt, feed: 'feed_c2', ...change } as const;
  const { feed, ...times } = stored;
  const firstSeen = listedAt - ran;
  expect(toRetroEvidence(stored, { feed, firstSeen })).toEqual({ ...times, seenBeforeMs: ran, message });
  expect(toRetroEvidence(stored, { feed, firstSeen: listedAt + 1 })?.seenBeforeMs).toBe(0);
  expect(toRetroEvidence(stored, { feed: 'feed_drop', firstSeen })).toBeNull();
  expect(toRetroEvidence(null, { feed, firstSeen })).toBeNull();
});
