// Does something once nothing has come for a while, in real time, as bytes are; one timer, however often it is put off.
import { systemClock } from '#kernel/clock.ts';

export interface QuietWatch {
  /** Runs `then` in `ms`, instead of what was wanted before. */
  want(ms: number, then: () => void): void;
  /** Runs nothing until something is wanted again. */
  cancel(): void;
  /** As `cancel`, and ends the timer. */
  stop(): void;
}

export function createQuietWatch(): QuietWatch {
  let wanted: { at: number; then: () => void } | null = null;
  let timer: { until: number; stop: AbortController } | null = null;

  const arm = (): void => {
    if (!wanted || (timer && timer.until <= wanted.at)) {
      return;
    }
    timer?.stop.abort();
    const own = { until: wanted.at, stop: new AbortController() };
    timer = own;
    systemClock.sleep(Math.max(0, own.until - systemClock.now()), own.stop.signal).then(
      () => expired(own),
      () => undefined,
    );
  };
  const expired = (own: typeof timer): void => {
    if (timer !== own) {
      return;
    }
    timer = null;
    if (wanted && wanted.at <= systemClock.now()) {
      const { then } = wanted;
      wanted = null;
      then();
    }
    arm();
  };
  const stop = (): void => {
    wanted = null;
    timer?.stop.abort();
    timer = null;
  };
  return {
    want(ms, then) {
      wanted = { at: systemClock.now() + ms, then };
      arm();
    },
    cancel() {
      wanted = null;
    },
    stop,
  };
}
