// Conversations as a feature: what is stored of them is read, deleted, and whole again after a hub that was killed.
import { messageOf } from '#kernel/errors.ts';
import type { Base, Feature, RouteHandlers } from '../../feature.ts';
import { type StoredRoute, storedHandlers } from './handlers.ts';
import { failInterrupted } from './store.ts';

export async function startConversationsFeature(
  base: Base,
): Promise<Feature<{ ai: RouteHandlers<'ai', StoredRoute> }>> {
  await settleInterrupted(base);
  return { handlers: { ai: storedHandlers({ db: base.db, reads: base.readers.reads }) } };
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
