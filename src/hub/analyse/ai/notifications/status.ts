// How automatic analyses are doing: whether they can be made, when the next one is due, and what is in the way.
import type { z } from 'zod';
import type { aiNotificationRoutes } from '#contract/ai-notifications.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import type { AiSettings } from '../choice.ts';
import { findScheduledDue, isLimitReached, readRecentAttempts } from './due.ts';
import { findHindrance, isAnyRuleOn, type Surroundings } from './readiness.ts';

type Status = z.output<(typeof aiNotificationRoutes)['notificationConfig']['reply'][200]>['status'];

export function readNotificationStatus(
  reader: Pick<Reader, 'prepare'>,
  settings: AiSettings,
  surroundings: Surroundings & { isRunning: boolean; now: number },
): Status {
  const { isChatReady, isRunning, now } = surroundings;
  const { notifications } = settings;
  const isOn = isAnyRuleOn(notifications);
  const hindrance = findHindrance(settings, surroundings);
  const attempts = readRecentAttempts(reader, now);
  return {
    running: isRunning,
    provider: settings.provider,
    automationReady: isOn && hindrance === null,
    chatReady: isChatReady,
    nextRunAt: findScheduledDue(notifications, attempts, now)?.at ?? null,
    message: isOn
      ? (hindrance ?? formatLimitMessage(notifications, isLimitReached(notifications, attempts, now)))
      : null,
  };
}

function formatLimitMessage({ dailyLimit, timezone }: AiSettings['notifications'], isReached: boolean): string | null {
  return isReached
    ? `the hub has begun ${dailyLimit} analyses today, as many as dailyLimit allows: the next is made when the day ends in ${timezone}`
    : null;
}
