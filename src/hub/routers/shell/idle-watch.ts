// Notices silence: fires once when nothing was touched for a time measured by the given clock.
import type { Clock } from '#kernel/clock.ts';

export interface IdleWatch {
  /** Something arrived: the time starts anew. */
  touch(): void;
  stop(): void;
}

/** Calls `expired` after `ms` without a `touch`. */
export function startIdleWatch(clock: Clock, ms: number, expired: () => void): IdleWatch {
  const stopped = new AbortController();
  let touchedAt = clock.now();
  const watch = async (): Promise<void> => {
    for (let left = ms; left > 0; left = touchedAt + ms - clock.now()) {
      await clock.sleep(left, stopped.signal);
    }
    if (!stopped.signal.aborted) {
      expired();
    }
  };
  watch().catch((error: unknown) => {
    if (!stopped.signal.aborted) {
      throw error;
    }
  });
  return {
    touch() {
      touchedAt = clock.now();
    },
    stop: () => stopped.abort(),
  };
}
