// Reads the times vendor_b prints: ages, durations, dates of the router's own clock, and that clock itself.
import { utcTime } from '#kernel/time/clock.ts';

const unitSec: Record<string, number> = { y: 31_536_000, w: 604_800, d: 86_400, h: 3600, m: 60, s: 1 };

/** Seconds of `HH:MM:SS`, `1d02h`, `2w3d`, `1y23w`; `null` for `never` and other text. */
export function parseAge(text: string): number | null {
  const clock = /^(\d{1,5}):(\d{1,2}):(\d{1,2})$/.exec(text);
  if (clock) {
    return Number(clock[1]) * 3600 + Number(clock[2]) * 60 + Number(clock[3]);
  }
  if (!/^(?:\d{1,5}[ywdhms]){1,4}$/.test(text)) {
    return null;
  }
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+)([ywdhms])/g)) {
    seconds += Number(amount) * (unitSec[unit ?? ''] ?? 0);
  }
  return seconds;
}

/**
 * `02/15/12 11:38:01` in the router's local time, as if it were UTC: only differences to another time of the same
 * router mean anything. `null` for other text.
 */
export function parseLocalTime(text: string): number | null {
  const parts = /^(\d\d)\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d)$/.exec(text);
  if (!parts) {
    return null;
  }
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = parts.slice(1).map(Number);
  return utcTime(2000 + year, month, day, hour, minute, second);
}

export interface RouterClock {
  /** Router local time as if it were UTC, epoch milliseconds. */
  localAt: number;
  /** `false` when the router says it was never set (`*`). */
  isSet: boolean;
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** Reads `show clock`: `*12:00:00.123 JST Sun Mar 1 2026`; `null` when no line is one. */
export function parseClock(lines: readonly string[]): RouterClock | null {
  for (const line of lines) {
    const parts =
      /^\s*([*.]?)(\d\d):(\d\d):(\d\d)(?:\.\d+)? \S+ [A-Z][a-z]{2} ([A-Z][a-z]{2})\s+(\d{1,2}) (\d{4})\s*$/.exec(line);
    const month = months.indexOf(parts?.[5] ?? '') + 1;
    if (parts && month > 0) {
      const [hour = 0, minute = 0, second = 0] = parts.slice(2, 5).map(Number);
      const localAt = utcTime(Number(parts[7]), month, Number(parts[6]), hour, minute, second);
      return { localAt, isSet: parts[1] !== '*' };
    }
  }
  return null;
}
