// What the hub is to begin by itself, from the settings and from what it has begun: a restart changes nothing.
import { limits } from '#contract/limits.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { dayMs, hourMs } from '#kernel/time/time.ts';
import { timeZone } from '#kernel/time/time-zone.ts';
import type { AiSettings } from '../choice.ts';
import { type Attempt, standingOf, type Trigger } from './attempts.ts';
import { attemptsSince } from './event-log.ts';
import { scheduleOf } from './schedule.ts';

type Notifications = AiSettings['notifications'];

/** All that limits, cooldowns and periods look back on, oldest first. */
export function attemptsToRemember(reader: Pick<Reader, 'prepare'>, now: number): Attempt[] {
  return attemptsSince(reader, now - limits.aiRangeHours * hourMs - dayMs);
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
export function scheduledDue(
  notifications: Pick<Notifications, 'rules' | 'frequency' | 'weekday' | 'time' | 'timezone' | 'scheduleSetAt'>,
  attempts: readonly Attempt[],
  now: number,
): { at: number; trigger: Trigger } | null {
  const schedule = notifications.rules.scheduled ? scheduleOf(notifications) : null;
  if (!schedule) {
    return null;
  }
  const triggerOf = (key: string): Trigger => ({ type: 'scheduled', key, cause: notifications.frequency });
  const open = schedule.open(now);
  const wasSetLater = notifications.scheduleSetAt <= now && open && open.dueAt < notifications.scheduleSetAt;
  const standing = open && !wasSetLater && standingOf(ofKey(attempts, open.key), now);
  if (standing && typeof standing === 'object') {
    return { at: standing.waitMs > 0 ? now + standing.waitMs : open.dueAt, trigger: triggerOf(open.key) };
  }
  const { key, dueAt } = schedule.next(now);
  return { at: dueAt, trigger: triggerOf(key) };
}

export function ofKey(attempts: readonly Attempt[], key: string): Attempt[] {
  return attempts.filter((attempt) => attempt.key === key);
}
