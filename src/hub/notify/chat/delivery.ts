// The delivery to the chat workspace: it finds the channel, makes digests, and bounds the messages of a minute.
import { chatLimits } from '#contract/chat-limits.ts';
import type { Base } from '../../base/feature.ts';
import { type Delivery, startDelivery } from '../delivery.ts';
import { createOutbox, type MarkSent, type Outbox } from '../outbox.ts';
import type { ListMade } from '../outbox-queue.ts';
import { ChatFailure } from './chat-failure.ts';
import type { ChatSettings } from './chat-settings.ts';
import { formatAlert, formatDigest } from './message-text.ts';
import type { Workspace } from './workspace.ts';

export interface ChatDeliveryOptions extends Pick<Base, 'clock' | 'log'> {
  outbox: Outbox;
  workspace: Workspace;
  /** Read at every step. */
  settings: () => ChatSettings;
  /** Called with the keys of alerts after their delivery is recorded. */
  onDelivered: (keys: readonly string[]) => void;
}

/** Whether alerts can be delivered at all. */
export function isReady({ enabled, token, userId }: ChatSettings): boolean {
  return enabled && token !== '' && userId !== '';
}

export function createChatOutbox(db: Base['db'], onSent: MarkSent): Outbox {
  return createOutbox({
    db,
    destination: 'chat',
    format: ([first, ...more]) =>
      first && more.length === 0 ? formatAlert(first) : formatDigest(first ? [first, ...more] : []),
    onSent,
    countPlaces,
  });
}

export function startChatDelivery({
  clock,
  log,
  outbox,
  workspace,
  settings,
  onDelivered,
}: ChatDeliveryOptions): Delivery {
  const channel: { of: string; id: string } = { of: '', id: '' };
  const findChannel = async ({ token, userId }: ChatSettings, signal: AbortSignal) => {
    const key = `${token} ${userId}`;
    if (channel.of !== key) {
      channel.id = await workspace.channelOf(token, userId, signal);
      channel.of = key;
    }
    return channel.id;
  };
  return startDelivery({
    clock,
    log,
    name: 'the chat workspace',
    outbox,
    settings,
    isReady,
    async send({ text, clientId }, asked, signal) {
      try {
        const to = await findChannel(asked, signal);
        // Token and recipient can change during every await.
        if (settings() !== asked) {
          return false;
        }
        await workspace.post(asked.token, { channel: to, text, clientId }, signal);
        return true;
      } catch (error) {
        if (error instanceof ChatFailure && error.kind === 'settings') {
          channel.of = '';
        }
        throw error;
      }
    },
    describeFailure: ({ code }) => code,
    onDelivered,
  });
}

/** Five messages a minute at most: more alerts are combined into one message afterwards. */
function countPlaces(listMade: ListMade, oldestAt: number, now: number): number | { notBefore: number } {
  const recent = listMade(now - chatLimits.chatMinuteMs, now);
  const [first] = recent;
  if (first !== undefined && recent.length >= chatLimits.chatMessagesPerMinute) {
    return { notBefore: first + chatLimits.chatMinuteMs };
  }
  const then = listMade(oldestAt - chatLimits.chatMinuteMs, oldestAt).length;
  return chatLimits.chatMessagesPerMinute - Math.max(then, recent.length);
}
