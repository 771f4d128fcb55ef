// Rows of ai_conversation and ai_message, as the contract shows them.
import type { z } from 'zod';
import type { AiMessage, aiChatRoutes } from '#contract/ai-chat.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';

export type Conversation = z.output<(typeof aiChatRoutes.conversation.reply)[200]>['conversation'];

/** Columns of `ai_conversation c`, in the words of the contract. */
export const conversationColumns = `c.conversation_id AS conversationId, c.created_at AS createdAt, c.provider, c.model,
  c.range_from AS rangeFrom, c.range_to AS rangeTo, c.source_kind AS sourceKind, c.source_id AS sourceId`;

/** Columns of `ai_message m` and its `ai_conversation c`. */
export const messageColumns = `m.message_id AS messageId, c.conversation_id AS conversationId, m.request_id AS requestId,
  m.role, m.body, m.created_at AS createdAt, m.provider, m.model, m.range_from AS rangeFrom, m.range_to AS rangeTo,
  m.status, m.error_code AS errorCode, m.source_kind AS sourceKind, m.source_id AS sourceId, m.truncated, m.citations,
  m.input_tokens AS usageInputTokens, m.output_tokens AS usageOutputTokens, m.total_tokens AS usageTotalTokens,
  m.cost_usd AS estimatedCostUsd, m.pricing_version AS pricingVersion`;

export const messageTables = 'ai_message m JOIN ai_conversation c ON c.id = m.conversation';

/** What only answers have. */
interface AnswerColumns {
  truncated: 0 | 1;
  /** JSON; null: none were looked for. */
  citations: string | null;
  usageInputTokens: number | null;
  usageOutputTokens: number | null;
  usageTotalTokens: number | null;
  estimatedCostUsd: number | null;
  pricingVersion: string | null;
}

export type MessageRow = Omit<AiMessage, keyof AnswerColumns> & AnswerColumns;

export function readAnswer(reader: Pick<Reader, 'prepare'>, requestId: string): AiMessage | null {
  const row = reader
    .prepare(`SELECT ${messageColumns} FROM ${messageTables} WHERE m.request_id = ? AND m.role = 'assistant'`)
    .get(requestId) as MessageRow | undefined;
  return row ? toMessage(row) : null;
}

export function toMessage(row: MessageRow): AiMessage {
  const { truncated, citations, usageInputTokens, usageOutputTokens, usageTotalTokens, ...rest } = row;
  const { estimatedCostUsd, pricingVersion, ...common } = rest;
  return row.role === 'user'
    ? common
    : {
        ...common,
        truncated: truncated === 1,
        citations: citations === null ? [] : (JSON.parse(citations) as NonNullable<AiMessage['citations']>),
        usageInputTokens,
        usageOutputTokens,
        usageTotalTokens,
        estimatedCostUsd,
        pricingVersion,
      };
}
