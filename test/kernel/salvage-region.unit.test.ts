// Where a region of keys is divided, and what counts as one place.
import { expect, test } from 'vitest';
import { type Bound, divideAt, findMiddle, isPast, placesIn, type Value } from '#kernel/sqlite/salvage/region.ts';

const id = [{ name: 'id', isInteger: true }];
const pair = [...id, { name: 'place', isInteger: true }];
const named = [{ name: 'part', isInteger: false }, ...id];
const row = (...values: Value[]): Bound => ({ values, isRow: true });
const split = (...values: Value[]): Bound => ({ values, isRow: false });

test.each<[what: string, from: Bound | null, to: Bound | null, key: typeof id, middle: Bound | null]>([
  ['half-way', row(10n), row(20n), id, split(15n)],
  ['nothing between neighbours', row(10n), row(11n), id, null],
  ['away from an open end', row(10n), null, id, split(20n)],
  ['away from zero', split(0n), null, id, split(1n)],
  ['no further than ids go', row(2n ** 62n - 1n), null, id, null],
  ['towards an open beginning', null, row(10n), id, split(0n)],
  ['nothing below zero', null, row(0n), id, null],
  ['in the second column', row(4n, 10n), row(4n, 20n), pair, split(4n, 15n)],
  ['where the first column changes', row(4n, 10n), row(5n, 20n), pair, split(5n)],
  ['behind the last row of a first column', row(4n, 10n), split(5n), pair, split(4n, 20n)],
  ['ahead of the first row of a first column', split(5n), row(5n, 20n), pair, split(5n, 0n)],
  ['at a text of a bound', row('a', 10n), row('c', 20n), named, split('c')],
  ['within a text', row('a', 10n), split('c'), named, split('a', 20n)],
  ['nowhere in text', null, null, named, null],
])('%s', (_what, from, to, key, middle) => {
  expect(findMiddle({ from, to }, key)).toEqual(middle);
});

test('a region is divided at the places inside of it', () => {
  const [first, second] = [split('b', 3n), split('c', 1n)];
  const [from, to] = [row('b', 2n), row('c', 2n)];
  const places = [split('a', 9n), split('b', 2n), first, second, split('c', 2n), split('ä')];
  expect(divideAt({ from, to }, places)).toEqual([
    { from, to: first },
    { from: first, to: second },
    { from: second, to },
  ]);
  expect(divideAt({ from: null, to: null }, [])).toEqual([{ from: null, to: null }]);
});

test('a row is past a bound of its direction', () => {
  expect([2n, 3n, 4n].map((value) => isPast([value], split(3n), 'ASC'))).toEqual([false, true, true]);
  expect([2n, 3n, 4n].map((value) => isPast([value], split(3n), 'DESC'))).toEqual([true, false, false]);
  expect([2n, 3n, 4n].map((value) => isPast([value], row(3n), 'DESC'))).toEqual([true, true, false]);
  expect(isPast([9n], null, 'ASC')).toBe(false);
  expect(isPast([null], row(3n), 'ASC')).toBe(false);
});

test('regions that share a bound are one place', () => {
  const [middle, end] = [split(5n), row(9n)];
  const both = [
    { from: row(1n), to: middle },
    { from: middle, to: end },
  ];
  expect(placesIn(both)).toBe(1);
  expect(placesIn([...both, { from: row(20n), to: null }, { from: null, to: row(0n) }])).toBe(3);
});
