// How complete the judgement behind "safe" is.
import type { Judged } from '#contract/connection-reports.ts';
import type { ThreatState } from './threat.ts';

const nothing: Readonly<Record<NonNullable<ThreatState['reason']>, string>> = {
  offline_mode: 'the hub is in offline mode and keeps no threat feed: safe means that nothing was looked up',
  no_feed_enabled: 'no threat feed is enabled, safe means that nothing was looked up: switch feeds on in the settings',
  not_loaded: 'no threat feed is loaded yet, safe means that nothing was looked up: see the state of the feeds',
};

/** Full only with every feed: one that is disabled or empty recognises nothing, an old one nothing new. */
export function summarizeJudgement({ reason, feeds }: Pick<ThreatState, 'reason' | 'feeds'>): Judged {
  if (reason !== null) {
    return { judged: 'none', judgedWhy: { reason, message: nothing[reason] } };
  }
  const absent = feeds.filter(({ state, fetchedAt }) => state === 'disabled' || fetchedAt === null);
  if (absent.length > 0) {
    const message = `safe means that other feeds list nothing, these were not asked: ${formatNames(absent)}; see the state of the feeds`;
    return { judged: 'partial', judgedWhy: { reason: 'feeds_missing', message } };
  }
  const old = feeds.filter(({ state }) => state !== 'ok' && state !== 'empty');
  if (old.length > 0) {
    const message = `safe was judged by old data of ${formatNames(old)}; see the state of the feeds`;
    return { judged: 'partial', judgedWhy: { reason: 'feeds_stale', message } };
  }
  return { judged: 'full', judgedWhy: null };
}

function formatNames(feeds: ThreatState['feeds']): string {
  return feeds.map(({ name }) => name).join(', ');
}
