// The threat feeds: judging flows, the state of the feeds, and the job that synchronises them.
import { limits } from '#contract/limits.ts';
import { type Feed, feedNames } from '#contract/threat.ts';
import { startJob } from '#kernel/time/job.ts';
import type { SettingsDocument } from '../../base/settings/document.ts';
import type { Judge } from '../../record/connections/store/facts.ts';
import { type FeedFacts, toFalsePositives, toFeed } from './feed-state.ts';
import { createFeedSync, type FeedSyncOptions, formatTablesVersion, isAvailable } from './feed-sync.ts';
import type { Indicator } from './indicator.ts';
import { listIndicators } from './tables/tables.ts';

export interface ThreatOptions extends Omit<FeedSyncOptions, 'settings' | 'signal'> {
  document: SettingsDocument;
}

export interface ThreatState {
  /** Indicators are loaded: `safe` means that a flow was checked. */
  available: boolean;
  /** Why not; null when available. */
  reason: 'offline_mode' | 'no_feed_enabled' | 'not_loaded' | null;
  /** When the oldest data in use was fetched. */
  fetchedAt: number | null;
  /** Changes with the active tables. */
  version: string;
  feeds: Feed[];
  falsePositives: ReturnType<typeof toFalsePositives>;
}

export interface Threat extends AsyncDisposable {
  judge: Judge;
  state(): ThreatState;
  /** All active indicators. */
  indicators(): Iterable<Indicator>;
  /** Call it when the settings have changed: fetches, builds and judges again at once. */
  settingsChanged(): void;
  /** Judges flows to these addresses again: their names became known. */
  judgeDestinations(addresses: readonly string[]): void;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

/** Loads the stored feeds, so that the first poll is judged; then fetches due documents every minute. */
export async function startThreat(options: ThreatOptions): Promise<Threat> {
  const { clock, log, document, offline } = options;
  const settings = () => document.current().threat;
  const stop = new AbortController();
  const sync = createFeedSync({ ...options, settings, signal: stop.signal });
  // Names do not wait for a slow publisher.
  const queues = { feeds: Promise.resolve(), names: Promise.resolve() };
  const inQueue = (name: keyof typeof queues, work: () => Promise<void>) => {
    queues[name] = queues[name].then(work).catch((error: unknown) => {
      if (!stop.signal.aborted) {
        log.error({ err: error }, 'the threat feeds could not be brought up to date');
      }
    });
    return queues[name];
  };
  await inQueue('feeds', sync.load);
  const job = startJob(clock, log, {
    name: 'threat feeds',
    firstMs: limits.feedsFirstMs,
    everyMs: limits.feedsEveryMs,
    run: () => inQueue('feeds', sync.run),
  });
  const settled = async () => {
    await Promise.all(Object.values(queues));
  };
  return {
    judge: sync.judge,
    state() {
      const { authKey, feeds: switches } = settings();
      const active = sync.active();
      const facts: FeedFacts = {
        records: sync.records(),
        counts: active?.counts ?? { feed_c2: 0, feed_ioc: 0, feed_url: 0, feed_drop: 0 },
        isEnabled: (feed) => switches[feed],
        authKey,
        offline,
        now: clock.now(),
      };
      const feeds = feedNames.map((name) => toFeed(name, facts));
      const available = isAvailable(active);
      const reason = offline ? 'offline_mode' : feedNames.some(facts.isEnabled) ? 'not_loaded' : 'no_feed_enabled';
      const fetched = feeds.flatMap(({ entries, fetchedAt }) => (entries > 0 && fetchedAt !== null ? [fetchedAt] : []));
      return {
        available,
        reason: available ? null : reason,
        fetchedAt: fetched.length > 0 ? Math.min(...fetched) : null,
        version: formatTablesVersion(active) ?? '',
        feeds,
        falsePositives: toFalsePositives(facts),
      };
    },
    indicators() {
      const active = sync.active();
      return active ? listIndicators(active.listed) : [];
    },
    settingsChanged: () => void inQueue('feeds', sync.run),
    judgeDestinations: (addresses) => void inQueue('names', () => sync.rejudge(addresses)),
    settled,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await job[Symbol.asyncDispose]();
      await settled();
    },
  };
}
