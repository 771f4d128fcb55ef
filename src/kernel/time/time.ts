// Units of time in milliseconds, and the hours that instants are counted in.

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** The hour since the epoch that an instant lies in. */
export function hourOf(at: number): number {
  return Math.floor(at / hourMs);
}
