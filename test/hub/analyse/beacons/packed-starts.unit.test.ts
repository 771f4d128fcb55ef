// Starts in two bytes each: what goes in comes out, to the second.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { appendWord, packStart, slotMs, toSlot, unpackStarts } from '#hub/analyse/beacons/packed-starts.ts';

test('any starts of a slot come out as they went in', () => {
  const second = fc.integer({ min: 0, max: slotMs / 1000 - 1 });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 200_000 }), fc.array(fc.tuple(second, fc.boolean())), (slot, starts) => {
      const whole = starts.map(([at, isExact]) => ({ at: slot * slotMs + at * 1000, isExact }));
      const packed = whole.reduce<Uint8Array>((bytes, start) => appendWord(bytes, packStart(start)), new Uint8Array());
      expect(packed).toHaveLength(2 * whole.length);
      expect(unpackStarts(slot, packed)).toEqual(whole);
      expect(whole.every(({ at }) => toSlot(at) === slot)).toBe(true);
    }),
  );
});
