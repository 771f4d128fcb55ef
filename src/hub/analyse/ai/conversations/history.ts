// The turns that a question is asked with, read in a thread: answers may be long.
import { decodeJson } from '#kernel/http/ready-body.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';
import type { ReaderPool } from '../../../base/readers/pool.ts';
import type { ReadHistory } from '../analysis/handlers.ts';
import type { PastTurn } from '../analysis/prompts.ts';
import type { ConversationQueries } from './queries.ts';
import { findContinuedConversation } from './requests.ts';

/** Of a conversation the last `limits.aiTurns` questions that were answered, in order. Rejects as `ReaderPool.ask`. */
export type ReadTurns = (conversationId: string, signal: AbortSignal) => Promise<PastTurn[]>;

export function createReadTurns(reads: Pick<ReaderPool<ConversationQueries>, 'ask'>): ReadTurns {
  return async (conversationId, signal) => decodeJson(await reads.ask('conversationTurns', { conversationId }, signal));
}

/**
 * For a preview, which shows what a message would send: none of a conversation with another provider or model, or about
 * another source, as the message would begin a new one.
 */
export function createReadHistory(db: Pick<Db, 'prepare'>, readTurns: ReadTurns): ReadHistory {
  return async (named, subject, signal) => {
    const conversationId = findContinuedConversation(db, named, subject);
    return conversationId === null ? [] : readTurns(conversationId, signal);
  };
}
