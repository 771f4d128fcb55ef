// An analysis of a period by the chosen provider, and what it would send
// (docs/reference/wire-contract/4-endpoints.md#analysis and the section after it).
import { z } from 'zod';
import { post } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can } from './access.ts';
import { aiLimits as limits } from './ai-limits.ts';
import { aiCitation, aiCost, aiPricing, aiProvider, aiQuestion } from './ai-records.ts';
import { wholeScope } from './connections.ts';

export const generationRefusals = [
  'ai_disabled',
  'ai_offline',
  'ai_model_missing',
  'ai_key_missing',
  'ai_region_missing',
  'ai_endpoint_rejected',
  'ai_consent_required',
  'ai_busy',
  'ai_key_rejected',
  'ai_limited',
  'ai_model_unknown',
  'ai_answer_refused',
  'ai_prompt_cut',
  'ai_failed',
  'ai_timeout',
] as const;

export const aiAnswer = {
  provider: aiProvider,
  model: z.string(),
  text: z.string(),
  truncated: z.boolean().describe('The answer ended at the limit of its length'),
  citations: z.array(aiCitation).describe('What it states, compared with what was sent'),
  generatedAt: z.int(),
  ...aiCost,
};

const period = z.object({ from: z.int(), to: z.int() });
const { cloudConsentConfirmed: _, previewId: __, ...asked } = aiQuestion;

export const aiAnalysisRoutes = {
  preview: post('/api/ai/preview', can('ai.run'), {
    summary: 'Exactly what an analysis or a message would send, and what it would cost at most; nothing is sent',
    refusals: ['ai_disabled', 'ai_offline', 'ai_model_missing', 'ai_key_missing', 'ai_region_missing', 'not_found'],
    body: z
      .strictObject({
        ...asked,
        message: z
          .string()
          .trim()
          .min(1)
          .max(limits.aiMessage)
          .optional()
          .describe('A question of a conversation; an analysis when absent'),
        conversationId: z.uuid().optional().describe('The conversation that it goes on'),
        priorAnalysis: z.string().max(limits.aiPriorAnalysis).optional().describe('The analysis that it is about'),
      })
      .superRefine(wholeScope),
    reply: {
      200: z.object({
        previewId: z.uuid().describe('What analyze and chat take to send exactly this, for 15 minutes'),
        provider: aiProvider,
        model: z.string(),
        external: z.boolean().describe('It would leave the network'),
        consented: z.boolean().describe('It was agreed that data is sent to this provider'),
        method: z.literal('POST'),
        url: z.string().describe('Where it would be sent'),
        body: z.string().describe('The body of the request, byte for byte in UTF-8'),
        bytes: z.int(),
        facts: z.string().describe('The part of it that is about this network'),
        estimatedInputTokens: z.int(),
        maxOutputTokens: z.int(),
        pricing: aiPricing.nullable(),
        estimatedCostUsd: z.number().nullable().describe('At most; null when the catalog has no price of this model'),
      }),
    },
  }),
  analyze: post('/api/ai/analyze', can('ai.run'), {
    summary: 'Have the chosen provider explain a period; connection aggregates and a device inventory are sent to it',
    details:
      'Credentials, notes, archived devices, addresses that routers and nodes are managed at, and raw log lines are never sent. A cloud provider is asked only with the saved consent and cloudConsentConfirmed: true.',
    refusals: [...generationRefusals, 'ai_preview_expired'],
    body: z.strictObject(aiQuestion).superRefine(wholeScope),
    reply: { 200: z.object({ success: z.literal(true), range: period, ...aiAnswer }) },
  }),
} as const satisfies RouteTable<Access>;
