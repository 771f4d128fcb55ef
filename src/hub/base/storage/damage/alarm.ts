// Tells people of damage: the log, and the chat workspace where there is one. `/api/status` shows the same sentences.
import { messageOf } from '#kernel/errors.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import type { ChatAlert } from '../../chat-alert.ts';
import type { Base } from '../../feature.ts';

/** What the chat workspace does with an alert; one whose key is known is delivered once. */
export interface AlarmChat {
  isReady(): boolean;
  put(writer: Writer, alert: ChatAlert, now: number): void;
  wake(): void;
}

export type Alarm = ReturnType<typeof createAlarm>;

export function createAlarm({ db, clock, log }: Pick<Base, 'db' | 'clock' | 'log'>, chat: AlarmChat) {
  return {
    /** `key` names what is damaged. Never rejects: an alert that cannot be stored is in the log. */
    async raise(key: string, sentence: string) {
      log.error({}, sentence);
      if (!chat.isReady()) {
        return;
      }
      const now = clock.now();
      const alert = { key: `damage|${key}`, at: now, title: 'Damaged data', facts: [], body: sentence };
      try {
        await db.write((writer) => chat.put(writer, alert, now));
        chat.wake();
      } catch (error) {
        log.error({ err: error }, `the alert about damaged data could not be stored (${messageOf(error)})`);
      }
    },
  };
}
