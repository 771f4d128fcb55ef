// How long a mute lasts.
const hourMs = 3_600_000;

const lengths = { hour: hourMs, day: 24 * hourMs, week: 7 * 24 * hourMs, good: null };
export type Duration = keyof typeof lengths;
export const durations = Object.keys(lengths) as Duration[];

/** Epoch milliseconds; null: for good. */
export function toEnd(duration: Duration, now: number): number | null {
  const length = lengths[duration];
  return length === null ? null : now + length;
}
