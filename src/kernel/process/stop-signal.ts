// SIGINT and SIGTERM as one AbortSignal.

/**
 * Aborted by the first SIGINT or SIGTERM. Later ones change nothing: Ctrl-C reaches a program both from the terminal and
 * from the launcher in front of it, and the second must not cut off an orderly stop.
 */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => stop.abort(new Error(`stopped by ${name}`)));
  }
  return stop.signal;
}
