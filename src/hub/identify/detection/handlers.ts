// Handlers of the detection log and its switches.
import type { z } from 'zod';
import type { DetectionConfig, detectionChanges } from '#contract/detection.ts';
import { limits } from '#contract/limits.ts';
import { refuseField } from '#kernel/errors.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { RouteHandlers } from '../../base/feature.ts';
import type { ReaderPool } from '../../base/readers/pool.ts';
import type { SettingsDocument } from '../../base/settings/document.ts';
import type { Observers } from '../../record/connections/store/observer-set.ts';
import type { DetectionQueries } from './queries.ts';

export interface DetectionHandlersOptions {
  reads: Pick<ReaderPool<DetectionQueries>, 'ask'>;
  clock: Clock;
  observers: Observers;
  settings: SettingsDocument;
}

export type DetectionHandlers = RouteHandlers<'detection', 'log' | 'config' | 'saveConfig'>;

export function createDetectionHandlers(options: DetectionHandlersOptions): DetectionHandlers {
  const { reads, clock, observers, settings } = options;
  return {
    log: ({ query: { limit = limits.detectionPage, ...query }, signal }) => {
      const { sourceKind, sourceId } = query;
      // The contract lets both come together or not at all.
      if (sourceKind !== undefined && sourceId !== undefined && !observers.isKnown(sourceKind, sourceId)) {
        throw refuseField(
          'invalid_query',
          'sourceId',
          `is no ${sourceKind === 'agent' ? 'Agent' : 'router'} of this hub`,
          'not_known',
        );
      }
      return reads.ask('detections', { query, limit, now: clock.now() }, signal);
    },
    config: () => ({ config: settings.current().detection }),
    saveConfig({ body }) {
      const detection = changeDetection(settings.current().detection, body);
      return { success: true, config: settings.update((all) => ({ ...all, detection })).detection };
    },
  };
}

/** Returns the settings with `changes`. */
export function changeDetection(saved: DetectionConfig, changes: z.output<typeof detectionChanges>): DetectionConfig {
  return {
    threat: applyChange(saved.threat, changes.threat),
    newDevice: applyChange(saved.newDevice, changes.newDevice),
    beacon: applyChange(saved.beacon, changes.beacon),
    retroMatch: applyChange(saved.retroMatch, changes.retroMatch),
  };
}

type Channels = DetectionConfig['threat'];
type Change = { [K in keyof Channels]?: Channels[K] | undefined };

function applyChange(now: Channels, { chat = now.chat, history = now.history }: Change = {}): Channels {
  return { chat, history };
}
