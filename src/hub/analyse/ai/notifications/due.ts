// What the hub is to begin by itself, from the settings and from what it has begun: a restart changes nothing.
import { limits } from '#contract/limits.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { dayMs, hourMs } from '#kernel/time/time.ts';
import { timeZone } from '#kernel/time/time-zone.ts';
import type { AiSettings } from '../choice.ts';
import { type Attempt, decideRetry, type Trigger } from './attempts.ts';
import { readAttempts } from './event-log.ts';
import { createSchedule } from './schedule.ts';

type Notifications = AiSettings['notifications'];

/** The attempts that daily limit, cooldown and periods can depend on, oldest first. */
export function readRecentAttempts(reader: Pick<Reader, 'prepare'>, now: number): Attempt[] {
  return readAttempts(reader, now - limits.aiRangeHours * hourMs - dayMs);
}

/** Whether as many tries were begun on this local day as are allowed, of schedules and threats together. */
export function isLimitReached(
  { dailyLimit, timezone }: Pick<Notifications, 'dailyLimit' | 'timezone'>,
  attempts: readonly Attempt[],
  now: number,
): boolean {
  const zone = timeZone(timezone) ?? timeZone('UTC');
  const today = zone?.at(now).date;
  return attempts.filter(({ at }) => zone?.at(at).date === today).length >= dailyLimit;
}

/**
 * The scheduled analysis that comes next, and when it is to be begun: not later than `now` when it is due. Null when none
 * is scheduled.
 */
export function findScheduledDue(
  notifications: Pick<Notifications, 'rules' | 'frequency' | 'weekday' | 'time' | 'timezone' | 'scheduleSetAt'>,
  attempts: readonly Attempt[],
  now: number,
): { at: number; trigger: Trigger } | null {
  const schedule = notifications.rules.scheduled ? createSchedule(notifications) : null;
  if (!schedule) {
    return null;
  }
  const createTrigger = (key: string): Trigger => ({ type: 'scheduled', key, cause: notifications.frequency });
  const open = schedule.open(now);
  const wasSetLater = notifications.scheduleSetAt <= now && open && open.dueAt < notifications.scheduleSetAt;
  const standing = open && !wasSetLater && decideRetry(filterByKey(attempts, open.key), now);
  if (standing && typeof standing === 'object') {
    return { at: standing.waitMs > 0 ? now + standing.waitMs : open.dueAt, trigger: createTrigger(open.key) };
  }
  const { key, dueAt } = schedule.next(now);
  return { at: dueAt, trigger: createTrigger(key) };
}

export function filterByKey(attempts: readonly Attempt[], key: string): Attempt[] {
  return attempts.filter((attempt) => attempt.key === key);
}
