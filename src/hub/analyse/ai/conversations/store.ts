// The only writer of conversations: rows are appended and never change; a conversation is deleted as a whole.
import type { AiMessage } from '#contract/ai-chat.ts';
import type { AiCitation, AiProviderName } from '#contract/ai-records.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { createId } from '#kernel/text/secret.ts';
import { interrupted } from '../failure-code.ts';
import type { Answer } from '../generations.ts';
import type { AskedWith } from './asked-with.ts';
import { readAnswer } from './rows.ts';

/** Who answers the questions of a conversation, and about whose connections. */
export interface Subject {
  provider: AiProviderName;
  model: string;
  /** Both null: those of all sources. */
  sourceKind: 'router' | 'agent' | null;
  sourceId: string | null;
}

export interface Question extends Subject {
  /** A UUID, lower case. */
  requestId: string;
  message: string;
  /** The conversation that the request named; null: none. */
  named: string | null;
  /** Epoch milliseconds. */
  at: number;
  from: number;
  to: number;
  askedWith: AskedWith;
}

/**
 * Appends the question to `conversationId`, or to a new conversation when it is null. Returns the id of the conversation;
 * null when there is none of this id, and then nothing was written.
 */
export function appendQuestion(writer: Writer, question: Question, conversationId: string | null): string | null {
  const { message, named, askedWith, ...columns } = question;
  const id = conversationId ?? createId();
  if (conversationId === null) {
    writer
      .prepare(
        `INSERT INTO ai_conversation (conversation_id, created_at, provider, model, range_from, range_to, source_kind, source_id)
         VALUES (@id, @at, @provider, @model, @from, @to, @sourceKind, @sourceId)`,
      )
      .run({ ...columns, id });
  }
  const { changes } = writer
    .prepare(
      `INSERT INTO ai_message (conversation, message_id, request_id, asked_conversation, role, body, created_at, provider,
         model, range_from, range_to, source_kind, source_id, status, asked_with)
       SELECT id, @messageId, @requestId, @named, 'user', @message, @at, @provider, @model, @from, @to, @sourceKind,
         @sourceId, 'complete', @askedWith
       FROM ai_conversation WHERE conversation_id = @id`,
    )
    .run({ ...columns, messageId: createId(), message, named, askedWith: JSON.stringify(askedWith), id });
  return changes === 0 ? null : id;
}

/** Columns that an answer has from its question. */
const fromQuestion = 'conversation, request_id, provider, model, range_from, range_to, source_kind, source_id';

/**
 * Appends the answer to its question. Null when its conversation was deleted meanwhile: then nothing was written. Throws
 * when the question has an answer.
 */
export function appendAnswer(writer: Writer, answer: Answer, citations: readonly AiCitation[]): AiMessage | null {
  const { requestId, truncated, usage } = answer;
  const { changes } = writer
    .prepare(
      `INSERT INTO ai_message (${fromQuestion}, message_id, role, body, created_at, status, truncated, citations,
         input_tokens, output_tokens, total_tokens, cost_usd, pricing_version)
       SELECT ${fromQuestion}, @messageId, 'assistant', @text, @generatedAt, 'complete', @truncated, @citations, @input,
         @output, @total, @estimatedCostUsd, @pricingVersion
       FROM ai_message WHERE request_id = @requestId AND role = 'user'`,
    )
    .run({
      ...answer,
      messageId: createId(),
      truncated: Number(truncated),
      citations: JSON.stringify(citations),
      input: usage?.inputTokens ?? null,
      output: usage?.outputTokens ?? null,
      total: usage?.totalTokens ?? null,
    });
  return changes === 0 ? null : readAnswer(writer, requestId);
}

/** Appends that the question got no answer, why, and what that used; does nothing when it has an answer or was deleted. */
export function appendFailure(writer: Writer, requestId: string, errorCode: string, at: number): void {
  writer
    .prepare(
      `INSERT INTO ai_message (${fromQuestion}, message_id, role, created_at, status, error_code,
         input_tokens, output_tokens, total_tokens, cost_usd, pricing_version)
       SELECT ${fromQuestion}, @messageId, 'assistant', @at, 'failed', @errorCode, used_input, used_output, used_total,
         used_cost, used_version
       FROM ai_message q LEFT JOIN (
         SELECT request_id AS used_id, input_tokens AS used_input, output_tokens AS used_output, total_tokens AS used_total,
           cost_usd AS used_cost, pricing_version AS used_version FROM ai_usage
       ) ON used_id = q.request_id
       WHERE q.request_id = @requestId AND q.role = 'user'
         AND NOT EXISTS (SELECT 1 FROM ai_message a WHERE a.request_id = q.request_id AND a.role = 'assistant')`,
    )
    .run({ requestId, messageId: createId(), errorCode, at });
}

/** Appends a failure to every question without an answer: for a start, when none is under way. Returns how many. */
export function failInterrupted(writer: Writer, at: number): number {
  const open = writer
    .prepare(
      `SELECT request_id AS requestId FROM ai_message GROUP BY request_id HAVING max(role) = 'user' AND count(*) = 1`,
    )
    .all() as { requestId: string }[];
  for (const { requestId } of open) {
    appendFailure(writer, requestId, interrupted, at);
  }
  return open.length;
}

/** Deletes a conversation with its messages; what they cost stays. False when there is none of this id. */
export function deleteConversation(writer: Writer, conversationId: string): boolean {
  const { changes } = writer.prepare('DELETE FROM ai_conversation WHERE conversation_id = ?').run(conversationId);
  return changes > 0;
}
