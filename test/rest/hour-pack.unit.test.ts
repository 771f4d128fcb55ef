// Packing is exact for every number it may meet, and the pair table numbers pairs as a map would.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHourPacking, HourRows } from '#hub/connections/hour-pack.ts';
import { PairTable } from '#hub/connections/pair-table.ts';

const hourMs = 3_600_000;
const row = fc
  .tuple(
    fc.integer({ min: 1, max: 3_000_000 }),
    fc.oneof(fc.nat(3), fc.nat(1_000_000)),
    fc.nat(hourMs - 1),
    fc.nat(hourMs - 1),
  )
  .map(([gap, observations, a, b]) => ({ gap, observations, first: Math.min(a, b), last: Math.max(a, b) }));

test('an hour comes out of its pack as it went in', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 600, size: 'max' }), (gaps) => {
      const packing = createHourPacking();
      let flow = 0;
      const rows = gaps.map(({ gap, observations, first, last }) => {
        flow += gap;
        packing.add(flow, observations, first, last);
        return [flow, observations, first, last];
      });
      const pack = packing.pack();
      const unpacked = new HourRows();
      unpacked.unpack(pack);
      const seen = Array.from({ length: unpacked.length }, (_, at) => [
        unpacked.flow[at],
        unpacked.observations[at],
        unpacked.first[at],
        unpacked.last[at],
      ]);
      expect(seen).toEqual(rows);
      unpacked.unpackFlows(pack.flows);
      expect(Array.from({ length: unpacked.length }, (_, at) => unpacked.flow[at])).toEqual(rows.map(([id]) => id));
    }),
    { numRuns: 50 },
  );
});

test('pairs keep the number they got first, however many there are', () => {
  const table = new PairTable();
  const known = new Map<string, number>();
  for (let index = 0; index < 50_000; index += 1) {
    const [first, second] = [index % 251, (index * 7919) % 1013];
    const number = known.get(`${first} ${second}`) ?? known.size;
    known.set(`${first} ${second}`, number);
    expect(table.numberOf(first, second)).toBe(number);
  }
  expect(table.count).toBe(known.size);
  expect([table.first(7), table.second(7)]).toEqual([7, (7 * 7919) % 1013]);
});
