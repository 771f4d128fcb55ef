// Conversations about periods of the network (docs/reference/wire-contract/4-endpoints.md#413-ai-chat).
import { z } from 'zod';
import { del, get, post } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can } from './access.ts';
import { generationRefusals } from './ai-analysis.ts';
import { aiLimits as limits } from './ai-limits.ts';
import { aiCitation, aiCost, aiProvider, aiQuestion } from './ai-records.ts';
import { wholeScope } from './connections.ts';

const sourceKind = z.enum(['router', 'agent']).nullable();
const sourceId = z.string().nullable();

const conversation = z.object({
  conversationId: z.uuid(),
  createdAt: z.int(),
  provider: aiProvider,
  model: z.string(),
  rangeFrom: z.int().describe('Start of the period of the first question, epoch milliseconds'),
  rangeTo: z.int().describe('End of this period'),
  sourceKind,
  sourceId,
});

export const aiMessage = z.object({
  messageId: z.uuid(),
  conversationId: z.uuid(),
  requestId: z.uuid(),
  role: z.enum(['user', 'assistant']),
  body: z.string().nullable().describe('Null when no answer came'),
  createdAt: z.int(),
  provider: aiProvider,
  model: z.string(),
  rangeFrom: z.int(),
  rangeTo: z.int(),
  status: z.enum(['complete', 'failed']),
  errorCode: z.string().nullable(),
  sourceKind,
  sourceId,
  truncated: z.boolean().optional().describe('Answers only: the answer was cut at its greatest length'),
  citations: z.array(aiCitation).optional().describe('Answers only: its statements, compared with the facts sent'),
  usageInputTokens: z.int().nullable().optional(),
  usageOutputTokens: z.int().nullable().optional(),
  usageTotalTokens: z.int().nullable().optional(),
  estimatedCostUsd: z.number().nullable().optional(),
  pricingVersion: z.string().nullable().optional(),
});
export type AiMessage = z.output<typeof aiMessage>;

/** Upper and lower case mean the same UUID (RFC 9562, section 4). */
const toLowerCase = (text: string) => text.toLowerCase();
const uuid = z.uuid().transform(toLowerCase);
const params = z.object({
  id: z.uuid('must be the id of a conversation').transform(toLowerCase).describe('Id of the conversation'),
});

export const aiChatRoutes = {
  chat: post('/api/ai/chat', can('ai.run'), {
    summary: 'Ask the chosen provider about a period; question and answer are stored',
    details:
      'A requestId that was answered gets the stored answer; with another content it gets 409 ai_request_conflict. ' +
      'The provider gets the same facts as for an analysis, and the last turns of the conversation.',
    refusals: [
      ...generationRefusals,
      'ai_preview_expired',
      'ai_request_conflict',
      'ai_request_failed',
      'conversation_limit',
      'not_found',
    ],
    failure: { success: false },
    body: z
      .strictObject({
        ...aiQuestion,
        message: z.string().trim().min(1, 'is empty: write a question').max(limits.aiMessage),
        conversationId: uuid.optional().describe('The conversation to continue; a new one when absent'),
        requestId: uuid.optional().describe('Id of the request. The same id again gets the stored answer'),
        priorAnalysis: z
          .string()
          .max(limits.aiPriorAnalysis)
          .optional()
          .describe('The analysis that the question is about'),
      })
      .superRefine(wholeScope),
    reply: {
      200: z.object({
        success: z.literal(true),
        conversationId: z.uuid(),
        requestId: z.uuid(),
        startedNewConversation: z.boolean().describe('Also true when the provider, model or source is another one'),
        message: aiMessage,
        ...aiCost,
      }),
    },
  }),
  conversations: get('/api/ai/conversations', can('ai.run'), {
    summary: `The ${limits.aiConversations} conversations with the latest messages, and how much is stored in all`,
    reply: {
      200: z.object({
        conversations: z.array(
          conversation.extend({
            title: z
              .string()
              .nullable()
              .describe(`First ${limits.aiTitle} characters of the first question; null without messages`),
            messageCount: z.int(),
            bodyBytes: z.int(),
            lastMessageAt: z.int().nullable(),
          }),
        ),
        storage: z.object({ conversations: z.int(), messages: z.int(), bodyBytes: z.int() }),
      }),
    },
  }),
  conversation: get('/api/ai/conversations/:id', can('ai.run'), {
    summary: `A conversation with its last ${limits.aiMessages} messages, in the order in which they were written`,
    refusals: ['not_found'],
    params,
    reply: { 200: z.object({ conversation, messages: z.array(aiMessage) }) },
  }),
  deleteConversation: del('/api/ai/conversations/:id', can('ai.run'), {
    summary: 'Delete a conversation with its messages; the hub deletes none by itself',
    refusals: ['not_found'],
    params,
    reply: { 200: z.object({ success: z.literal(true) }) },
  }),
} as const satisfies RouteTable<Access>;
