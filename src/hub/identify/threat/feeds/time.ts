// The time formats of feeds.
import { utcTime } from '#kernel/time/clock.ts';

const written = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2}):(\d{2}))?/;

/** Epoch milliseconds of `2026-11-19`, or of `2026-11-19 14:28:39` with or without ` UTC`; `null` for anything else. */
export function parseFeedTime(text: string): number | null {
  const found = written.exec(text);
  if (found === null) {
    return null;
  }
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1)
    .map((digits = '0') => Number(digits));
  return utcTime(year, month, day, hour, minute, second);
}
