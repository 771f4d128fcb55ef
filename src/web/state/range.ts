// The period that all places show, in the address as `range`, or as `from` and `to`.
import { computed, signal } from '@preact/signals';
import { every, now } from '../clock.ts';
import { query } from './url.ts';

const hourMs = 3_600_000;

export const ranges = { '1h': hourMs, '6h': 6 * hourMs, '24h': 24 * hourMs, '7d': 168 * hourMs, '14d': 336 * hourMs };
export type RangeName = keyof typeof ranges;

/** Moves on once a minute: a period that ends now would else stand still. */
const minute = signal(now());
every(60_000, () => {
  minute.value = now();
});

export interface Range {
  /** Null for one of instants. */
  name: RangeName | null;
  from: number;
  to: number;
}

export const range = computed((): Range => {
  const [from, to] = ['from', 'to'].map((key) => Number(query.value.get(key) ?? Number.NaN));
  if (from !== undefined && to !== undefined && from < to) {
    return { name: null, from, to };
  }
  const asked = query.value.get('range') ?? '';
  const name = Object.hasOwn(ranges, asked) ? (asked as RangeName) : '24h';
  return { name, from: minute.value - ranges[name], to: minute.value };
});

/** As a part of another address. */
export const rangeParameters = computed(() => {
  const { name, from, to } = range.value;
  return name === null ? { from, to } : { range: name === '24h' ? null : name };
});
