// Does something once nothing has come for a while, in real time, as bytes are; one timer, however often it is put off.
import { monotonicMs, systemClock, yieldToEventLoop } from '#kernel/time/clock.ts';

/** Turns of the event loop in which what came in time is read: a hub that was busy does not take that for silence. */
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
    /** Runs `then` in `ms`, instead of what was wanted before. */
    want(ms: number, then: () => void): void {
      wanted = { at: monotonicMs() + ms, then };
      arm();
    },
    /** Runs nothing until something is wanted again. */
    cancel(): void {
      wanted = null;
    },
    /** As `cancel`, and ends the timer. */
    stop,
  };
}
