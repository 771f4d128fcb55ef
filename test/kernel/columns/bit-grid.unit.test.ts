// A bit grid is a set of pairs.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BitGrid } from '#kernel/columns/bit-grid.ts';

test('it has the pairs that were added, and counts those of a row', () => {
  const size = fc.record({ rows: fc.integer({ min: 1, max: 5 }), columns: fc.integer({ min: 1, max: 100 }) });
  const grids = size.chain(({ rows, columns }) => {
    const pair = fc.tuple(fc.nat(rows - 1), fc.nat(columns - 1));
    return fc.record({ rows: fc.constant(rows), columns: fc.constant(columns), pairs: fc.array(pair) });
  });
  fc.assert(
    fc.property(grids, ({ rows, columns, pairs }) => {
      const grid = new BitGrid(rows, columns);
      const known = new Set(pairs.map(String));
      for (const [row, column] of pairs) {
        grid.add(row, column);
      }
      for (let row = 0; row < rows; row += 1) {
        const wanted = Array.from({ length: columns }, (_, column) => known.has(`${row},${column}`));
        expect(wanted.map((_has, column) => grid.has(row, column))).toEqual(wanted);
        expect(grid.count(row)).toBe(wanted.filter(Boolean).length);
      }
    }),
  );
});
