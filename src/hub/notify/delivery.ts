// Takes messages from an outbox to its destination: one a second, again and again until the other side takes them.
import { chatLimits } from '#contract/chat-limits.ts';
import { hourMs } from '#kernel/time/time.ts';
import { startWorkLoop, type WorkLoop } from '#kernel/time/work-loop.ts';
import type { Base } from '../base/feature.ts';
import type { Outbox } from './outbox.ts';
import type { OpenMessage } from './outbox-queue.ts';
import { SendFailure, type SendFailureKind } from './send-failure.ts';

/** A time in which the delivery sends nothing, or dangerous events alone. */
export interface Hold {
  /** When it ends, epoch milliseconds. */
  until: number;
  dangerAnyway: boolean;
}

/** What one kind of destination gives to a delivery. `S` is the type of its settings; every change makes another object of them. */
export interface DeliveryOptions<S> extends Pick<Base, 'clock' | 'log'> {
  /** For the log, such as `the chat workspace`. */
  name: string;
  outbox: Outbox;
  /** Read at every step. */
  settings: () => S;
  /** Whether anything can be delivered at all. */
  isReady: (settings: S) => boolean;
  /** Called at each step, also while nothing can be delivered. */
  prepare?: (settings: S) => Promise<void>;
  findHold?: (settings: S, now: number) => Hold | null;
  /**
   * Tries once. Resolves to false when the settings have changed and nothing was sent. Rejects with a SendFailure, or with
   * the reason of the signal.
   */
  send: (message: OpenMessage, settings: S, signal: AbortSignal) => Promise<boolean>;
  /** Returns the text that the outbox keeps of a failure. */
  describeFailure: (failure: SendFailure) => string;
  /** Called with the keys of events after their delivery is recorded. */
  onDelivered?: (keys: readonly string[]) => void;
}

/** The caller calls `wake` after it has put something into the outbox. */
export interface Delivery extends WorkLoop {
  /**
   * The settings changed: what waits is tried again at once, or withdrawn when nobody is to be notified. Never rejects: the
   * settings are saved, and what the database refuses now is tried again with the next step.
   */
  reconsider(): Promise<void>;
}

/** The longest wait that the other side can ask for. */
const longestWaitMs = hourMs;

export function startDelivery<S>(options: DeliveryOptions<S>): Delivery {
  const { clock, log, name, outbox, settings, isReady, findHold = () => null } = options;
  const state: State = { lastPostAt: 0, changed: null };

  const post = async (message: OpenMessage, asked: S, signal: AbortSignal) => {
    try {
      if (await options.send(message, asked, signal)) {
        const keys = await outbox.sent(message, clock.now());
        options.onDelivered?.(keys);
      }
    } catch (error) {
      if (signal.aborted || !(error instanceof SendFailure)) {
        throw error;
      }
      const at = clock.now();
      const { code, kind } = error;
      log.warn({ code, attempts: message.attempts + 1 }, `${name} did not take a message: ${error.message}`);
      const isOutdated = settings() !== asked && dependsOnSettings.has(kind);
      const nextAt = isOutdated ? at : nextTry(error, message.attempts, at);
      await outbox.failed(message, options.describeFailure(error), at, nextAt);
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
    await options.prepare?.(asked);
    if (!isReady(asked)) {
      return null;
    }
    const now = clock.now();
    await outbox.withdraw(now - chatLimits.chatKeepTryingMs, now);
    const hold = findHold(asked, now);
    const holdMs = hold && Math.max(hold.until - now, 1);
    const next = hold && !hold.dangerAnyway ? null : await outbox.next(now, hold !== null);
    if (next === null) {
      return holdMs;
    }
    const waitMs = ('notBefore' in next ? next.notBefore : next.nextAt) - now;
    if ('notBefore' in next) {
      return Math.max(waitMs, 1);
    }
    // A retry time beyond the longest wait means that the clock was set back.
    if (waitMs > 0 && waitMs <= longestWaitMs) {
      return Math.min(waitMs, holdMs ?? waitMs);
    }
    await pace(now - state.lastPostAt, signal);
    if (settings() === asked) {
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
      log.error({ err: error }, `messages to ${name} could not be delivered; trying again in a minute`);
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
          `messages to ${name} that wait follow the new settings as soon as the database can be written`,
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
const dependsOnSettings: ReadonlySet<SendFailureKind> = new Set(['settings', 'refused', 'unreachable']);

/**
 * Returns when to try again: when the other side asks, after ten minutes when somebody must change something, else after 5 s,
 * doubling to ten minutes. Null when the event is given up.
 */
function nextTry({ kind, retryAfterMs }: SendFailure, attempts: number, now: number): number | null {
  switch (kind) {
    case 'event':
      return null;
    case 'limited':
      return now + Math.min(Math.max(retryAfterMs, 1000), longestWaitMs);
    case 'settings':
      return now + chatLimits.chatRetryMaxMs;
    case 'refused':
    case 'unreachable':
      return now + Math.min(chatLimits.chatRetryMinMs * 2 ** Math.min(attempts, 20), chatLimits.chatRetryMaxMs);
  }
}
