// How the two weeks before the demo were observed: every router all the time, but for one hour in which one was silent.

import type { RouterRecord } from '#hub/base/settings/schema.ts';
import { toRouterSubject } from '#hub/collect/routers/coverage.ts';
import { addSpan, ensureSubject } from '#hub/record/coverage/span.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';

const hourMs = 3_600_000;

/** Epoch milliseconds. */
export interface Period {
  from: number;
  to: number;
}

/** The hour in which the second router was silent, on the day before `now`. */
export function silentHour(now: number): Period {
  const from = Math.floor(now / hourMs) * hourMs - 9 * hourMs;
  return { from, to: from + hourMs };
}

/** Writes it as the hub would have noted it. */
export async function writeCoverage(db: Db, routers: readonly RouterRecord[], { from, to }: Period): Promise<void> {
  const silent = silentHour(to);
  await db.write((writer) => {
    for (const [index, router] of routers.entries()) {
      const subject = ensureSubject(writer, toRouterSubject(router));
      if (index === 1) {
        addSpan(writer, subject, { since: from, until: silent.from, isSeen: true, reason: null });
        addSpan(writer, subject, { since: silent.from, until: silent.to, isSeen: false, reason: 'timed_out' });
      }
      addSpan(writer, subject, { since: index === 1 ? silent.to : from, until: to, isSeen: true, reason: null });
    }
  });
}
