// AI notifications as a feature: analyses that the hub makes at a time, after a threat or on request, and their log.
import { limits } from '#contract/limits.ts';
import { AppError } from '#kernel/errors.ts';
import { startJob } from '#kernel/time/job.ts';
import { createUnderWay } from '#kernel/time/under-way.ts';
import type { Base, Feature } from '../../../base/feature.ts';
import type { Telling } from '../../../base/told-event.ts';
import type { ChatFeature } from '../../../notify/chat/feature.ts';
import type { Live } from '../../../notify/live/live.ts';
import type { Questions } from '../analysis/questions.ts';
import type { Generations } from '../generations.ts';
import type { Caller } from '../sending.ts';
import { createAnalysisMaker, publish } from './analysis-maker.ts';
import { createAutomation } from './automation.ts';
import { testDestinations } from './destinations-test.ts';
import { findEventsOfAlerts } from './event-log.ts';
import { createNotificationHandlers, type NotificationRoutes } from './handlers.ts';
import { chatMissing } from './readiness.ts';

interface Peers {
  generations: Pick<Generations, 'begin' | 'isBusy'>;
  compose: Questions['compose'];
  chat: Pick<ChatFeature, 'isReady' | 'sendTest'>;
  telling: Telling;
  live: Pick<Live, 'publish'>;
}

export function startAiNotificationsFeature(
  base: Base,
  { generations, compose, chat, telling, live }: Peers,
): Feature<{ ai: NotificationRoutes }> {
  const { clock, log, db, settings: document, offline } = base;
  const looks = createUnderWay();
  const makings = createUnderWay();
  const stop = new AbortController();
  const options = { clock, db, log, settings: document.current, chat, telling, live, compose };
  const makeOne = createAnalysisMaker(options);
  const make: typeof makeOne = (...asked) => makings.track(makeOne(...asked));
  const settings = () => document.current().ai;
  const look = createAutomation({ ...base, settings, isChatReady: chat.isReady, generations, make });
  const run = (signal: AbortSignal) => looks.track(look(signal));
  const runNow = async (confirmed: boolean, caller: Caller) => {
    if (!settings().notifications.destinations.ui && !chat.isReady()) {
      throw new AppError('ai_chat_missing', chatMissing);
    }
    using generation = generations.begin({ confirmed, caller });
    return await make(generation, { type: 'manual', cause: 'manual', key: null, failedKey: null }, stop.signal);
  };
  base.signals.on('alertsDelivered', (keys) => {
    for (const eventId of findEventsOfAlerts(db, keys)) {
      publish(options, eventId);
    }
  });
  const actions = { isRunning: makings.isAny, runNow, test: () => testDestinations(options) };
  const handlers = { ai: createNotificationHandlers({ clock, db, document, chat, offline, ...actions }) };
  const job = startJob(clock, log, { name: 'the look for analyses that are due', everyMs: limits.aiScheduleMs, run });
  return {
    handlers,
    settled: looks.settled,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await job[Symbol.asyncDispose]();
      await makings.settled();
    },
  };
}
