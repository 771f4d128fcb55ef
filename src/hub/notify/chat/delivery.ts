// Takes alerts from the outbox to the chat workspace: one message a second, again and again until it takes them.
import { chatLimits } from '#contract/chat-limits.ts';
import { hourMs } from '#kernel/time/time.ts';
import { startWorkLoop, type WorkLoop } from '#kernel/time/work-loop.ts';
import type { Base } from '../../base/feature.ts';
import { ChatFailure } from './chat-failure.ts';
import type { ChatSettings } from './chat-settings.ts';
import type { OpenMessage, Outbox } from './outbox.ts';
import type { Workspace } from './workspace.ts';

export interface DeliveryOptions extends Pick<Base, 'clock' | 'log'> {
  outbox: Outbox;
  workspace: Workspace;
  /** Read at every step. */
  settings: () => ChatSettings;
  /** Called with the keys of alerts after their delivery is recorded. */
  onDelivered: (keys: readonly string[]) => void;
}

/** `wake` it when something was put into the outbox. */
export interface Delivery extends WorkLoop {
  /**
   * The settings changed: what waits is tried again at once, or withdrawn when nobody is to be notified. Never rejects: the
   * settings are saved, and what the database refuses now is tried again with the next step.
   */
  reconsider(): Promise<void>;
}

/** The longest wait that a workspace can ask for: `createChatFetch` bounds its Retry-After. */
const longestWaitMs = hourMs;

/** Whether alerts can be delivered at all. */
export function isReady({ enabled, token, userId }: ChatSettings): boolean {
  return enabled && token !== '' && userId !== '';
}

export function startDelivery({ clock, log, outbox, workspace, settings, onDelivered }: DeliveryOptions): Delivery {
  const state: State = { lastPostAt: 0, changed: null };
  const channel: { of: string; id: string } = { of: '', id: '' };

  const findChannel = async ({ token, userId }: ChatSettings, signal: AbortSignal) => {
    const key = `${token} ${userId}`;
    if (channel.of !== key) {
      channel.id = await workspace.channelOf(token, userId, signal);
      channel.of = key;
    }
    return channel.id;
  };
  /** Whether the settings are still the same; token and recipient can change during every await. */
  const isCurrent = (asked: ChatSettings) => settings() === asked;
  const post = async (message: OpenMessage, asked: ChatSettings, signal: AbortSignal) => {
    try {
      const { text, clientId } = message;
      const to = await findChannel(asked, signal);
      if (isCurrent(asked)) {
        await workspace.post(asked.token, { channel: to, text, clientId }, signal);
        onDelivered(await outbox.sent(message, clock.now()));
      }
    } catch (error) {
      if (signal.aborted || !(error instanceof ChatFailure)) {
        throw error;
      }
      if (error.kind === 'settings') {
        channel.of = '';
      }
      const at = clock.now();
      log.warn(
        { code: error.code, attempts: message.attempts + 1 },
        `a chat message was not delivered: ${error.message}`,
      );
      const isOutdated = !isCurrent(asked) && dependsOnSettings.has(error.kind);
      await outbox.failed(message, error.code, at, isOutdated ? at : nextTry(error, message.attempts, at));
    }
  };
  const applyChange = async () => {
    const { changed } = state;
    if (changed?.withdrawBefore != null) {
      await outbox.withdraw(changed.withdrawBefore, clock.now());
    }
    if (changed?.isRetryDue) {
      await outbox.retryNow(clock.now());
    }
    if (state.changed === changed) {
      state.changed = null;
    }
  };
  const step = async (signal: AbortSignal): Promise<number | null> => {
    await applyChange();
    const asked = settings();
    if (!isReady(asked)) {
      return null;
    }
    const now = clock.now();
    await outbox.withdraw(now - chatLimits.chatKeepTryingMs, now);
    const next = await outbox.next(now);
    if (next === null) {
      return null;
    }
    const waitMs = ('notBefore' in next ? next.notBefore : next.nextAt) - now;
    if ('notBefore' in next) {
      return Math.max(waitMs, 1);
    }
    // A retry time beyond the longest wait means that the clock was set back.
    if (waitMs > 0 && waitMs <= longestWaitMs) {
      return waitMs;
    }
    await pace(now - state.lastPostAt, signal);
    if (isCurrent(asked)) {
      state.lastPostAt = clock.now();
      await post(next, asked, signal);
    }
    return 0;
  };
  const pace = (sinceMs: number, signal: AbortSignal) =>
    sinceMs < chatLimits.chatPaceMs ? clock.sleep(chatLimits.chatPaceMs - Math.max(sinceMs, 0), signal) : undefined;
  const loop = startWorkLoop({
    clock,
    step,
    failed(error) {
      log.error({ err: error }, 'chat messages could not be delivered; trying again in a minute');
      return chatLimits.chatMinuteMs;
    },
  });

  return {
    ...loop,
    async reconsider() {
      const isRetryDue = isReady(settings());
      // What was switched off stays withdrawn, though it is switched on again before the next step.
      const withdrawBefore = isRetryDue ? (state.changed?.withdrawBefore ?? null) : clock.now() + 1;
      state.changed = { withdrawBefore, isRetryDue };
      await applyChange().catch((error: unknown) => {
        log.warn(
          { err: error },
          'waiting chat messages follow the new settings as soon as the database can be written',
        );
      });
      loop.wake();
    },
  };
}

interface State {
  lastPostAt: number;
  /** What the outbox still has to do after a change of the settings; null: nothing. */
  changed: { withdrawBefore: number | null; isRetryDue: boolean } | null;
}

/** Kinds of failures that other settings may avoid. */
const dependsOnSettings: ReadonlySet<ChatFailure['kind']> = new Set(['settings', 'refused', 'unreachable']);

/** When to try again: as asked; ten minutes when somebody must change something; else sooner first, then later. */
function nextTry({ kind, retryAfterMs }: ChatFailure, attempts: number, now: number): number | null {
  switch (kind) {
    case 'message':
      return null;
    case 'limited':
      return now + retryAfterMs;
    case 'settings':
      return now + chatLimits.chatRetryMaxMs;
    case 'refused':
    case 'unreachable':
      return now + Math.min(chatLimits.chatRetryMinMs * 2 ** Math.min(attempts, 20), chatLimits.chatRetryMaxMs);
  }
}
