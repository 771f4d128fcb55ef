// The threat feeds as a feature: judging flows, and announcing changed verdicts.
import type { ThreatEvidence } from '#contract/connection-detail.ts';
import type { Judged } from '#contract/connection-reports.ts';
import type { Connection } from '#contract/model.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';
import type { Base, Feature } from '../../base/feature.ts';
import type { Live } from '../../notify/live/live.ts';
import type { Announcer } from '../../record/connections/announce.ts';
import type { RejudgeOptions, RejudgeReport } from '../../record/connections/upkeep/rejudge.ts';
import type { DetectionFeature } from '../detection/feature.ts';
import type { EnrichmentFeature } from '../enrichment/feature.ts';
import { toFeedCoverage } from './coverage.ts';
import { toThreatEvidence } from './evidence.ts';
import { createFeedHandlers, type FeedHandlers } from './handlers.ts';
import { summarizeJudgement } from './judged.ts';
import { describeFeeds } from './metrics.ts';
import type { StoredRetro } from './retro-evidence.ts';
import { startThreat, type Threat, type ThreatOptions } from './threat.ts';

export type ThreatFeature = Threat &
  Feature<{ threat: FeedHandlers }> & {
    /** How complete the judgement of the log is now. */
    judged(): Judged;
    /** Why a connection is not safe; null when it is. */
    evidence(connection: Connection, retro: StoredRetro | null): ThreatEvidence | null;
  };

interface Peers {
  live: Pick<Live, 'publish'>;
  enrichment: Pick<EnrichmentFeature, 'isObserved'>;
  announcer: Pick<Announcer, 'rejudged'>;
  detection: Pick<DetectionFeature, 'createRetroNoter' | 'retroMatches' | 'settleUnlisted'>;
  rejudgeFlows: (db: Db, what: RejudgeOptions) => Promise<RejudgeReport>;
}

/** Resolves when the stored feeds are loaded and judge flows. */
export async function startThreatFeature(
  { settings, signals, options, ...base }: Base,
  { live, enrichment, announcer, detection, rejudgeFlows }: Peers,
): Promise<ThreatFeature> {
  const { clock } = base;
  const offline = base.offline || options.threatFeeds === false;
  const threat = await startThreat({
    ...base,
    isObserved: enrichment.isObserved,
    rejudge: (what, changes) => rejudgeFlows(base.db, { ...what, noter: detection.createRetroNoter(changes) }),
    document: settings,
    mirror: options.threatMirror ?? null,
    version: options.version,
    offline,
    ...createAnnouncements({ clock, live, announcer, detection }),
  });
  signals.on('destinationsDiscovered', threat.judgeDestinations);
  return {
    ...threat,
    judged: () => summarizeJudgement(threat.state()),
    evidence({ threat: found, dst, dport, dstHost, firstSeen }, retro) {
      const isOnlyPublished = dstHost !== null && !enrichment.isObserved(dst, dstHost);
      return (
        found &&
        toThreatEvidence({ threat: found, dport, firstSeen, retro, isOnlyPublished }, threat.state().feeds, clock.now())
      );
    },
    handlers: { threat: createFeedHandlers({ threat, document: settings, clock }) },
    coverage: () => toFeedCoverage(threat.state(), clock.now(), offline),
    metrics: () => describeFeeds(threat.state().feeds),
    status() {
      const { available, reason } = threat.state();
      return { features: { 'threat-intel': { enabled: available, reason } } };
    },
  };
}

/** Announces flows that were judged again: as threats, as cards of retro-matches, and as a live update. */
function createAnnouncements({
  clock,
  live,
  announcer,
  detection,
}: Pick<Base, 'clock'> & Pick<Peers, 'live' | 'announcer' | 'detection'>): Pick<
  ThreatOptions,
  'onListed' | 'onAgreed'
> {
  return {
    async onListed(rejudged, lists, by, signal) {
      // Threats first: what is about to get a card is none of them.
      await announcer.rejudged(rejudged);
      const retroMatches = by === 'lists' ? await detection.retroMatches(signal) : 0;
      // Without any list, nothing is known of the destinations.
      const available = lists !== null;
      if (available) {
        await detection.settleUnlisted(lists.isAllowed);
      }
      const { judged, changed, threats } = rejudged;
      const counts = { judged, changed, threats: threats.count, retroMatches };
      live.publish('threat-feeds', { available, ...counts, serverTime: clock.now() });
    },
    // Makes the cards that are still missing after a crash.
    async onAgreed(signal) {
      await detection.retroMatches(signal);
    },
  };
}
