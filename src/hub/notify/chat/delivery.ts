// Takes alerts from the outbox to the chat workspace: one message a second, again and again until it takes them.
import { limits } from '#contract/limits.ts';
import { hourMs } from '#kernel/time/time.ts';
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

export interface Delivery extends AsyncDisposable {
  /** Something was put in. */
  wake(): void;
  /**
   * The settings changed: what waits is tried again at once, or withdrawn when nobody is to be notified. Never rejects: the
   * settings are saved, and what the database refuses now is tried again with the next step.
   */
  reconsider(): Promise<void>;
  /** Resolves when nothing is being sent; what waits for a later time is not waited for. */
  settled(): Promise<void>;
}

/** What a workspace may ask for: `createChatFetch` reads no more from its answer. */
const longestWaitMs = hourMs;

/** Whether alerts can be delivered at all. */
export function isReady({ enabled, token, userId }: ChatSettings): boolean {
  return enabled && token !== '' && userId !== '';
}

export function startDelivery({ clock, log, outbox, workspace, settings, onDelivered }: DeliveryOptions): Delivery {
  const stop = new AbortController();
  const state: State = { woken: Promise.withResolvers<void>(), lastPostAt: 0, changed: null };
  const idle = createIdleness();
  const channel: { of: string; id: string } = { of: '', id: '' };

  const channelOf = async ({ token, userId }: ChatSettings) => {
    const key = `${token} ${userId}`;
    if (channel.of !== key) {
      channel.id = await workspace.channelOf(token, userId, stop.signal);
      channel.of = key;
    }
    return channel.id;
  };
  /** Recipient and token may have changed after every wait. */
  const isCurrent = (asked: ChatSettings) => settings() === asked;
  const post = async (message: OpenMessage, asked: ChatSettings) => {
    try {
      const { text, clientId } = message;
      const to = await channelOf(asked);
      if (isCurrent(asked)) {
        await workspace.post(asked.token, { channel: to, text, clientId }, stop.signal);
        onDelivered(await outbox.sent(message, clock.now()));
      }
    } catch (error) {
      if (stop.signal.aborted || !(error instanceof ChatFailure)) {
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
  /** One step; resolves to how long to rest, null until woken. */
  const step = async (): Promise<number | null> => {
    await applyChange();
    const asked = settings();
    if (!isReady(asked)) {
      return null;
    }
    const now = clock.now();
    await outbox.withdraw(now - limits.chatKeepTryingMs, now);
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
    await pace(now - state.lastPostAt);
    if (isCurrent(asked)) {
      state.lastPostAt = clock.now();
      await post(next, asked);
    }
    return 0;
  };
  const pace = (sinceMs: number) =>
    sinceMs < limits.chatPaceMs ? clock.sleep(limits.chatPaceMs - Math.max(sinceMs, 0), stop.signal) : undefined;
  const run = async () => {
    while (!stop.signal.aborted) {
      const { promise: woken } = state.woken;
      const restMs = await step().catch((error: unknown) => {
        if (!stop.signal.aborted) {
          log.error({ err: error }, 'chat messages could not be delivered; trying again in a minute');
        }
        return limits.chatMinuteMs;
      });
      if (restMs !== 0) {
        if (woken === state.woken.promise) {
          idle.begin();
        }
        await rest(restMs, woken);
        idle.end();
      }
    }
    idle.begin();
  };
  const rest = async (ms: number | null, woken: Promise<void>) => {
    const over = new AbortController();
    const slept = ms === null ? new Promise<void>(() => {}) : clock.sleep(ms, over.signal).catch(() => undefined);
    await Promise.race([slept, woken]);
    over.abort();
  };
  const wake = () => {
    const { woken } = state;
    state.woken = Promise.withResolvers();
    idle.end();
    woken.resolve();
  };
  const running = run();

  return {
    wake,
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
      wake();
    },
    settled: idle.awaited,
    async [Symbol.asyncDispose]() {
      stop.abort();
      wake();
      await running;
    },
  };
}

interface State {
  woken: PromiseWithResolvers<void>;
  lastPostAt: number;
  /** What changed settings ask of the outbox; null when it is done. */
  changed: { withdrawBefore: number | null; isRetryDue: boolean } | null;
}

/** Whether there is nothing to do just now, and who waits for that. */
function createIdleness() {
  const waiting = new Set<() => void>();
  const state = { isIdle: false };
  return {
    begin() {
      state.isIdle = true;
      for (const tell of waiting) {
        tell();
      }
      waiting.clear();
    },
    end() {
      state.isIdle = false;
    },
    awaited: () => (state.isIdle ? Promise.resolve() : new Promise<void>((resolve) => waiting.add(resolve))),
  };
}

/** Failures that other settings may not have. */
const dependsOnSettings: ReadonlySet<ChatFailure['kind']> = new Set(['settings', 'refused', 'unreachable']);

/** When to try again: as asked; ten minutes when somebody must change something; else sooner first, then later. */
function nextTry({ kind, retryAfterMs }: ChatFailure, attempts: number, now: number): number | null {
  switch (kind) {
    case 'message':
      return null;
    case 'limited':
      return now + retryAfterMs;
    case 'settings':
      return now + limits.chatRetryMaxMs;
    case 'refused':
    case 'unreachable':
      return now + Math.min(limits.chatRetryMinMs * 2 ** Math.min(attempts, 20), limits.chatRetryMaxMs);
  }
}
