// The detection log as a feature: detections are logged, published, and sent to the chat workspace.
import { limits } from '#contract/limits.ts';
import type { Base, Feature, HubHandlers } from '../../base/feature.ts';
import type { ChatFeature } from '../../notify/chat/feature.ts';
import type { Live } from '../../notify/live/live.ts';
import type { Observers } from '../../record/connections/store/observer-set.ts';
import { createDetections, type Detections } from './detections.ts';
import { createDetectionHandlers } from './handlers.ts';
import { startDetectionRetention } from './retention-job.ts';
import { createRetroNoter } from './retro-flows.ts';

export type DetectionFeature = Detections &
  Feature<Pick<HubHandlers, 'detection'>> & {
    /** Notes flows of the past that a change of the lists makes a threat; `retroMatches` makes cards of them. */
    createRetroNoter: typeof createRetroNoter;
  };

export function startDetectionFeature(
  { clock, log, db, settings, readers, options }: Base,
  { chat, live, observers }: { chat: ChatFeature; live: Live; observers: Observers },
): DetectionFeature {
  const detections = createDetections({
    db,
    clock,
    settings: () => settings.current().detection,
    chat,
    pollMs: options.pollIntervalMs ?? limits.pollIntervalMs,
    onLogged: (entry) => live.publish('detection', entry),
  });
  const days = () => settings.current().general.retentionDays;
  const retention = startDetectionRetention({ db, clock, log, days, pruneChat: chat.prune });
  return {
    ...detections,
    createRetroNoter,
    handlers: { detection: createDetectionHandlers({ reads: readers.reads, clock, observers, settings }) },
    [Symbol.asyncDispose]: () => retention[Symbol.asyncDispose](),
  };
}
