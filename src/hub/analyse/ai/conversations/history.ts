// The turns that a question is asked with, read in a thread: answers may be long.
import { readJsonText } from '#kernel/http/ready-body.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';
import type { ReaderPool } from '../../../base/readers/pool.ts';
import type { HistoryOf } from '../analysis/handlers.ts';
import type { PastTurn } from '../analysis/prompts.ts';
import type { ConversationQueries } from './queries.ts';
import { continuedConversation } from './requests.ts';

/** Of a conversation the last `limits.aiTurns` questions that were answered, in order. Rejects as `ReaderPool.ask`. */
export type TurnsOf = (conversationId: string, signal: AbortSignal) => Promise<PastTurn[]>;

export function createTurnsOf(reads: Pick<ReaderPool<ConversationQueries>, 'ask'>): TurnsOf {
  return async (conversationId, signal) =>
    JSON.parse(readJsonText(await reads.ask('conversationTurns', { conversationId }, signal))) as PastTurn[];
}

/**
 * For a preview, which shows what a message would send: none of a conversation with another provider or model, or about
 * another source, as the message would begin a new one.
 */
export function createHistoryOf(db: Pick<Db, 'prepare'>, turnsOf: TurnsOf): HistoryOf {
  return async (named, subject, signal) => {
    const conversationId = continuedConversation(db, named, subject);
    return conversationId === null ? [] : turnsOf(conversationId, signal);
  };
}
