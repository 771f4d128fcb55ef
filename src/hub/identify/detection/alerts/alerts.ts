// Alerts as the detection log uses them: each detection joins one, and pages learn what changed.
import { alertLimits } from '#contract/alert-limits.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { startJob } from '#kernel/time/job.ts';
import type { Base } from '../../../base/feature.ts';
import type { Live } from '../../../notify/live/live.ts';
import { countOpenAlerts } from './queries.ts';
import { readEndedQuiet, updateQuiet } from './rules.ts';
import type { TellResolved } from './tell-resolved.ts';
import { type IsAllowed, settleUnlistedAlerts } from './unlisted.ts';

const mutesEveryMs = 15_000;

export function startAlerts({
  db,
  clock,
  log,
  live,
  tellResolved,
}: Pick<Base, 'db' | 'clock' | 'log'> & { live: Pick<Live, 'publish'>; tellResolved: TellResolved }) {
  const publish = (ids: readonly number[]) => {
    const now = clock.now();
    const named = ids.length > alertLimits.alertsAtOnce ? [] : [...new Set(ids)];
    live.publish('alerts', { ids: named, open: countOpenAlerts(db, now), serverTime: now });
  };
  const mutes = startJob(clock, log, {
    name: 'the end of mutes',
    everyMs: mutesEveryMs,
    async run() {
      const ended = readEndedQuiet(db, clock.now());
      if (ended.length > 0) {
        await db.write((writer) => {
          for (const { id, until } of ended) {
            updateQuiet(writer, id, until);
          }
        });
        publish(ended.map(({ id }) => id));
      }
    },
  });
  return {
    /** Publishes that these alerts changed; none: many did. Call it after the commit. */
    publish,
    /**
     * Closes the alerts whose destinations no list names any more; those that the allow list has are expected. Call it when
     * at least one list has judged the log. Resolves to whether it changed any.
     */
    async settleUnlisted(isAllowed: IsAllowed) {
      const now = clock.now();
      const changed = await db.write((writer: Writer) => {
        const { closed, allowed } = settleUnlistedAlerts(writer, isAllowed, now);
        for (const alert of closed) {
          tellResolved(writer, { ...alert, by: null, now });
        }
        return [...allowed, ...closed.map(({ id }) => id)];
      });
      if (changed.length > 0) {
        publish(changed);
      }
      return changed.length > 0;
    },
    [Symbol.asyncDispose]: () => mutes[Symbol.asyncDispose](),
  };
}
