// Analyses that the hub makes by itself or on request, and where they went
// (docs/reference/wire-contract/4-endpoints.md#412-ai-notifications).
import { z } from 'zod';
import { get, post } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can } from './access.ts';
import { generationRefusals } from './ai-analysis.ts';
import { aiLimits as limits } from './ai-limits.ts';
import { aiChoice, aiCitation, aiProvider } from './ai-records.ts';
import { messageFacts } from './facts.ts';
import { countUpTo } from './query-words.ts';

const between = (low: number, high: number) =>
  z.int().min(low, `must be from ${low} to ${high}`).max(high, `must be from ${low} to ${high}`);
const threshold = between(1, limits.aiThreshold);

const rules = z
  .strictObject({
    scheduled: z.boolean().describe('At the time of the schedule'),
    danger: z.boolean().describe('When dangerThreshold is reached'),
    newDestination: z.boolean().describe('When newDestinationsThreshold is reached'),
    increase: z.boolean().describe('When increaseThreshold is reached'),
  })
  .describe('When an analysis is made');

const shape = {
  frequency: z.enum(['off', 'daily', 'weekly']).describe('How often an analysis is scheduled'),
  weekday: between(0, 6).describe('0 is Sunday; of a weekly schedule'),
  time: z
    .string()
    .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 09:00')
    .describe('Local time in timezone'),
  timezone: z.string().min(1).max(limits.aiTimezoneName).describe('IANA name'),
  rangeHours: between(1, limits.aiRangeHours).describe('Hours before the analysis that it is about'),
  destinations: z
    .strictObject({
      ui: z.boolean().describe('The web UI shows it'),
      chat: z.boolean().describe('It is sent to the chat workspace'),
    })
    .describe('Where it goes: one of them at least'),
  threat: z.strictObject({
    enabled: z.boolean().describe('Whether any of the three is on; what is sent is not used'),
    dangerThreshold: threshold.describe('Connections of level danger since the last analysis that was made for them'),
    newDestinationsThreshold: threshold.describe(
      'Destinations that were never seen before, since the last analysis for that',
    ),
    increaseThreshold: threshold.describe('Times as many threats as in the period of the same length before'),
  }),
  dailyLimit: between(1, limits.aiDailyLimit).describe('Analyses of a local day that the hub begins by itself'),
  cooldownMinutes: between(limits.aiCooldownMinutesMin, limits.aiCooldownMinutes).describe(
    'No second analysis for the same causes for so long',
  ),
  automationConsent: z
    .boolean()
    .describe('The chosen provider may be asked without a question each time; void when another provider is chosen'),
};

export const aiNotificationConfig = z.strictObject({ ...shape, rules });
export type AiNotificationConfig = z.output<typeof aiNotificationConfig>;

const status = z.object({
  running: z.boolean().describe('An analysis is being made that the hub began, or POST /api/ai/notification-run-now'),
  provider: aiChoice,
  automationReady: z.boolean().describe('A rule is on, and the provider can be asked'),
  chatReady: z.boolean().describe('The chat workspace can receive messages'),
  nextRunAt: z.int().nullable().describe('When the next scheduled analysis is due; null when there is none'),
  message: z.string().nullable().describe('Why nothing is made although a rule is on, and what to do; else null'),
  messageFacts,
});

export const aiNotificationEvent = z.object({
  eventId: z.uuid(),
  triggerType: z.enum(['scheduled', 'threat', 'manual', 'test']),
  triggerKey: z.string().nullable(),
  cause: z.string(),
  createdAt: z.int(),
  rangeFrom: z.int(),
  rangeTo: z.int(),
  status: z.enum(['complete', 'failed']),
  provider: aiProvider.nullable().describe('Null of a test, which asks nobody'),
  model: z.string().nullable(),
  body: z.string().nullable().describe('Null when it failed, or is not shown here'),
  citations: z.array(aiCitation),
  chatSent: z.union([z.literal(0), z.literal(1)]),
  inputTokens: z.int(),
  outputTokens: z.int(),
  totalTokens: z.int(),
  estimatedCostUsd: z.number().nullable(),
  errorCode: z.string().nullable(),
});
export type AiNotificationEvent = z.output<typeof aiNotificationEvent>;

/** What a live stream says of an event: its text is read by GET /api/ai/notification-events. */
export const aiNotificationNotice = aiNotificationEvent.omit({ body: true, citations: true });

export const aiNotificationRoutes = {
  notificationConfig: get('/api/ai/notification-config', can('settings.write'), {
    summary: 'When the hub makes analyses by itself, and where they go',
    reply: { 200: z.object({ config: aiNotificationConfig, status }) },
  }),
  saveNotificationConfig: post('/api/ai/notification-config', can('settings.write'), {
    summary: 'Set when the hub makes analyses by itself; all members but rules are required',
    refusals: ['ai_consent_missing', 'ai_chat_missing', 'save_failed'],
    body: z.strictObject({ ...shape, rules: rules.optional() }),
    reply: { 200: z.object({ success: z.literal(true), config: aiNotificationConfig, status }) },
  }),
  notificationEvents: get('/api/ai/notification-events', can('audit.read'), {
    summary: 'Analyses that were made or failed, and whether they were delivered, newest first',
    query: z.strictObject({
      limit: countUpTo(limits.aiEvents).describe(
        `Events, from 1 to ${limits.aiEvents}; ${limits.aiEventsDefault} when absent`,
      ),
    }),
    reply: { 200: z.object({ events: z.array(aiNotificationEvent) }) },
  }),
  notificationTest: post('/api/ai/notification-test', can('settings.write'), {
    summary: 'Send a test to the chosen destinations; no provider is asked',
    refusals: ['token_or_userid_missing', 'chat_refused', 'chat_unreachable'],
    failure: { success: false },
    body: z.strictObject({}),
    reply: { 200: z.object({ success: z.literal(true), event: aiNotificationEvent }) },
  }),
  notificationRunNow: post('/api/ai/notification-run-now', can('ai.run'), {
    summary: 'Make the analysis of the configured period now, and deliver it',
    refusals: [...generationRefusals, 'ai_chat_missing'],
    body: z.strictObject({
      cloudConsentConfirmed: z
        .boolean()
        .optional()
        .describe('true: the caller agrees that this request is sent to the chosen cloud provider'),
    }),
    reply: { 200: z.object({ success: z.literal(true), event: aiNotificationEvent }) },
  }),
} as const satisfies RouteTable<Access>;
