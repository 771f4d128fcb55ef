// Which feeds judge now, as coverage says it.
import type { Feed, FeedState } from '#contract/threat.ts';
import { minuteMs } from '#kernel/time/time.ts';
import type { CoverageState } from '../../record/coverage/span.ts';

/** Its data judges in full, in part, or not at all. */
const gaps: Readonly<Record<FeedState, string | null>> = {
  ok: null,
  empty: null,
  stale: null,
  pending: 'pending',
  failed: 'failed',
  unauthorised: 'unauthorised',
  disabled: 'disabled',
};

export function toFeedCoverage(
  { feeds }: { feeds: readonly Feed[] },
  now: number,
  isOffline: boolean,
): CoverageState[] {
  return feeds.map(({ id, name, state, fetchedAt }) => {
    // A feed whose key is refused goes on with the data that it has.
    const isOld = state === 'stale' || (state === 'unauthorised' && fetchedAt !== null);
    const gap = isOld ? null : state === 'disabled' && isOffline ? 'offline' : gaps[state];
    return {
      ...{ kind: 'feed', key: id, name, gap, cannotSee: [] },
      seenUntil: gap === null ? now : null,
      part: isOld ? 'stale' : null,
      togetherMs: 2 * minuteMs,
    };
  });
}
