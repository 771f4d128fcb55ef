// Reads who a vendor_a router is from its login banner or `show environment`, whose lines are cut at 80 columns.
import { canonicalMac } from '#kernel/net/address.ts';
import { utcTime } from '#kernel/time/clock.ts';
import { minuteMs } from '#kernel/time/time.ts';

/** Joins the text again before looking for labels, since a break may fall inside one. */
export function parseEnvironment(lines: readonly string[]) {
  const revision = lines
    .map((line) => /^\s*([A-Za-z][\w-]*)\s+(Rev\.\s?[\d.]+)/.exec(line))
    .find((parts) => parts !== null);
  const joined = lines.join('');
  const macs = [...joined.matchAll(/([\da-f]{2}(?::[\da-f]{2}){5})/gi)].map((parts) => canonicalMac(parts[1] ?? ''));
  const clock =
    /(?:Current time|現在の時刻)\s*[:：]\s*(\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d) ([+-])(\d\d):(\d\d)/.exec(
      joined,
    );
  return {
    /** Such as `RTX1210`; `''` when the text does not look like vendor_a. */
    model: revision?.[1] ?? '',
    /** Such as `Rev.14.01.42`. */
    version: revision?.[2] ?? '',
    macs: [...new Set(macs.filter((mac) => mac !== null))],
    /** The router's clock, epoch milliseconds; `null` when not shown. */
    clockAt: clock ? toClockTime(clock.slice(1)) : null,
  };
}

function toClockTime(parts: string[]): number {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(0, 6).map(Number);
  const offset = (Number(parts[7]) * 60 + Number(parts[8])) * minuteMs * (parts[6] === '-' ? -1 : 1);
  return utcTime(year, month, day, hour, minute, second) - offset;
}
