// The detection log as a feature: detections are logged, published, and told to people.
import { limits } from '#contract/limits.ts';
import type { Base, Feature, HubHandlers } from '../../base/feature.ts';
import { findKeptSince } from '../../base/storage/kept-since.ts';
import type { Telling } from '../../base/told-event.ts';
import type { Live } from '../../notify/live/live.ts';
import type { Observers } from '../../record/connections/store/observer-set.ts';
import { expectBeacon } from './alerts/actions.ts';
import { startAlerts } from './alerts/alerts.ts';
import { createAlertHandlers } from './alerts/handlers.ts';
import { createMessageLinks } from './alerts/message-links.ts';
import { describeAlerts } from './alerts/metrics.ts';
import { createResolvedTeller } from './alerts/tell-resolved.ts';
import type { IsAllowed } from './alerts/unlisted.ts';
import { createDetections, type Detections } from './detections.ts';
import { createDetectionHandlers, type DetectionHandlers } from './handlers.ts';
import { startDetectionRetention } from './retention-job.ts';
import { createRetroNoter } from './retro-flows.ts';

export type DetectionFeature = Detections &
  Feature<Pick<HubHandlers, 'alerts'> & { detection: DetectionHandlers }> & {
    /** Closes alerts whose destinations no list names any more, or expects them. To be called when the whole log was judged. */
    settleUnlisted(isAllowed: IsAllowed): Promise<void>;
    /** Marks the alert of a dismissed beacon as expected, in the transaction that dismisses it. */
    expectBeacon: typeof expectBeacon;
    /** Notes flows of the past that a change of the lists makes a threat; `retroMatches` makes cards of them. */
    createRetroNoter: typeof createRetroNoter;
  };

interface Peers {
  telling: Telling;
  /** Minimum time between alerts for the same device and destination, in milliseconds. */
  cooldownMs: () => number;
  pruneOutbox: (before: number) => Promise<void>;
  live: Live;
  observers: Observers;
}

export function startDetectionFeature(
  { clock, log, db, settings, readers, options }: Base,
  { telling, cooldownMs, pruneOutbox, live, observers }: Peers,
): DetectionFeature {
  // Before the first job: what throws here leaves none behind.
  const pollMs = options.pollIntervalMs ?? limits.pollIntervalMs;
  const links = createMessageLinks({ key: settings.deriveKey('message links'), publicUrl: options.publicUrl });
  const tellResolved = createResolvedTeller({ telling, links });
  const alerts = startAlerts({ db, clock, log, live, tellResolved });
  const detections = createDetections({
    db,
    clock,
    settings: () => settings.current().detection,
    telling,
    cooldownMs,
    links,
    pollMs,
    onLogged: (entry) => live.publish('detection', entry),
    onAlerts: alerts.publish,
  });
  const keptSince = () => findKeptSince({ clock, db, settings });
  const retention = startDetectionRetention({ db, clock, log, keptSince, pruneOutbox });
  return {
    ...detections,
    createRetroNoter,
    async settleUnlisted(isAllowed) {
      if (await alerts.settleUnlisted(isAllowed)) {
        telling.wake();
      }
    },
    expectBeacon,
    metrics: (signal) => describeAlerts(readers.reads, clock.now(), signal),
    handlers: {
      detection: createDetectionHandlers({ reads: readers.reads, clock, observers, settings }),
      alerts: createAlertHandlers({
        db,
        clock,
        reads: readers.reads,
        tellResolved,
        links,
        onChanged(ids) {
          alerts.publish(ids);
          telling.wake();
        },
      }),
    },
    async [Symbol.asyncDispose]() {
      await retention[Symbol.asyncDispose]();
      await alerts[Symbol.asyncDispose]();
    },
  };
}
