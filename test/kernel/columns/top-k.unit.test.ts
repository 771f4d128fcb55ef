// The largest of many equal a whole sort.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { topK } from '#kernel/columns/top-k.ts';

test('the largest groups are those of a whole sort, equal counts by key', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(12), { maxLength: 200 }), fc.integer({ min: 1, max: 60 }), (counts, limit) => {
      const key = (group: number) => `${group % 7}-${group}`;
      const sorted = counts
        .map((count, group) => ({ count, group }))
        .filter(({ count }) => count > 0)
        .sort((a, b) => b.count - a.count || (key(a.group) < key(b.group) ? -1 : 1));
      expect(topK(Uint32Array.from(counts), limit, key)).toEqual(sorted.slice(0, limit).map(({ group }) => group));
    }),
  );
});
