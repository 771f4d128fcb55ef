// Which feeds judge now, as coverage says it.
import type { Feed, FeedState } from '#contract/threat.ts';
import { minuteMs } from '#kernel/time/time.ts';
import type { CoverageState } from '../../record/coverage/span.ts';

/** States in which the data of a feed is used to judge flows. Any other state is reported as the gap of that name. */
const judging: readonly FeedState[] = ['ok', 'empty', 'stale'];

export function toFeedCoverage(
  { feeds }: { feeds: readonly Feed[] },
  now: number,
  isOffline: boolean,
): CoverageState[] {
  return feeds.map(({ id, name, state, fetchedAt }) => {
    // A feed whose key is refused goes on with the data that it has.
    const isOld = state === 'stale' || (state === 'unauthorised' && fetchedAt !== null);
    const reason = state === 'disabled' && isOffline ? 'offline' : state;
    const gap = isOld || judging.includes(state) ? null : reason;
    return {
      kind: 'feed',
      key: id,
      name,
      gap,
      cannotSee: [],
      seenUntil: gap === null ? now : null,
      part: isOld ? 'stale' : null,
      togetherMs: 2 * minuteMs,
    };
  });
}
