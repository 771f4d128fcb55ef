// Handlers of what is stored: the list, one conversation, and its deletion.
import { AppError } from '#kernel/errors.ts';
import type { Db } from '#kernel/sqlite.ts';
import type { RouteHandlers } from '../../feature.ts';
import type { ReaderPool } from '../../readers/pool.ts';
import type { ConversationQueries } from './queries.ts';
import { deleteConversation } from './store.ts';

export type StoredRoute = 'conversations' | 'conversation' | 'deleteConversation';

export interface StoredOptions {
  db: Pick<Db, 'save'>;
  reads: Pick<ReaderPool<ConversationQueries>, 'ask'>;
}

export function storedHandlers({ db, reads }: StoredOptions): RouteHandlers<'ai', StoredRoute> {
  return {
    conversations: ({ signal }) => reads.ask('conversations', {}, signal),
    conversation: ({ params, signal }) => reads.ask('conversation', { conversationId: params.id }, signal),
    async deleteConversation({ params }) {
      if (!(await db.save((writer) => deleteConversation(writer, params.id)))) {
        throw new AppError('not_found', 'there is no conversation with this id: it may have been deleted already');
      }
      return { success: true };
    },
  };
}
