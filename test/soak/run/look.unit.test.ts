// A look that fails: a problem, but for one that saw the programs of the world end a moment before the soak heard of it.
import { expect, test } from 'vitest';
import { createChecks } from './checks.ts';
import { keepLooking } from './look.ts';

function failingLook() {
  const checks = createChecks();
  const stop = new AbortController();
  stop.signal.addEventListener('abort', checks.close);
  const failed = Promise.withResolvers<void>();
  const look = () => {
    failed.resolve();
    throw new Error('connect ECONNREFUSED');
  };
  const looking = keepLooking(look, { everyMs: 60_000, checks, stop: stop.signal });
  return { checks, stop, failed: failed.promise, looking };
}

test('a look that fails breaks an invariant', async () => {
  const { checks, stop, looking } = failingLook();
  await expect.poll(() => checks.broken?.problem).toMatch(/^a look failed: Error: connect ECONNREFUSED\n/);
  stop.abort();
  await looking;
});

test('a look that fails a moment before Ctrl-C is heard breaks none', async () => {
  const { checks, stop, failed, looking } = failingLook();
  await failed;
  setImmediate(() => stop.abort());
  await looking;
  expect(checks.broken).toBeNull();
});
