// The only reader of the wall clock and the only owner of timers. Tests use a ManualClock instead.

/** Source of time. All instants are integer epoch milliseconds, all durations milliseconds. */
export interface Clock {
  now(): number;
  /** Milliseconds of a clock that nobody can set: only the difference of two readings means something. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest wait of setTimeout, in milliseconds. Node ends a longer one after a millisecond. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: monotonicMs,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      let timer: NodeJS.Timeout;
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const end = () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      const wait = (leftMs: number) => {
        timer =
          leftMs > longestTimerMs ? setTimeout(wait, longestTimerMs, leftMs - longestTimerMs) : setTimeout(end, leftMs);
      };
      wait(ms);
      signal?.addEventListener('abort', stop, { once: true });
    }),
};

/** ISO-8601 UTC text of an instant. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** An instant as a Date, for libraries that require one. */
export function toDate(ms: number): Date {
  return new Date(ms);
}

/** The instant of an ISO-8601 date and time with offset (RFC 3339 §5.6); `null` for other text and for no such day. */
export function parseIsoTime(text: string): number | null {
  const parts = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/.exec(text);
  const day = parts && new Date(Date.UTC(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]))).getUTCDate();
  const at = day === Number(parts?.[3]) ? Date.parse(text.toUpperCase()) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

/** The instant of a date of HTTP such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 5.6.7); `null` for other text. */
export function parseHttpDate(text: string): number | null {
  const at = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

/** Epoch milliseconds of a UTC calendar time; `month` is 1…12. */
export function utcTime(year: number, month: number, day: number, hour = 0, minute = 0, second = 0): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Calendar parts of an instant shifted by `offsetMs` from UTC; `month` is 1…12, `weekday` 0 (Sunday) … 6. */
export function calendar(ms: number, offsetMs = 0) {
  const date = new Date(ms + offsetMs);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
  };
}

/** Milliseconds from `at` to `now`; infinite when `at` is in the future, because the clock was put back since. */
export function elapsed(at: number, now: number): number {
  return at > now ? Number.POSITIVE_INFINITY : now - at;
}

/** Lets the event loop run everything that is waiting. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Milliseconds of the monotonic clock of the system, which its events are stamped with. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** A stopwatch: milliseconds since it was made, as `readMs` counts them; a monotonic clock of the system when absent. */
export function stopwatch(readMs: () => number = () => performance.now()): () => number {
  const started = readMs();
  return () => readMs() - started;
}

/** Whether `ms` have passed: false, without an error, when the signal is aborted first. */
export function hasPassed(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  return clock.sleep(ms, signal).then(
    () => true,
    () => false,
  );
}

/** Abort reason of an unused timer: an abort without a reason allocates an error with a stack trace. */
const over = 'the work is over';

/**
 * Rejects with `reason` when `work` takes longer than `ms`. The signal of `work` is then aborted, as with the outer
 * `signal`; `work` is not awaited after that. With an outer signal that is already aborted, nothing starts.
 */
export async function withDeadline<T>(
  clock: Clock,
  ms: number,
  reason: () => Error,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  // No AbortSignal.any: Node holds such a signal, and with it what its listeners hold, until it is aborted.
  const own = new AbortController();
  const follow = () => own.abort(signal?.reason);
  signal?.addEventListener('abort', follow, { once: true });
  const timer = new AbortController();
  const expired = Promise.withResolvers<never>();
  const expire = () => {
    const error = reason();
    // Before the work hears of it: what it then says of its own end is not the reason.
    expired.reject(error);
    own.abort(error);
  };
  void clock.sleep(ms, timer.signal).then(expire, () => undefined);
  try {
    return await Promise.race([work(own.signal), expired.promise]);
  } finally {
    timer.abort(over);
    signal?.removeEventListener('abort', follow);
  }
}
