// The only file of the page that reads the clock or starts timers.

/** Epoch milliseconds. */
export function now(): number {
  return Date.now();
}

/** Calls `work` after `ms`. The returned function cancels it. */
export function after(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

/** Calls `work` every `ms`. The returned function stops it. */
export function every(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms);
  return () => clearInterval(timer);
}

/** The calendar fields of an instant, in the time zone of the browser. */
export function calendar(at: number): Date {
  return new Date(at);
}

/** Epoch milliseconds of an ISO 8601 text; NaN when it is not one. */
export function parseInstant(iso: string): number {
  return Date.parse(iso);
}
