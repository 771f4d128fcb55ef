// Orders by counting equal a sort.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ascending, findStarts, stableOrder } from '#kernel/columns/counting-order.ts';

const keys = Uint32Array.of(2, 0, 2, 1, 0);

test('places by key, equal ones by number or in the order they had', () => {
  expect([...stableOrder(keys, 3)]).toEqual([1, 4, 3, 0, 2]);
  expect([...stableOrder(keys, 3, Uint32Array.of(4, 3, 2, 1, 0))]).toEqual([4, 1, 3, 2, 0]);
  expect([...stableOrder(new Uint32Array(), 3)]).toEqual([]);
});

test('where each key begins, also one that nothing has', () => {
  expect([...findStarts(keys, 3)]).toEqual([0, 2, 3, 5]);
  expect([...findStarts(keys, 5)]).toEqual([0, 2, 3, 5, 5, 5]);
  expect([...findStarts(new Uint32Array(), 2)]).toEqual([0, 0, 0]);
});

test('any 32-bit keys ascend, equal ones in their order', () => {
  const key = fc.oneof(fc.nat(3), fc.integer({ min: 0, max: 0xffffffff }), fc.constantFrom(0xffff, 0x10000, 0x1ffff));
  fc.assert(
    fc.property(fc.array(key, { maxLength: 50 }), (numbers) => {
      const places = numbers.map((_, place) => place).sort((a, b) => (numbers[a] ?? 0) - (numbers[b] ?? 0) || a - b);
      expect([...ascending(Uint32Array.from(numbers))]).toEqual(places);
    }),
    { numRuns: 20 },
  );
});
