// How automatic analyses are doing: whether they can be made, when the next one is due, and what is in the way.
import type { z } from 'zod';
import type { aiNotificationRoutes } from '#contract/ai-notifications.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { createStatement, type Statement, toMessage } from '../../../base/statements.ts';
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
  const limit = isLimitReached(notifications, attempts, now) ? describeLimit(notifications) : null;
  const obstacle = isOn ? (hindrance ?? limit) : null;
  return {
    running: isRunning,
    provider: settings.provider,
    automationReady: isOn && hindrance === null,
    chatReady: isChatReady,
    nextRunAt: findScheduledDue(notifications, attempts, now)?.at ?? null,
    ...(obstacle === null ? { message: null, messageFacts: [] } : toMessage(obstacle)),
  };
}

function describeLimit({ dailyLimit, timezone }: AiSettings['notifications']): Statement {
  const sentence = `the hub has begun ${dailyLimit} analyses today, as many as dailyLimit allows: the next is made when the day ends in ${timezone}`;
  return createStatement('analyses_of_day_made', sentence, { analyses: dailyLimit, zone: timezone });
}
