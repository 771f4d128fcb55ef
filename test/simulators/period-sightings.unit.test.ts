// The sightings that are played for the hours of a connection: as many as the log counted, within them, in order.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hourMs } from '#kernel/time/time.ts';
import { listSightings, otherPort } from '#simulators/period/sightings.ts';

/** Hours in order: first and last sighting, and how many there were; 0 in an hour whose session was seen again later. */
const seen = fc
  .array(fc.tuple(fc.nat(hourMs - 1), fc.nat(hourMs - 1), fc.nat(70)), { minLength: 1, maxLength: 6 })
  .map((hours) =>
    hours.map(([one, other, count], index): [number, number, number] => {
      const [first, last] = [Math.min(one, other), Math.max(one, other)];
      return [index * hourMs + first, index * hourMs + (count === 1 ? Math.max(first, last) : last), count];
    }),
  );
const sport = fc.integer({ min: 1024, max: 65_534 });

test('each hour has as many sightings as the log counted, from its first to its last', () => {
  fc.assert(
    fc.property(seen, sport, (hours, port) => {
      const sightings = listSightings({ seen: hours, sport: port });
      const isOpen = hours.at(-1)?.[2] === 0;
      const counted = hours.reduce((sum, [, , count]) => sum + count, 0);
      expect(sightings).toHaveLength(counted + (isOpen ? 1 : 0));
      expect(sightings.at(-1)?.port).toBe(port);
      let at = 0;
      for (const [index, [first, last, count]] of hours.entries()) {
        const those = sightings.slice(at, at + count);
        at += count;
        expect(those.map((one) => one.at)).toEqual(those.map((one) => one.at).sort((a, b) => a - b));
        if (count > 1) {
          expect(those[0]?.at).toBe(first);
        }
        if (count > 0) {
          expect(those.at(-1)?.at).toBe(last);
        }
        const before = those.filter((one) => one !== sightings.at(-1));
        expect(before.map((one) => one.port)).toEqual(before.map(() => otherPort(port, index)));
        expect(those.every((one) => one.startedAt <= one.at)).toBe(true);
      }
    }),
  );
});

test('the port of another hour is another one that a program may have', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1024, max: 65_534 }), fc.nat(100_000), (port, hour) => {
      const other = otherPort(port, hour);
      expect(other).not.toBe(port);
      expect(other).toBeGreaterThanOrEqual(1024);
      expect(other).toBeLessThan(65_535);
    }),
  );
  expect(otherPort(null, 3)).toBe(null);
  expect([0, 1, 2].map((hour) => otherPort(50_211, hour))).toEqual([50_212, 50_213, 50_214]);
});
