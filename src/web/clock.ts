// The only file of the page that knows the time and has timers.

/** Epoch milliseconds. */
export function now(): number {
  return Date.now();
}

/** Calls `work` after `ms`; the result takes that back. */
export function after(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

/** Calls `work` every `ms`; the result ends that. */
export function every(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms);
  return () => clearInterval(timer);
}

/** The calendar fields of an instant, in the time zone of the browser. */
export function calendar(at: number): Date {
  return new Date(at);
}

/** Of an ISO 8601 text, epoch milliseconds. */
export function parseInstant(iso: string): number {
  return Date.parse(iso);
}
