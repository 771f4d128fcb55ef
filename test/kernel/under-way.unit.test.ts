// Work that is under way is waited for, however it ends, and whatever it begins meanwhile.
import { expect, test } from 'vitest';
import { createUnderWay } from '#kernel/time/under-way.ts';

test('all of it is waited for, work that begins meanwhile too', async () => {
  const underWay = createUnderWay();
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
  expect(underWay.isAny()).toBe(false);
  const tracked = underWay.track(first.promise);
  let isSettled = false;
  const settled = underWay.settled().then(() => {
    isSettled = true;
  });
  expect(underWay.isAny()).toBe(true);
  const failing = underWay.track(second.promise);
  first.resolve('done');
  expect(await tracked).toBe('done');
  await new Promise(setImmediate);
  expect([isSettled, underWay.isAny()]).toEqual([false, true]);
  second.reject(new Error('it failed'));
  await expect(failing).rejects.toThrow('it failed');
  await settled;
  expect(underWay.isAny()).toBe(false);
});
