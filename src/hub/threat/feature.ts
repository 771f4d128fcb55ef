// The threat feeds as a feature: judging flows, and announcing changed verdicts.
import type { ThreatEvidence } from '#contract/connection-detail.ts';
import type { Judged } from '#contract/connection-reports.ts';
import type { Connection } from '#contract/model.ts';
import type { Db } from '#kernel/sqlite.ts';
import type { Announcer } from '../connections/announce.ts';
import type { Rejudged, Rejudging } from '../connections/upkeep/rejudge.ts';
import type { EnrichmentFeature } from '../enrichment/feature.ts';
import type { Base, Feature } from '../feature.ts';
import type { Live } from '../live/live.ts';
import { feedCoverage } from './coverage.ts';
import { evidenceOf } from './evidence.ts';
import { type FeedHandlers, feedHandlers } from './handlers.ts';
import { judgedBy } from './judged.ts';
import { startThreat, type Threat } from './threat.ts';

export type ThreatFeature = Threat &
  Feature<{ threat: FeedHandlers }> & {
    /** How complete the judgement of the log is now. */
    judged(): Judged;
    /** Why a connection is not safe; null when it is. */
    evidence(connection: Connection): ThreatEvidence | null;
  };

interface Peers {
  live: Pick<Live, 'publish'>;
  enrichment: Pick<EnrichmentFeature, 'isObserved'>;
  announcer: Pick<Announcer, 'rejudged'>;
  rejudgeFlows: (db: Db, what: Rejudging) => Promise<Rejudged>;
}

/** Resolves when the stored feeds judge. */
export async function startThreatFeature(
  { settings, signals, options, ...base }: Base,
  { live, enrichment, announcer, rejudgeFlows }: Peers,
): Promise<ThreatFeature> {
  const { clock } = base;
  const offline = base.offline || options.threatFeeds === false;
  const threat = await startThreat({
    ...base,
    isObserved: enrichment.isObserved,
    rejudge: (what) => rejudgeFlows(base.db, what),
    document: settings,
    mirror: options.threatMirror ?? null,
    version: options.version,
    offline,
    async onListed(rejudged, available) {
      await announcer.rejudged(rejudged);
      const { judged, changed, threats } = rejudged;
      live.publish('threat-feeds', { available, judged, changed, threats: threats.count, serverTime: clock.now() });
    },
  });
  signals.on('destinationsDiscovered', threat.judgeDestinations);
  return {
    ...threat,
    judged: () => judgedBy(threat.state()),
    evidence({ threat: found, dst, dport, dstHost }) {
      const isPublished = dstHost !== null && !enrichment.isObserved(dst, dstHost);
      return found && evidenceOf({ threat: found, dport, isPublished }, threat.state().feeds, clock.now());
    },
    handlers: { threat: feedHandlers({ threat, document: settings, clock }) },
    coverage: () => feedCoverage(threat.state(), clock.now(), offline),
    status() {
      const { available, reason } = threat.state();
      return { features: { 'threat-intel': { enabled: available, reason } } };
    },
  };
}
