// Notices silence: fires once when nothing was touched for a time measured by the given clock. A clock that is set meanwhile
// makes it fire later by at most that time, or five seconds early.
import type { Clock } from '#kernel/time/clock.ts';

/** How late a sleep may end on a machine that is busy. */
const lateMs = 5000;

/** Calls `expired` after `ms` without a `touch`. */
export function startIdleWatch(clock: Clock, ms: number, expired: () => void) {
  const stopped = new AbortController();
  let touchedAt: number | null = null;
  const watch = async (): Promise<void> => {
    for (let left = ms; left > 0; ) {
      touchedAt = null;
      await clock.sleep(left, stopped.signal);
      left = leftAfter(left);
    }
    if (!stopped.signal.aborted) {
      expired();
    }
  };
  const leftAfter = (sleptMs: number): number => {
    if (touchedAt === null) {
      return 0;
    }
    const agoMs = clock.now() - touchedAt;
    // Where the clock was set, only that there was a touch is known.
    const wasSet = agoMs < 0 || agoMs > sleptMs + lateMs;
    return wasSet ? ms : ms - agoMs;
  };
  watch().catch((error: unknown) => {
    if (!stopped.signal.aborted) {
      throw error;
    }
  });
  return {
    /** Something arrived: the time starts anew. */
    touch(): void {
      touchedAt = clock.now();
    },
    stop: () => stopped.abort(),
  };
}
