// AI notifications as a feature: analyses that the hub makes at a time, after a threat or on request, and their log.
import type { ChatFeature } from '../../chat/feature.ts';
import type { Base, Feature, RouteHandlers } from '../../feature.ts';
import { notificationHandlers } from './handlers.ts';

interface Peers {
  chat: Pick<ChatFeature, 'isReady'>;
}

type Routes = 'notificationConfig' | 'saveNotificationConfig' | 'notificationEvents';

export function startAiNotificationsFeature(
  { clock, db, settings, offline }: Base,
  { chat }: Peers,
): Feature<{ ai: RouteHandlers<'ai', Routes> }> {
  return {
    handlers: { ai: notificationHandlers({ clock, db, document: settings, chat, offline, isRunning: () => false }) },
  };
}
