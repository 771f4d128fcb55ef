// The chat workspace as a feature: its settings, and alerts on their way to it.
import type { Writer } from '#kernel/sqlite.ts';
import { minuteMs } from '#kernel/time.ts';
import type { Base, Feature, HandlersOf } from '../feature.ts';
import type { ChatAlert } from './alert.ts';
import { isReady, startDelivery } from './delivery.ts';
import { chatHandlers } from './handlers.ts';
import { createOutbox } from './outbox.ts';
import { createWorkspace } from './workspace.ts';

/** The web API of the workspace. */
const defaultApiUrl = new URL('https://slack.com/api/');

export interface ChatFeature extends Feature<HandlersOf<'chat'>> {
  /** Somebody is to be notified, and can be. */
  isReady(): boolean;
  /** The same device and destination are not notified of again for so long. */
  cooldownMs(): number;
  /** Puts an alert in within the caller's transaction; `wake` is to be called after it. */
  put(writer: Writer, alert: ChatAlert, now: number): void;
  wake(): void;
  /** Forgets what ended before `before`. */
  prune(before: number): Promise<void>;
}

/** `markSent` is called with the keys of alerts in the transaction that records their delivery. */
export function startChatFeature(
  { clock, log, db, settings, signals, options }: Base,
  markSent: (writer: Writer, keys: readonly string[]) => void,
): ChatFeature {
  const current = () => settings.current().chat;
  const workspace = createWorkspace({ clock, apiUrl: options.chatApiUrl ?? defaultApiUrl });
  const outbox = createOutbox(db, markSent);
  const delivery = startDelivery({ clock, log, outbox, workspace, settings: current });
  signals.on('clockCorrected', delivery.wake);
  return {
    handlers: { chat: chatHandlers({ clock, workspace, outbox, delivery, document: settings }) },
    isReady: () => isReady(current()),
    cooldownMs: () => current().cooldownMinutes * minuteMs,
    put: outbox.put,
    wake: delivery.wake,
    prune: outbox.prune,
    settled: delivery.settled,
    [Symbol.asyncDispose]: () => delivery[Symbol.asyncDispose](),
  };
}
