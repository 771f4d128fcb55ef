// Runs a callback after a time without bytes. It measures real time, because bytes come in real time, and needs one
// timer, however often the callback is postponed.
import { monotonicMs, systemClock, yieldToEventLoop } from '#kernel/time/clock.ts';

/** Turns of the event loop before the callback: bytes that arrived while the hub was busy are read in them. */
const readTurns = 10;

export function createQuietWatch() {
  let wanted: { at: number; then: () => void } | null = null;
  let timer: { until: number; stop: AbortController } | null = null;

  const arm = (): void => {
    if (!wanted || (timer && timer.until <= wanted.at)) {
      return;
    }
    timer?.stop.abort();
    const own = { until: wanted.at, stop: new AbortController() };
    timer = own;
    systemClock.sleep(Math.max(0, own.until - monotonicMs()), own.stop.signal).then(
      () => expired(own),
      () => undefined,
    );
  };
  const expired = async (own: typeof timer): Promise<void> => {
    if (timer !== own) {
      return;
    }
    timer = null;
    const due = wanted;
    if (due && due.at <= monotonicMs()) {
      for (let turn = 0; turn < readTurns && wanted === due; turn += 1) {
        await yieldToEventLoop();
      }
      if (wanted === due) {
        wanted = null;
        due.then();
      }
    }
    arm();
  };
  const stop = (): void => {
    wanted = null;
    timer?.stop.abort();
    timer = null;
  };
  return {
    /** Runs `then` in `ms` milliseconds. Replaces the callback of an earlier call. */
    want(ms: number, then: () => void): void {
      wanted = { at: monotonicMs() + ms, then };
      arm();
    },
    /** Drops the callback. The timer goes on, for the next call of `want`. */
    cancel(): void {
      wanted = null;
    },
    /** Drops the callback and ends the timer. */
    stop,
  };
}
