// What notices silence, while the clock of the machine is set.
import { afterEach, expect, test, vi } from 'vitest';
import { startIdleWatch } from '#hub/collect/routers/shell/idle-watch.ts';
import { createQuietWatch } from '#hub/collect/routers/shell/quiet-watch.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const hourMs = 3_600_000;

function idleWatch(ms = 15_000) {
  const clock = new ManualClock();
  const seen = { expired: 0 };
  const watch = startIdleWatch(clock, ms, () => {
    seen.expired += 1;
  });
  return { clock, watch, seen };
}

test('silence is noticed when it has lasted, counted from the last touch', async () => {
  const { clock, watch, seen } = idleWatch();
  await clock.advance(10_000);
  watch.touch();
  await clock.advance(14_999);
  expect(seen.expired).toBe(0);
  await clock.advance(1);
  expect(seen.expired).toBe(1);
  await clock.advance(hourMs);
  expect(seen.expired).toBe(1);
});

test('a clock that is put back by an hour does not make silence last an hour', async () => {
  const { clock, watch, seen } = idleWatch();
  await clock.advance(10_000);
  watch.touch();
  clock.put(clock.now() - hourMs);
  await clock.advance(15_000 + 15_000);
  expect(seen.expired).toBe(1);
});

test('a clock that is put forward is no silence', async () => {
  const { clock, watch, seen } = idleWatch();
  await clock.advance(14_000);
  watch.touch();
  clock.put(clock.now() + hourMs);
  await clock.advance(10_000);
  watch.touch();
  await clock.advance(14_999);
  expect(seen.expired).toBe(0);
  await clock.advance(1);
  expect(seen.expired).toBe(1);
});

test('a stopped watch notices nothing', async () => {
  const { clock, watch, seen } = idleWatch();
  watch.stop();
  await clock.advance(hourMs);
  expect(seen.expired).toBe(0);
});

afterEach(() => void vi.restoreAllMocks());

test('what waits for quiet does not wait for a clock that is put back', async () => {
  const watch = createQuietWatch();
  const quiet = new Promise<string>((resolve) => watch.want(50, () => resolve('quiet')));
  const real = Date.now;
  vi.spyOn(Date, 'now').mockImplementation(() => real() - hourMs);
  expect(await Promise.race([quiet, systemClock.sleep(5000).then(() => 'still waiting')])).toBe('quiet');
  watch.stop();
});
