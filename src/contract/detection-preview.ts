// What other settings and rules would have told of the stored log (docs/decisions/053-what-if.md).
import { z } from 'zod';
import { post } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { explain } from '#kernel/text/problem.ts';
import { type Access, can } from './access.ts';
import { alertRule } from './alert-records.ts';
import { chatCooldown } from './chat.ts';
import { channels, detectionChanges, detectionEntry, detectionLevels, detectionTypes } from './detection.ts';
import { detectionLimits } from './detection-limits.ts';
import { feedChanges, feedNames } from './threat.ts';

const rule = z.strictObject({
  effect: alertRule.shape.effect.describe('mute: kept quiet; expect: also counted as normal'),
  kind: alertRule.shape.kind.default(null),
  target: z
    .string()
    .min(1)
    .max(300)
    .toLowerCase()
    .nullable()
    .default(null)
    .describe(`${alertRule.shape.target.description}`),
  device: z
    .string()
    .min(1)
    .max(64)
    .toLowerCase()
    .nullable()
    .default(null)
    .describe(`${alertRule.shape.device.description}`),
  until: z.int().nullable().default(null).describe('When it ends by itself; null: for good'),
});

const amounts = z.object({
  chat: z.int().describe('Messages to the chat workspace'),
  history: z.int().describe('Rows of the log'),
});

const change = detectionEntry
  .pick({ type: true, src: true, dst: true, dstHost: true, dport: true, proto: true })
  .extend({
    srcName: z.string().nullable().describe('Name of the device as it is known now; null: none'),
    level: z.enum(detectionLevels),
    at: z.int(),
    given: channels.describe('Where it would have gone with what was given'),
    saved: channels.describe('Where it would have gone with what is saved'),
  });

export const detectionPreviewRoutes = {
  preview: post('/api/detections/preview', can('settings.write'), {
    summary: 'What would have been told of the stored log with other settings and rules; changes and tells nothing',
    refusals: ['rate_limited'],
    body: z
      .strictObject({
        from: z.int().min(0).optional().describe('Default: 14 days before to'),
        to: z.int().min(0).optional().describe('Default: now'),
        settings: z
          .strictObject({
            detection: detectionChanges.optional().describe('As POST /api/config/detection-notifications takes them'),
            cooldownMinutes: chatCooldown.optional().describe('As POST /api/config/chat takes it'),
            threat: feedChanges
              .optional()
              .describe('As POST /api/config/threat-feeds takes them. Absent: the stored verdicts are used'),
          })
          .default({})
          .describe('What is left out is as saved'),
        rules: z
          .array(rule)
          .max(
            detectionLimits.detectionPreviewRules,
            explain(
              `must have at most ${detectionLimits.detectionPreviewRules} values`,
              'too_big',
              detectionLimits.detectionPreviewRules,
            ),
          )
          .default([])
          .describe('Rules that would have kept alerts quiet, as well as those that do now'),
      })
      .describe('Without anything: both answers are those of what is saved'),
    reply: {
      200: z.object({
        from: z.int(),
        to: z.int(),
        kinds: z.array(z.object({ type: z.enum(detectionTypes), given: amounts, saved: amounts })),
        changes: z
          .array(change)
          .describe(
            `What would be added or would go, the newest first: ${detectionLimits.detectionPreviewRows} at most`,
          ),
        more: z.int().describe('Changes that are not shown'),
        coverage: z.object({
          logFrom: z.int().nullable().describe('First hour that the log has; null: it is empty'),
          flows: z.int().describe('Connections that either settings call a threat'),
          coarseHours: z
            .int()
            .describe('Hours of such connections with contacts between first and last, whose times are not stored'),
          missingFeeds: z
            .array(z.enum(feedNames))
            .describe('Lists that were given as on, and of which nothing is stored'),
        }),
        truncated: z
          .boolean()
          .describe(`More than ${detectionLimits.detectionPreviewSightings} contacts: the others were not looked at`),
      }),
    },
  }),
} as const satisfies RouteTable<Access>;
