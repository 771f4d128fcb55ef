// The feature that previews other detection settings. It has no state and only reads.
import { limits } from '#contract/limits.ts';
import { refuseField } from '#kernel/errors.ts';
import { minuteMs } from '#kernel/time/time.ts';
import type { Base, Feature, RouteHandlers } from '../../base/feature.ts';
import type { changeDetection } from '../../identify/detection/handlers.ts';
import type { changeFeeds } from '../../identify/threat/handlers.ts';

interface Changers {
  changeDetection: typeof changeDetection;
  changeFeeds: typeof changeFeeds;
}

export function startDetectionPreviewFeature(
  { clock, settings, readers }: Base,
  change: Changers,
): Feature<{ detection: RouteHandlers<'detection', 'preview'> }> {
  return {
    handlers: {
      detection: {
        preview({ body, signal }) {
          const now = clock.now();
          const to = Math.min(body.to ?? now, now);
          const from = body.from ?? Math.max(0, to - limits.detectionPreviewMs);
          if (from >= to || to - from > limits.detectionPreviewMostMs) {
            throw refuseField('invalid_body', 'from', 'must be before to, by 31 days at most', 'invalid_value');
          }
          const { detection, chat, threat } = settings.current();
          const { cooldownMinutes = chat.cooldownMinutes, ...given } = body.settings;
          const pickFeeds = ({ feeds, dropLevel, allowList }: typeof threat) => ({ feeds, dropLevel, allowList });
          return readers.previews.ask(
            'detectionPreview',
            {
              now,
              from,
              to,
              saved: {
                detection,
                cooldownMs: chat.cooldownMinutes * minuteMs,
                threat: given.threat ? pickFeeds(threat) : null,
                rules: [],
              },
              given: {
                detection: change.changeDetection(detection, given.detection ?? {}),
                cooldownMs: cooldownMinutes * minuteMs,
                threat: given.threat ? pickFeeds(change.changeFeeds(threat, given.threat, 'settings.threat.')) : null,
                rules: body.rules,
              },
            },
            signal,
          );
        },
      },
    },
  };
}
