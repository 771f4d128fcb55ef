// How complete the judgement behind "safe" is.
import type { Judged } from '#contract/connection-reports.ts';
import type { ThreatState } from './threat.ts';

const nothing: Readonly<Record<NonNullable<ThreatState['reason']>, string>> = {
  offline_mode: 'the hub is in offline mode and has no list, so "safe" only means that nothing was checked',
  no_feed_enabled: 'no list is switched on in the settings, so "safe" only means that nothing was checked',
  not_loaded: 'no list is loaded yet, so "safe" only means that nothing was checked',
};

/** Full only with every feed: one that is disabled or empty recognises nothing, an old one nothing new. */
export function summarizeJudgement({ reason, feeds }: Pick<ThreatState, 'reason' | 'feeds'>): Judged {
  if (reason !== null) {
    return { judged: 'none', judgedWhy: { reason, feeds: [], message: nothing[reason] } };
  }
  const absent = feeds.filter(({ state, fetchedAt }) => state === 'disabled' || fetchedAt === null);
  if (absent.length > 0) {
    const message = `these lists were not used: ${formatNames(absent)}; "safe" only means that the other lists do not name the destination`;
    return { judged: 'partial', judgedWhy: { reason: 'feeds_missing', feeds: absent.map(({ id }) => id), message } };
  }
  const old = feeds.filter(({ state }) => state !== 'ok' && state !== 'empty');
  if (old.length > 0) {
    const message = `the data of ${formatNames(old)} is outdated, so "safe" may be wrong for destinations that were listed lately`;
    return { judged: 'partial', judgedWhy: { reason: 'feeds_stale', feeds: old.map(({ id }) => id), message } };
  }
  return { judged: 'full', judgedWhy: null };
}

function formatNames(feeds: ThreatState['feeds']): string {
  return feeds.map(({ name }) => name).join(', ');
}
