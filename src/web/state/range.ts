// The period that all places show, stored in the URL as `range`, or as `from` and `to`.
import { computed, signal } from '@preact/signals';
import { every, now } from '../clock.ts';
import { dateTime } from '../text/format.ts';
import { text } from '../text/text.ts';
import { isPaused } from './live.ts';
import { hrefTo, type Parameter, query } from './url.ts';

const hourMs = 3_600_000;

export const ranges = { '1h': hourMs, '6h': 6 * hourMs, '24h': 24 * hourMs, '7d': 168 * hourMs, '14d': 336 * hourMs };
export type RangeName = keyof typeof ranges;

/** Epoch milliseconds, updated once a minute: the end of a period that ends now. */
const minute = signal(now());
every(60_000, () => {
  if (!isPaused.value) {
    minute.value = now();
  }
});

/** Moves the end of a period that ends now to this instant, without waiting for the next minute. */
export function endRangeNow(): void {
  minute.value = now();
}

export interface Range {
  /** Null for a custom period. */
  name: RangeName | null;
  from: number;
  to: number;
}

export const range = computed((): Range => {
  const from = Number(query.value.get('from') ?? Number.NaN);
  const to = Number(query.value.get('to') ?? Number.NaN);
  if (from < to) {
    return { name: null, from, to };
  }
  const asked = query.value.get('range') ?? '';
  const name = Object.hasOwn(ranges, asked) ? (asked as RangeName) : '24h';
  return { name, from: minute.value - ranges[name], to: minute.value };
});

/** The period that the chart was zoomed into from, to which it leads back. */
export const zoomedFrom = computed((): RangeName => {
  const asked = range.value.name ?? query.value.get('back') ?? '';
  return Object.hasOwn(ranges, asked) ? (asked as RangeName) : '24h';
});

/** The period as query parameters of the API: epoch milliseconds as text. */
export const rangeQuery = computed(() => ({ from: String(range.value.from), to: String(range.value.to) }));

export function describePeriod({ name, from, to }: Range): string {
  return name === null ? text.value.rangeOwn(dateTime(from), dateTime(to)) : text.value.periodNames[name];
}

/** The period as parameters of a URL of the page. */
export const rangeParameters = computed(() => {
  const { name, from, to } = range.value;
  return name === null ? { from, to } : { range: name === '24h' ? null : name };
});

type Parameters = Readonly<Record<string, Parameter>>;

/** The URL of the log, where each of these filters equals its value, or one of them: `{ fSrc: '192.0.2.1' }`. */
export function exactLogHref(values: Parameters, period: Parameters = rangeParameters.value): string {
  const filters = Object.entries(values).flatMap(([name, value]) => [
    [name, value] as const,
    [`${name}Mode`, 'exact'] as const,
  ]);
  return hrefTo('connections', { ...period, ...Object.fromEntries(filters) });
}

/** The URL of the map with one selection: a device by an address, a target by its key, a country by its code. */
export function mapHref(selected: { device: string } | { target: string } | { country: string }): string {
  return hrefTo('map', { ...rangeParameters.value, ...selected });
}

/** The URL of the page of a device, by its id or an address of it. */
export function deviceHref(idOrAddress: string): string {
  return hrefTo(`devices/${encodeURIComponent(idOrAddress)}`, rangeParameters.value);
}
