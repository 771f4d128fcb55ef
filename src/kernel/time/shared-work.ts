// Work that several callers await. It has no caller's signal: a caller that leaves does not cancel it.

/**
 * Returns a function that starts `work`, or joins it while it is running. Each call settles as the work does, or
 * rejects with the reason of its own `signal` as soon as that is aborted. The next call after the end starts it again.
 */
export function shareWork<T>(work: () => Promise<T>): (signal: AbortSignal) => Promise<T> {
  let underWay: Promise<T> | null = null;
  return async (signal) => {
    signal.throwIfAborted();
    underWay ??= work().finally(() => {
      underWay = null;
    });
    return until(underWay, signal);
  };
}

function until<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
