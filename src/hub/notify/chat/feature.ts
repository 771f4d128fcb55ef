// The chat workspace as a feature: its settings, and alerts on their way to it.
import { minuteMs } from '#kernel/time/time.ts';
import type { AlertChannel } from '../../base/chat-alert.ts';
import type { Base, Feature, HubHandlers } from '../../base/feature.ts';
import { describeOutbox } from '../../base/metrics.ts';
import { isReady, startDelivery } from './delivery.ts';
import { createChatHandlers } from './handlers.ts';
import { createOutbox, type MarkSent, type Outbox } from './outbox.ts';
import { createSendTest, type SendTest } from './test-message.ts';
import { createWorkspace } from './workspace.ts';

/** The web API of the workspace. */
const defaultApiUrl = new URL('https://slack.com/api/');

export type ChatFeature = Feature<Pick<HubHandlers, 'chat'>> &
  AlertChannel &
  Pick<Outbox, 'prune'> & { sendTest: SendTest };

export function startChatFeature(
  { clock, log, db, settings, signals, options }: Base,
  markSent: MarkSent,
): ChatFeature {
  const current = () => settings.current().chat;
  const workspace = createWorkspace({ clock, apiUrl: options.chatApiUrl ?? defaultApiUrl });
  const sendTest = createSendTest({ clock, workspace, settings: current });
  const outbox = createOutbox(db, markSent);
  const onDelivered = (keys: readonly string[]) => signals.emit('alertsDelivered', keys);
  const delivery = startDelivery({ clock, log, outbox, workspace, settings: current, onDelivered });
  signals.on('clockCorrected', delivery.wake);
  return {
    handlers: { chat: createChatHandlers({ workspace, sendTest, outbox, delivery, document: settings }) },
    metrics: () => describeOutbox('chat', outbox.state().waiting, outbox.oldestAt()),
    isReady: () => isReady(current()),
    cooldownMs: () => current().cooldownMinutes * minuteMs,
    tellsResolved: () => current().tellResolved,
    sendTest,
    put: outbox.put,
    wake: delivery.wake,
    prune: outbox.prune,
    settled: delivery.settled,
    [Symbol.asyncDispose]: () => delivery[Symbol.asyncDispose](),
  };
}
