// The clock that cannot be set back: for random jumps, at least as much time passes on it as passed.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSteadyClock } from '#kernel/time/steady-clock.ts';
import { dayMs } from '#kernel/time/time.ts';
import { ManualClock } from '../support/manual-clock.ts';

const step = fc.record({ pass: fc.integer({ min: 0, max: dayMs }), jump: fc.integer({ min: -dayMs, max: dayMs }) });

test('it passes as fast as time or faster, is never behind the clock, and shows the same until that is set back', () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const clock = new ManualClock();
      const steady = createSteadyClock(clock);
      let wasSetBack = false;
      for (const { pass, jump } of steps) {
        const before = steady.now();
        clock.skip(pass);
        clock.jump(clock.now() + jump);
        wasSetBack ||= jump < 0;
        const now = steady.now();
        expect(now - before).toBeGreaterThanOrEqual(pass);
        expect(now).toBeGreaterThanOrEqual(clock.now());
        expect(steady.aheadMs()).toBe(now - clock.now());
        if (!wasSetBack) {
          expect(now).toBe(clock.now());
        }
      }
      steady.reset();
      expect(steady.now()).toBe(clock.now());
      steady.raiseTo(clock.now() - 1);
      expect(steady.aheadMs()).toBe(0);
      steady.raiseTo(clock.now() + 5);
      clock.skip(3);
      expect(steady.aheadMs()).toBe(5);
    }),
  );
});
