// The time formats of feeds.
import { utcTime } from '#kernel/time/clock.ts';

/** Epoch milliseconds of `2026-11-19`, or of `2026-11-19 14:28:39` with or without ` UTC`; `null` for anything else. */
export function parseFeedTime(text: string): number | null {
  const year = parseDigits(text, 0, 4);
  const month = parseDigits(text, 5, 2);
  const day = parseDigits(text, 8, 2);
  if (text[4] !== '-' || text[7] !== '-' || year < 0 || month < 0 || day < 0) {
    return null;
  }
  const hour = parseDigits(text, 11, 2);
  const minute = parseDigits(text, 14, 2);
  const second = parseDigits(text, 17, 2);
  const hasTime =
    (text[10] === ' ' || text[10] === 'T') &&
    text[13] === ':' &&
    text[16] === ':' &&
    hour >= 0 &&
    minute >= 0 &&
    second >= 0;
  return hasTime ? utcTime(year, month, day, hour, minute, second) : utcTime(year, month, day, 0, 0, 0);
}

/** The number of `count` digits from `at` on; -1 when any is no digit. Fast: lists have one or two times per line. */
function parseDigits(text: string, at: number, count: number): number {
  let value = 0;
  for (let place = at; place < at + count; place += 1) {
    const digit = text.charCodeAt(place) - 48;
    if (!(digit >= 0 && digit <= 9)) {
      return -1;
    }
    value = value * 10 + digit;
  }
  return value;
}
