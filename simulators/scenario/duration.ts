// Durations as people write them in a scenario: `90s`, `5m`, `1h30m`.
import { z } from 'zod';
import { dayMs, hourMs, minuteMs } from '#kernel/time/time.ts';

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: minuteMs, h: hourMs, d: dayMs };
const mostMs = 366 * dayMs;

/** A text that becomes milliseconds, 0 to 366 days. */
export const duration = z
  .string({ error: 'must be a duration such as 90s, 5m or 1h30m' })
  .regex(/^(?:\d{1,9}(?:ms|s|m|h|d))+$/, { error: 'must be a duration such as 90s, 5m or 1h30m' })
  .transform(parseDuration)
  .refine((ms) => ms <= mostMs, { error: 'must be at most 366d' })
  .meta({ description: 'A duration such as 90s, 5m or 1h30m.' });

function parseDuration(text: string): number {
  return [...text.matchAll(/(\d+)(ms|s|m|h|d)/g)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? 0),
    0,
  );
}

/** The shortest form of a duration: `90s`, `5m`, `1h30m`. */
export function formatDuration(ms: number): string {
  let left = ms;
  const parts = Object.entries(units)
    .reverse()
    .map(([unit, size]) => {
      const count = Math.floor(left / size);
      left -= count * size;
      return count === 0 ? '' : `${count}${unit}`;
    });
  return parts.join('') || '0s';
}
