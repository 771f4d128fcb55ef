// The shape of a threat in tool results.
import { z } from 'zod';
import { type Threat, threatLevel, threat as threatOfHub } from '#contract/model.ts';

export const threatShape = z
  .object({
    level: z.enum(['warn', 'danger']),
    confidence: z.enum(['low', 'high']),
    feed: threatOfHub.shape.source,
    tag: z.string().nullable(),
    matchType: threatOfHub.shape.matchType,
    matchValue: z.string(),
  })
  .nullable()
  .describe('Why the destination is not safe; null when no feed names it.');

/** Level and reasons; the threat is null when the level is `safe`. */
export const threatFields = { threatLevel, threat: threatShape };

export function toThreatFields(threat: Threat | null): z.output<z.ZodObject<typeof threatFields>> {
  if (threat === null) {
    return { threatLevel: 'safe', threat: null };
  }
  const { level, confidence, source: feed, tag, matchType, matchValue } = threat;
  return { threatLevel: level, threat: { level, confidence, feed, tag, matchType, matchValue } };
}
