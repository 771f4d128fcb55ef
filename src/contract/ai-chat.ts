// Questions and answers about periods, stored in order (docs/reference/wire-contract/4-endpoints.md#413-ai-chat).
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
  rangeFrom: z.int(),
  rangeTo: z.int(),
  sourceKind,
  sourceId,
});

export const aiMessage = z.object({
  messageId: z.uuid(),
  conversationId: z.uuid(),
  requestId: z.uuid(),
  role: z.enum(['user', 'assistant']),
  body: z.string().nullable().describe('Null of an answer that failed'),
  createdAt: z.int(),
  provider: aiProvider,
  model: z.string(),
  rangeFrom: z.int(),
  rangeTo: z.int(),
  status: z.enum(['complete', 'failed']),
  errorCode: z.string().nullable(),
  sourceKind,
  sourceId,
  truncated: z.boolean().optional().describe('Of an answer: it ended at the limit of its length'),
  citations: z.array(aiCitation).optional().describe('Of an answer: what it states, compared with what was sent'),
  usageInputTokens: z.int().nullable().optional(),
  usageOutputTokens: z.int().nullable().optional(),
  usageTotalTokens: z.int().nullable().optional(),
  estimatedCostUsd: z.number().nullable().optional(),
  pricingVersion: z.string().nullable().optional(),
});
export type AiMessage = z.output<typeof aiMessage>;

/** RFC 9562, section 4: upper and lower case are the same. */
const lower = (uuid: string) => uuid.toLowerCase();
const uuid = z.uuid().transform(lower);
const params = z.object({
  id: z.uuid('must be the id of a conversation').transform(lower).describe('Id of the conversation'),
});

export const aiChatRoutes = {
  chat: post('/api/ai/chat', can('ai.run'), {
    summary: 'Ask the chosen provider about a period; question and answer are stored',
    details:
      'A requestId that was answered before gets the stored answer and is not asked again; with another content it is a conflict. The same facts as of an analysis are sent, with the last turns of the conversation.',
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
        conversationId: uuid.optional().describe('The conversation that it goes on; a new one when absent'),
        requestId: uuid
          .optional()
          .describe('A UUID that names the request; sent again, it gets the answer of the first time'),
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
        startedNewConversation: z.boolean(),
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
              .describe(`The first question, its first ${limits.aiTitle} characters; null without messages`),
            ...{ messageCount: z.int(), bodyBytes: z.int(), lastMessageAt: z.int().nullable() },
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
    summary: 'Delete a conversation with all its messages; nothing else deletes one',
    refusals: ['not_found'],
    params,
    reply: { 200: z.object({ success: z.literal(true) }) },
  }),
} as const satisfies RouteTable<Access>;
