// Times as feeds write them.
import { utcTime } from '#kernel/clock.ts';

/** Epoch milliseconds of `2026-11-19`, or of `2026-11-19 14:28:39` with or without ` UTC`; `null` for anything else. */
export function parseFeedTime(text: string): number | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2}):(\d{2}))?/.exec(text);
  if (!match) {
    return null;
  }
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  return utcTime(year, month, day, hour, minute, second);
}

export const dayMs = 86_400_000;
