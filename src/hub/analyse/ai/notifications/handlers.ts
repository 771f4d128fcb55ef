// Handlers of AI notifications: their settings, and the log of what was made.
import type { AiNotificationEvent, aiNotificationRoutes } from '#contract/ai-notifications.ts';
import { limits } from '#contract/limits.ts';
import type { Db } from '#kernel/sqlite/sqlite.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { RouteHandlers } from '../../../base/feature.ts';
import type { SettingsDocument } from '../../../base/settings/document.ts';
import type { ChatFeature } from '../../../notify/chat/feature.ts';
import type { Caller } from '../sending.ts';
import { applyConfigChange, toNotificationConfig } from './config.ts';
import { listEvents } from './event-log.ts';
import { readNotificationStatus } from './status.ts';

export interface NotificationHandlersOptions {
  clock: Clock;
  db: Db;
  document: SettingsDocument;
  chat: Pick<ChatFeature, 'isReady'>;
  offline: boolean;
  isRunning: () => boolean;
  /** `confirmed`: this request may go to a cloud provider. */
  runNow: (confirmed: boolean, caller: Caller) => Promise<AiNotificationEvent>;
  test: () => Promise<AiNotificationEvent>;
}

export type NotificationRoutes = RouteHandlers<'ai', keyof typeof aiNotificationRoutes>;

export function createNotificationHandlers(options: NotificationHandlersOptions): NotificationRoutes {
  const { clock, db, document, chat, offline, isRunning, runNow, test } = options;
  const readShown = () => {
    const settings = document.current().ai;
    const now = clock.now();
    const surroundings = { offline, isChatReady: chat.isReady(), isRunning: isRunning(), now };
    return { config: toNotificationConfig(settings), status: readNotificationStatus(db, settings, surroundings) };
  };
  return {
    notificationConfig: readShown,
    saveNotificationConfig({ body }) {
      document.update((all) => {
        const notifications = applyConfigChange(all.ai, body, { isChatReady: chat.isReady(), now: clock.now() });
        return { ...all, ai: { ...all.ai, notifications } };
      });
      return { success: true, ...readShown() };
    },
    notificationEvents: ({ query: { limit = limits.aiEventsDefault } }) => ({ events: listEvents(db, limit) }),
    notificationTest: async () => ({ success: true, event: await test() }),
    notificationRunNow: async ({ body, principal, request }) => ({
      success: true,
      event: await runNow(body.cloudConsentConfirmed === true, { principal, request }),
    }),
  };
}
