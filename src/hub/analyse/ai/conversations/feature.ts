// Conversations as a feature: questions are asked and stored, read and deleted, and whole again after a hub that was killed.
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

/** A hub whose disk refuses writes starts all the same: such a question is settled when its request is sent again. */
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
