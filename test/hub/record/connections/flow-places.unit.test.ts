// Where flows are kept in memory: a table that answers as a map would, and an order that equals a sort.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RowIdMap } from '#hub/record/connections/summary/index/row-id-map.ts';
import { findStarts, stableOrder } from '#kernel/columns/counting-order.ts';

test('a place is the one that was set last, whatever the ids', () => {
  const id = fc.oneof(fc.nat(5000), fc.nat(60_000_000));
  fc.assert(
    fc.property(fc.array(fc.tuple(id, fc.integer({ min: -1, max: 2 ** 31 })), { maxLength: 200 }), (sets) => {
      const table = new RowIdMap();
      const known = new Map<number, number>();
      for (const [flow, place] of sets) {
        table.set(flow, place);
        known.set(flow, place);
      }
      for (const [flow] of sets) {
        expect(table.get(flow)).toBe(known.get(flow));
        expect(table.get(flow + 1)).toBe(known.get(flow + 1) ?? -1);
      }
    }),
  );
});

test('two orders one after the other are a sort by two keys', () => {
  const pair = fc.tuple(fc.nat(9), fc.nat(99));
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 300 }), (pairs) => {
      const first = Uint32Array.from(pairs, ([key]) => key);
      const second = Uint32Array.from(pairs, ([, key]) => key);
      const order = [...stableOrder(first, 10, stableOrder(second, 100))];
      const sorted = pairs
        .map(([a, b], place) => ({ key: a * 1000 + b, place }))
        .sort((a, b) => a.key - b.key || a.place - b.place);
      expect(order).toEqual(sorted.map(({ place }) => place));
      const starts = findStarts(first, 10);
      for (let key = 0; key < 10; key += 1) {
        const places = order.slice(starts[key], starts[key + 1]);
        expect(places.every((place) => first[place] === key)).toBe(true);
      }
      expect(starts[10]).toBe(pairs.length);
    }),
  );
});
