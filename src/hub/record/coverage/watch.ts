// Records once a minute what was not observed, and the state of feeds and Agents.

import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { startJob } from '#kernel/time/job.ts';
import { minuteMs } from '#kernel/time/time.ts';
import type { Base } from '../../base/feature.ts';
import { addSpan, type CoverageState, ensureSubject, findLastSpan } from './span.ts';

interface Options extends Pick<Base, 'db' | 'clock' | 'log'> {
  states: () => readonly CoverageState[];
  startedAt: number;
}

export function startCoverageWatch({ db, clock, log, states, startedAt }: Options): AsyncDisposable {
  return startJob(clock, log, {
    name: 'noting what is observed',
    everyMs: minuteMs,
    async run() {
      const now = clock.now();
      const all = states();
      await db.write((writer) => {
        const ids = all.map((state) => noteState(writer, state, now, startedAt));
        writer
          .prepare(
            `UPDATE coverage_subject SET removed_at = coalesce(
               (SELECT until FROM coverage_span WHERE subject = coverage_subject.id ORDER BY since DESC LIMIT 1), ?)
             WHERE removed_at IS NULL AND id NOT IN (SELECT value FROM json_each(?))`,
          )
          .run(now, JSON.stringify(ids));
      });
    },
  });
}

function noteState(writer: Writer, state: CoverageState, now: number, startedAt: number): number {
  const { seenUntil, gap, part, togetherMs } = state;
  const subject = ensureSubject(writer, state);
  if (seenUntil !== null) {
    const last = findLastSpan(writer, subject);
    const isNext = last !== null && last.seen > 0 && seenUntil - last.until <= togetherMs;
    const since = isNext ? last.until : seenUntil - minuteMs;
    addSpan(writer, subject, { since, until: seenUntil, isSeen: true, reason: part });
  }
  if (gap !== null) {
    const last = findLastSpan(writer, subject);
    const since = Math.max(last?.until ?? now - minuteMs, startedAt);
    addSpan(writer, subject, { since, until: now, isSeen: false, reason: gap });
  }
  return subject;
}
