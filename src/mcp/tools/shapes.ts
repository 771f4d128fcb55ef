// Shapes that the results of several tools share.
import { z } from 'zod';
import { judged } from '#contract/connection-reports.ts';
import { coverage, type Threat, threatLevel, threat as threatOfHub } from '#contract/model.ts';

export const text = z.string().nullable();
export const iso = z.string().describe('ISO 8601, UTC.');

export const known = {
  judged: judged.shape.judged.describe(
    'Whether safe was looked up in all threat feeds, in a part of them, or in none.',
  ),
  judgedWhy: judged.shape.judgedWhy.describe('Why not in all.'),
  coverage: coverage.describe(
    'How much of the period the routers observed, from 0 to 1, and what is missing: nothing is known of the rest.',
  ),
};

const threatShape = z
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
