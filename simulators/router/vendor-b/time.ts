// How vendor_b writes times and durations.
import { calendar } from '#kernel/time/clock.ts';
import type { WorldView } from '../model.ts';
import { months, twoDigits } from '../text.ts';

const daySeconds = 86_400;
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** `HH:MM:SS`, hours without limit. */
export function hoursText(seconds: number): string {
  return `${twoDigits(Math.floor(seconds / 3600))}:${twoDigits(Math.floor((seconds % 3600) / 60))}:${twoDigits(seconds % 60)}`;
}

/** `00:31:42`, `1d02h`, `2w3d`, `1y23w`: the longer, the coarser. */
export function ageText(seconds: number): string {
  if (seconds < daySeconds) {
    return hoursText(seconds);
  }
  const days = Math.floor(seconds / daySeconds);
  if (days < 7) {
    return `${days}d${twoDigits(Math.floor((seconds % daySeconds) / 3600))}h`;
  }
  return days < 365
    ? `${Math.floor(days / 7)}w${days % 7}d`
    : `${Math.floor(days / 365)}y${twoDigits(Math.floor((days % 365) / 7))}w`;
}

/** `3 weeks, 2 days, 4 hours, 11 minutes`; parts that are 0 are left out, but minutes always stand. */
export function uptimeText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  const parts: [number, string][] = [
    [Math.floor(minutes / 524_160), 'year'],
    [Math.floor((minutes % 524_160) / 10_080), 'week'],
    [Math.floor((minutes % 10_080) / 1440), 'day'],
    [Math.floor((minutes % 1440) / 60), 'hour'],
  ];
  const count = (number: number, unit: string) => `${number} ${unit}${number === 1 ? '' : 's'}`;
  const long = parts.filter(([number]) => number > 0).map(([number, unit]) => count(number, unit));
  return [...long, count(minutes % 60, 'minute')].join(', ');
}

/** Router time of an instant of the simulator's clock. */
export function routerTime(world: WorldView, at: number): number {
  return at + world.routerNow() - world.now();
}

/** `03/01/26 11:28:18`, router local time. */
export function shortTime(world: WorldView, at: number): string {
  const { year, month, day, hour, minute, second } = calendar(at, world.settings.clockZoneMs);
  return `${twoDigits(month)}/${twoDigits(day)}/${twoDigits(year % 100)} ${twoDigits(hour)}:${twoDigits(minute)}:${twoDigits(second)}`;
}

/** `12:00:00.551 JST Sun Mar 1 2026`; `withMs` false leaves the fraction out. */
export function clockText(world: WorldView, at: number, withMs: boolean): string {
  const zoneMs = world.settings.clockZoneMs;
  const { year, month, day, weekday, hour, minute, second } = calendar(at, zoneMs);
  const fraction = withMs ? `.${String(((at % 1000) + 1000) % 1000).padStart(3, '0')}` : '';
  const time = `${twoDigits(hour)}:${twoDigits(minute)}:${twoDigits(second)}${fraction}`;
  return `${time} ${zoneName(zoneMs)} ${weekdays[weekday]} ${months[month - 1]} ${day} ${year}`;
}

/** `Mar 02 2026 11:00 AM`, as leases print it. */
export function leaseTime(world: WorldView, at: number): string {
  const { year, month, day, hour, minute } = calendar(at, world.settings.clockZoneMs);
  const half = hour < 12 ? 'AM' : 'PM';
  return `${months[month - 1]} ${twoDigits(day)} ${year} ${twoDigits(hour % 12 === 0 ? 12 : hour % 12)}:${twoDigits(minute)} ${half}`;
}

/** `*Mar  1 12:00:03.221: `, in front of a log line; the star says that the clock was never set. */
export function logTime(world: WorldView): string {
  const at = world.routerNow();
  const { month, day, hour, minute, second } = calendar(at, world.settings.clockZoneMs);
  const ms = String(((at % 1000) + 1000) % 1000).padStart(3, '0');
  const mark = world.settings.clockSet ? '' : '*';
  return `${mark}${months[month - 1]} ${String(day).padStart(2)} ${twoDigits(hour)}:${twoDigits(minute)}:${twoDigits(second)}.${ms}: `;
}

/** Zones are named in the configuration; these are the names for usual offsets. */
function zoneName(zoneMs: number): string {
  const hours = zoneMs / 3_600_000;
  const names: Readonly<Record<number, string>> = { 0: 'UTC', 1: 'CET', 9: 'JST', [-5]: 'EST', [-8]: 'PST' };
  return names[hours] ?? `UTC${hours < 0 ? '' : '+'}${hours}`;
}
