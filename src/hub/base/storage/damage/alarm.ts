// Tells people of damage: it writes the log of the hub and tells an event. `/api/status` shows the same sentences.
import { messageOf } from '#kernel/errors.ts';
import type { Base } from '../../feature.ts';
import type { Telling, ToldEvent } from '../../told-event.ts';

export type Alarm = ReturnType<typeof createAlarm>;

export function createAlarm(
  { db, clock, log }: Pick<Base, 'db' | 'clock' | 'log'>,
  telling: Pick<Telling, 'isTold' | 'put' | 'wake'>,
) {
  return {
    /** `key` names what is damaged. Never rejects: an alert that cannot be stored is in the log. */
    async raise(key: string, sentence: string) {
      log.error({}, sentence);
      if (!telling.isTold('hub')) {
        return;
      }
      const now = clock.now();
      const event: ToldEvent = {
        key: `damage|${key}`,
        kind: 'hub',
        state: 'raised',
        level: 'danger',
        at: now,
        title: 'Damaged data',
        facts: [],
        body: sentence,
      };
      try {
        await db.write((writer) => telling.put(writer, event, now));
        telling.wake();
      } catch (error) {
        log.error({ err: error }, `the alert about damaged data could not be stored (${messageOf(error)})`);
      }
    },
  };
}
