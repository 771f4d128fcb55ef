// What became of a request that is sent again, and which conversation a question goes on. Reads by keys, on the event loop.
import type { AiMessage } from '#contract/ai-chat.ts';
import { aiLimits } from '#contract/ai-limits.ts';
import type { AiPricing } from '#contract/ai-records.ts';
import { AppError } from '#kernel/errors.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { type Price, toAiPricing } from '../pricing/price.ts';
import type { AskedWith } from './asked-with.ts';
import { readAnswer } from './rows.ts';
import type { Subject } from './store.ts';

type Statements = Pick<Reader, 'prepare'>;

/** A request whose question is stored. */
export interface KnownRequest {
  conversationId: string;
  /** The conversation that it named; null: none. */
  named: string | null;
  /** Its question began the conversation. */
  startedNewConversation: boolean;
  message: string;
  /** The period, epoch milliseconds. */
  from: number;
  to: number;
  sourceKind: Subject['sourceKind'];
  sourceId: Subject['sourceId'];
  /** Null: it was stored by a hub that did not keep it. */
  askedWith: AskedWith | null;
  /** Null: it is being made, or its hub ended before it was there. */
  answer: AiMessage | null;
  /** The price of its time; null: the catalog had none, or there is no answer. */
  pricing: AiPricing | null;
}

interface QuestionRow extends Omit<KnownRequest, 'startedNewConversation' | 'askedWith' | 'answer' | 'pricing'> {
  isFirst: 0 | 1;
  /** JSON. */
  askedWith: string | null;
  /** JSON. */
  price: string | null;
}

export function findRequest(db: Statements, requestId: string): KnownRequest | null {
  const asked = db
    .prepare(
      `SELECT c.conversation_id AS conversationId, q.asked_conversation AS named, q.body AS message,
         q.range_from AS "from", q.range_to AS "to", q.source_kind AS sourceKind, q.source_id AS sourceId,
         q.asked_with AS askedWith,
         NOT EXISTS (SELECT 1 FROM ai_message e WHERE e.conversation = q.conversation AND e.id < q.id) AS isFirst,
         (SELECT price FROM ai_usage WHERE request_id = q.request_id) AS price
       FROM ai_message q JOIN ai_conversation c ON c.id = q.conversation WHERE q.request_id = ? AND q.role = 'user'`,
    )
    .get(requestId) as QuestionRow | undefined;
  if (!asked) {
    return null;
  }
  const { isFirst, price, askedWith, ...question } = asked;
  return {
    ...question,
    startedNewConversation: isFirst === 1,
    askedWith: askedWith === null ? null : (JSON.parse(askedWith) as AskedWith),
    answer: readAnswer(db, requestId),
    pricing: price === null ? null : toAiPricing(JSON.parse(price) as Price),
  };
}

/** Whether something was paid under this id: it cannot name another request. */
export function isPaid(db: Statements, requestId: string): boolean {
  return db.prepare('SELECT 1 FROM ai_usage WHERE request_id = ?').get(requestId) !== undefined;
}

/**
 * The conversation that a question about `subject` goes on: `named`, unless it was with another provider or model or about
 * another source; null: it begins a new one. Throws AppError `not_found` when there is none of this id.
 */
export function findContinuedConversation(db: Statements, named: string | undefined, subject: Subject): string | null {
  if (named === undefined) {
    return null;
  }
  const stored = db
    .prepare(
      `SELECT provider, model, source_kind AS sourceKind, source_id AS sourceId FROM ai_conversation
       WHERE conversation_id = ?`,
    )
    .get(named) as Subject | undefined;
  if (!stored) {
    throw new AppError('not_found', 'there is no conversation with this id: leave conversationId out to begin one');
  }
  const keys = ['provider', 'model', 'sourceKind', 'sourceId'] as const;
  return keys.every((key) => stored[key] === subject[key]) ? named : null;
}

/** Throws AppError `conversation_limit` when no question can be stored in this conversation, or in a new one for null. */
export function refuseBeyondLimits(db: Statements, conversationId: string | null): void {
  const { conversations, messages } = db
    .prepare(
      `SELECT (SELECT count(*) FROM ai_conversation) AS conversations,
         (SELECT count(*) FROM ai_message m JOIN ai_conversation c ON c.id = m.conversation
          WHERE c.conversation_id = @conversationId) AS messages`,
    )
    .get({ conversationId }) as { conversations: number; messages: number };
  if (conversationId === null && conversations >= aiLimits.aiConversationsStored) {
    const sentence = `${conversations} conversations are stored, and no more can be: delete one that is not needed`;
    throw new AppError('conversation_limit', sentence);
  }
  if (messages >= aiLimits.aiMessagesStored) {
    const sentence = `this conversation has ${messages} messages, and no more fit: leave conversationId out to begin another`;
    throw new AppError('conversation_limit', sentence);
  }
}
