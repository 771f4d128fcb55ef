// Handlers of conversations: a question, the list, one of them, and its deletion.
import { AppError } from '#kernel/errors.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';
import type { RouteHandlers } from '../../../base/feature.ts';
import type { ReaderPool } from '../../../base/readers/pool.ts';
import type { Chat } from './chat.ts';
import type { ConversationQueries } from './queries.ts';
import { deleteConversation } from './store.ts';

export type ConversationRoute = 'chat' | 'conversations' | 'conversation' | 'deleteConversation';

export interface ConversationHandlersOptions {
  db: Pick<Db, 'save'>;
  reads: Pick<ReaderPool<ConversationQueries>, 'ask'>;
  chat: Pick<Chat, 'ask' | 'drop'>;
}

export function createConversationHandlers(
  options: ConversationHandlersOptions,
): RouteHandlers<'ai', ConversationRoute> {
  const { db, reads, chat } = options;
  return {
    chat: ({ body, principal, request, signal }) => chat.ask(body, { principal, request }, signal),
    conversations: ({ signal }) => reads.ask('conversations', {}, signal),
    conversation: ({ params, signal }) => reads.ask('conversation', { conversationId: params.id }, signal),
    async deleteConversation({ params }) {
      if (!(await db.save((writer) => deleteConversation(writer, params.id)))) {
        throw new AppError('not_found', 'there is no conversation with this id: it may have been deleted already');
      }
      chat.drop(params.id);
      return { success: true };
    },
  };
}
