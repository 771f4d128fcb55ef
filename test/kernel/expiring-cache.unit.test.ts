// A cache keeps so many entries for so long, by the clock it is given.
import { expect, test } from 'vitest';
import { ExpiringCache } from '#kernel/time/expiring-cache.ts';

const ttlMs = 1000;

function createCache(max: number) {
  const clock = { at: 5000, now: () => clock.at };
  return { clock, cache: new ExpiringCache<number>(clock, max, () => ttlMs) };
}

test('an entry expires when its time is over, not before; a new value begins anew', () => {
  const { clock, cache } = createCache(9);
  cache.set('a', 1);
  clock.at += ttlMs - 1;
  expect(cache.entry('a')).toEqual({ value: 1, at: 5000 });
  clock.at += 1;
  expect(cache.get('a')).toBeUndefined();
  cache.set('a', 2);
  expect(cache.get('a')).toBe(2);
});

test('an entry from before the clock was put back is expired', () => {
  const { clock, cache } = createCache(9);
  cache.set('a', 1);
  clock.at -= 1;
  expect(cache.get('a')).toBeUndefined();
});

test('of more entries than the bound the one that was set first goes', () => {
  const { cache } = createCache(2);
  cache.set('a', 1);
  cache.set('b', 2);
  cache.set('a', 3);
  cache.set('c', 4);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([3, undefined, 4]);
});
