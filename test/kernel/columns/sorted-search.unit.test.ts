// A number is found among ascending ones, and an IPv4 address among segments, as a walk over all of them finds it.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fillRoots, findSegment, rootCount } from '#kernel/columns/ipv4-segments.ts';
import { lowerBound, upperBound } from '#kernel/columns/sorted-search.ts';

const numbers = Uint32Array.of(2, 4, 4, 9);
const wanted = [0, 2, 3, 4, 5, 9, 10];

test('the first that is not below', () => {
  const found = (length?: number) => wanted.map((number) => lowerBound(numbers, number, 0, length));
  expect(found()).toEqual([0, 0, 1, 1, 3, 3, 4]);
  expect(found(2)).toEqual([0, 0, 1, 1, 2, 2, 2]);
  expect(lowerBound(new Uint32Array(), 1)).toBe(0);
});

test('the first that is above', () => {
  expect(wanted.map((number) => upperBound(numbers, number))).toEqual([0, 1, 1, 3, 3, 4, 4]);
  expect(upperBound(numbers, 3, 2, 4)).toBe(2);
});

test('the segment of an IPv4 address, also before the first and behind the last', () => {
  const address = fc.oneof(
    fc.constantFrom(0, 0xffff, 0x1_0000, 0xffff_0000, 0xffff_ffff),
    fc.integer({ min: 0, max: 0xffff_ffff }),
  );
  fc.assert(
    fc.property(fc.uniqueArray(address, { maxLength: 30 }), fc.array(address), (some, addresses) => {
      const segments = { starts: Uint32Array.from(some).sort(), roots: new Uint32Array(rootCount) };
      Array.from(fillRoots(segments));
      for (const one of [...addresses, ...some]) {
        expect(findSegment(segments, one)).toBe(segments.starts.findLastIndex((start) => start <= one));
      }
    }),
    { numRuns: 30 },
  );
});
