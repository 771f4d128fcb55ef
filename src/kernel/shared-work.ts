// One piece of work that several callers wait for. It has no caller's signal: a caller that leaves takes only itself away.

/**
 * Returns a function that starts `work`, or joins it while it is under way. Each call settles as the work does, or
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
