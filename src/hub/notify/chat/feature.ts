// The chat workspace as a feature: its settings, its outbox and the delivery to it.
import { minuteMs } from '#kernel/time/time.ts';
import type { Base, Feature, HubHandlers } from '../../base/feature.ts';
import { describeOutbox } from '../../base/metrics.ts';
import type { MarkSent, Outbox } from '../outbox.ts';
import { createChatOutbox, isReady, startChatDelivery } from './delivery.ts';
import { createChatHandlers } from './handlers.ts';
import { createSendTest, type SendTest } from './test-message.ts';
import { createWorkspace } from './workspace.ts';

/** The web API of the workspace. */
const defaultApiUrl = new URL('https://slack.com/api/');

export interface ChatFeature extends Feature<Pick<HubHandlers, 'chat'>>, Pick<Outbox, 'put' | 'hasAny'> {
  /** Whether alerts are enabled and can be delivered. */
  isReady(): boolean;
  /** Minimum time between alerts for the same device and destination, in milliseconds. */
  cooldownMs(): number;
  /** Whether people want to know that an alert is resolved. */
  tellsResolved(): boolean;
  /** Starts the delivery of what was queued. Call it after the commit. */
  wake(): void;
  sendTest: SendTest;
}

export function startChatFeature(
  { clock, log, db, settings, signals, options }: Base,
  markSent: MarkSent,
): ChatFeature {
  const current = () => settings.current().chat;
  const workspace = createWorkspace({ clock, apiUrl: options.chatApiUrl ?? defaultApiUrl });
  const sendTest = createSendTest({ clock, workspace, settings: current });
  const outbox = createChatOutbox(db, markSent);
  const onDelivered = (keys: readonly string[]) => signals.emit('alertsDelivered', keys);
  const delivery = startChatDelivery({ clock, log, outbox, workspace, settings: current, onDelivered });
  signals.on('clockCorrected', delivery.wake);
  return {
    handlers: { chat: createChatHandlers({ workspace, sendTest, outbox, delivery, document: settings }) },
    metrics: () => describeOutbox({ outbox: 'chat' }, outbox.state().waiting, outbox.oldestAt()),
    isReady: () => isReady(current()),
    cooldownMs: () => current().cooldownMinutes * minuteMs,
    tellsResolved: () => current().tellResolved,
    sendTest,
    put: outbox.put,
    hasAny: outbox.hasAny,
    wake: delivery.wake,
    settled: delivery.settled,
    [Symbol.asyncDispose]: () => delivery[Symbol.asyncDispose](),
  };
}
