// Numbers, shares and times as the chosen language writes them.
import { calendar, now } from '../clock.ts';
import { language } from '../state/preferences.ts';
import { isPrinting } from '../state/printing.ts';
import { shownStepMs } from './duration-step.ts';
import { text } from './text.ts';

export const dayMs = 86_400_000;

/** By the name of its class, its language and its options. An Intl object takes far longer to make than to use. */
const kept = new Map<string, unknown>();

function keep<F, const O extends object>(Format: new (locale: string, options: O) => F, locale: string, options: O): F {
  const key = `${Format.name} ${locale} ${JSON.stringify(options)}`;
  const found = (kept.get(key) as F | undefined) ?? new Format(locale, options);
  kept.set(key, found);
  return found;
}

/** Joins words and names as the chosen language does. */
export function joinWords(parts: readonly string[]): string {
  return parts.join(language.value === 'ja' ? '、' : ', ');
}

export function number(value: number): string {
  return keep(Intl.NumberFormat, language.value, {}).format(value);
}

/** `share` from 0 to 1; never rounded up to the whole. */
export function percent(share: number): string {
  const shown = share === 1 ? 1 : Math.floor(share * 1000) / 1000;
  return keep(Intl.NumberFormat, language.value, { style: 'percent', maximumFractionDigits: 1 }).format(shown);
}

/** Within a day as an age, else as local date and time. On paper an age would be wrong a minute later. */
export function when(at: number): string {
  return Math.abs(now() - at) < dayMs && !isPrinting.value ? age(at) : dateTime(at);
}

/** `4 min ago`. */
export function age(at: number): string {
  // -0 makes Intl write "0 sec. ago" instead of "in 0 sec.".
  const seconds = Math.round((at - now()) / 1000) || -0;
  const format = keep(Intl.RelativeTimeFormat, language.value, { style: 'short', numeric: 'always' });
  const magnitude = Math.abs(seconds);
  if (magnitude < 60) {
    return format.format(seconds, 'second');
  }
  return magnitude < 3600
    ? format.format(Math.round(seconds / 60), 'minute')
    : format.format(Math.round(seconds / 3600), 'hour');
}

/** Local date and time, with the year when it is not this one. */
export function dateTime(at: number): string {
  return keep(Intl.DateTimeFormat, region(), {
    ...yearOf(at),
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  }).format(calendar(at));
}

/** The year, when it is not this one. */
function yearOf(at: number): Intl.DateTimeFormatOptions {
  return calendar(at).getFullYear() === calendar(now()).getFullYear() ? {} : { year: 'numeric' };
}

/** Local date and time, always with the year. */
export function fullDate(at: number): string {
  return keep(Intl.DateTimeFormat, region(), { dateStyle: 'medium', timeStyle: 'short' }).format(calendar(at));
}

/** A day as people name it: the time today, the weekday within a week, else the date, with the year when it is not this one. */
export function dayName(at: number): string {
  const today = calendar(now()).toDateString() === calendar(at).toDateString();
  const format: Intl.DateTimeFormatOptions = today
    ? { hour: '2-digit', minute: '2-digit' }
    : now() - at < 6 * dayMs
      ? { weekday: 'long' }
      : { ...yearOf(at), month: 'short', day: 'numeric' };
  return keep(Intl.DateTimeFormat, region(), format).format(calendar(at));
}

/** A day such as `Sat, Nov 28`. */
export function day(at: number): string {
  const format = { weekday: 'short', month: 'short', day: 'numeric' } as const;
  return keep(Intl.DateTimeFormat, region(), format).format(calendar(at));
}

/** A date such as `March 12`, with the year when it is not this one. */
export function date(at: number): string {
  return keep(Intl.DateTimeFormat, region(), { ...yearOf(at), month: 'long', day: 'numeric' }).format(calendar(at));
}

/** The hour and minute of an axis. */
export function hourMinute(at: number): string {
  return keep(Intl.DateTimeFormat, region(), { hour: '2-digit', minute: '2-digit' }).format(calendar(at));
}

export function clockTime(at: number): string {
  return keep(Intl.DateTimeFormat, region(), { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(
    calendar(at),
  );
}

/** The chosen language as it is written in the region of the browser: `en-GB` has 24 hours and the day first. */
function region(): string {
  const [, name] = /-([A-Z]{2})\b/.exec(navigator.language) ?? [];
  return name === undefined ? language.value : `${language.value}-${name}`;
}

/** The exact instant in ISO 8601, for tooltips. */
export function exact(at: number): string {
  return calendar(at).toISOString();
}

/** A duration such as `5 min`, or `5 minutes` when it is long. */
export function duration(ms: number, unitDisplay: 'short' | 'long' = 'short'): string {
  const step = shownStepMs(ms);
  const unit = step === 1000 ? 'second' : step === 60_000 ? 'minute' : 'hour';
  const steps = Math.round(ms / step);
  const format = keep(Intl.NumberFormat, language.value, { style: 'unit', unit, unitDisplay });
  return format.format(unit === 'hour' ? steps / 10 : steps);
}

export function country(code: string): string {
  try {
    return keep(Intl.DisplayNames, language.value, { type: 'region' }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** The maker of a network adapter. The API calls the maker of a randomised MAC `private address`. */
export function maker(vendor: string | null): string | null {
  return vendor === 'private address' ? text.value.devices.macKinds.private : vendor;
}

/** A size such as `1.2 GB`. */
export function bytes(size: number): string {
  const units = ['kilobyte', 'megabyte', 'gigabyte', 'terabyte'];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, size)) / 3) - 1));
  const unit = String(units[step]);
  const format = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 } as const;
  return keep(Intl.NumberFormat, language.value, format).format(size / 1000 ** (step + 1));
}
