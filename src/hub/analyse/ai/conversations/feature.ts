// Conversations as a feature: questions are asked, stored, read and deleted. A start repairs what a killed hub left open.
import { messageOf } from '#kernel/errors.ts';
import type { Base, Feature, RouteHandlers } from '../../../base/feature.ts';
import { type ChatOptions, createChat } from './chat.ts';
import { type ConversationRoute, createConversationHandlers } from './handlers.ts';
import { createReadTurns } from './history.ts';
import { failInterrupted } from './store.ts';

type Peers = Pick<ChatOptions, 'generations' | 'compose'>;

/** Holds requests open for as long as a provider answers. */
export async function startConversationsFeature(
  base: Base,
  peers: Peers,
): Promise<Feature<{ ai: RouteHandlers<'ai', ConversationRoute> }>> {
  const { db, readers } = base;
  await settleInterrupted(base);
  const chat = createChat({ ...base, ...peers, readTurns: createReadTurns(readers.reads) });
  return {
    handlers: { ai: createConversationHandlers({ db, reads: readers.reads, chat }) },
    [Symbol.asyncDispose]: () => chat[Symbol.asyncDispose](),
  };
}

/** Stores a failure for questions that the last run left open. A disk that refuses it does not stop the start. */
async function settleInterrupted({ db, clock, log }: Base): Promise<void> {
  try {
    const count = await db.save((writer) => failInterrupted(writer, clock.now()));
    if (count > 0) {
      log.warn({ count }, 'questions to the AI provider were under way when the hub ended: they are stored as failed');
    }
  } catch (error) {
    log.error(
      { err: error },
      `questions that were under way when the hub ended stay without an answer (${messageOf(error)})`,
    );
  }
}
