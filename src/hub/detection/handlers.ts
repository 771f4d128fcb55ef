// Handlers of the detection log and its switches.
import type { DetectionConfig, detectionRoutes } from '#contract/detection.ts';
import { limits } from '#contract/limits.ts';
import type { Clock } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { ReaderPool } from '../readers/pool.ts';
import type { DetectionQueries } from './queries.ts';

export interface DetectionHandlersOptions {
  reads: Pick<ReaderPool<DetectionQueries>, 'ask'>;
  clock: Clock;
  /** Whether there is, or was, a router or an Agent of this id. */
  isKnownSource: (kind: 'router' | 'agent', id: string) => boolean;
  settings: () => DetectionConfig;
  /** Throws AppError `save_failed` and changes nothing when it cannot save. */
  save: (config: DetectionConfig) => DetectionConfig;
}

export function detectionHandlers<P>(options: DetectionHandlersOptions): Handlers<typeof detectionRoutes, P> {
  const { reads, clock, isKnownSource, settings, save } = options;
  return {
    log: ({ query: { limit = limits.detectionPage, ...query }, signal }) => {
      const { sourceKind, sourceId } = query;
      if (sourceKind !== undefined && sourceId !== undefined && !isKnownSource(sourceKind, sourceId)) {
        throw new AppError(
          'invalid_query',
          `sourceId is no ${sourceKind === 'agent' ? 'Agent' : 'router'} of this hub`,
        );
      }
      return reads.ask('detections', { query, limit, now: clock.now() }, signal);
    },
    config: () => ({ config: settings() }),
    saveConfig: ({ body }) => {
      const { threat, newDevice, beacon } = settings();
      return {
        success: true,
        config: save({
          threat: changed(threat, body.threat),
          newDevice: changed(newDevice, body.newDevice),
          beacon: changed(beacon, body.beacon),
        }),
      };
    },
  };
}

type Channels = DetectionConfig['threat'];
type Change = { [K in keyof Channels]?: Channels[K] | undefined };

function changed(now: Channels, { chat = now.chat, history = now.history }: Change = {}): Channels {
  return { chat, history };
}
