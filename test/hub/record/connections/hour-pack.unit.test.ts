// Packing is exact for every number it may meet.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHourPacking, HourRows } from '#hub/record/connections/store/hour-pack.ts';

const hourMs = 3_600_000;
const row = fc
  .tuple(
    fc.integer({ min: 1, max: 3_000_000 }),
    fc.oneof(fc.nat(3), fc.nat(1_000_000)),
    fc.nat(hourMs - 1),
    fc.nat(hourMs - 1),
  )
  .map(([gap, observations, a, b]) => ({ gap, observations, first: Math.min(a, b), last: Math.max(a, b) }));

type Row = readonly [flow: number, observations: number, first: number, last: number];
const rowsOf = (rows: HourRows): Row[] =>
  Array.from({ length: rows.length }, (_, at) => [
    rows.flow[at] as number,
    rows.observations[at] as number,
    rows.first[at] as number,
    rows.last[at] as number,
  ]);
const filled = (from: Iterable<Row>) => {
  const rows = new HourRows(0);
  for (const row of from) {
    rows.add(...row);
  }
  return rows;
};

test('an hour comes out of its pack as it went in, and every flow is found in it', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 600, size: 'max' }), (gaps) => {
      let flow = 0;
      const rows = gaps.map(({ gap, observations, first, last }): Row => {
        flow += gap;
        return [flow, observations, first, last];
      });
      const packing = createHourPacking();
      for (const row of rows) {
        packing.add(...row);
      }
      const pack = packing.pack();
      const unpacked = new HourRows();
      unpacked.unpack(pack);
      expect(rowsOf(unpacked)).toEqual(rows);
      for (const [at, [flow, observations, first, last]] of rows.entries()) {
        expect(unpacked.find(flow)).toEqual({ observations, first, last });
        expect(unpacked.find(flow + 1) === null).toBe(rows[at + 1]?.[0] !== flow + 1);
      }
      unpacked.unpackFlows(pack.flows);
      expect(Array.from({ length: unpacked.length }, (_, at) => unpacked.flow[at])).toEqual(rows.map(([id]) => id));
    }),
    { numRuns: 50 },
  );
});

test('columns have room for what is asked, and grow to twice of what they need', () => {
  const rows = new HourRows(8);
  const { flow } = rows;
  for (let one = 1; one <= 8; one += 1) {
    rows.add(one, 1, 0, 0);
  }
  expect(rows.flow).toBe(flow);
  rows.add(9, 1, 0, 0);
  expect(rows.flow).toHaveLength(18);
  const packing = createHourPacking();
  for (let one = 1; one <= 20; one += 1) {
    packing.add(one, 1, 0, 0);
  }
  const unpacked = new HourRows(0);
  unpacked.unpackFlows(packing.pack().flows);
  expect([unpacked.length, unpacked.flow.length]).toEqual([20, 40]);
});

test('rows that changed replace those of their flow, as in a map', () => {
  const rows = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.nat(9), fc.nat(9), fc.nat(9)), {
    selector: ([flow]) => flow,
    maxLength: 60,
  });
  fc.assert(
    fc.property(rows, rows, (old, changed) => {
      const sorted = (all: Iterable<Row>) => [...all].sort(([a], [b]) => a - b);
      const merged = filled(sorted(old));
      merged.replaceBy(filled(sorted(changed)));
      const expected = sorted(new Map([...old, ...changed].map((row) => [row[0], row])).values());
      expect(rowsOf(merged)).toEqual(expected);
      expect(rowsOf(merged.trimmed())).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});
