// Work that callers share: started once, and ended by none of them.
import { expect, test } from 'vitest';
import { shareWork } from '#kernel/time/shared-work.ts';

function prepared() {
  const runs: PromiseWithResolvers<string>[] = [];
  const join = shareWork(() => {
    const run = Promise.withResolvers<string>();
    runs.push(run);
    return run.promise;
  });
  return { runs, join };
}

const patient = new AbortController().signal;

test('calls while it is under way join it; the next one starts it again', async () => {
  const { runs, join } = prepared();
  const both = [join(patient), join(patient)];
  expect(runs).toHaveLength(1);
  runs[0]?.resolve('one');
  expect(await Promise.all(both)).toEqual(['one', 'one']);
  const again = join(patient);
  expect(runs).toHaveLength(2);
  runs[1]?.resolve('two');
  expect(await again).toBe('two');
});

test('a caller that leaves gets its own reason, the others the result', async () => {
  const { runs, join } = prepared();
  const leaving = new AbortController();
  const [first, second] = [join(leaving.signal), join(patient)];
  leaving.abort(new Error('left'));
  await expect(first).rejects.toThrow('left');
  runs[0]?.resolve('done');
  expect(await second).toBe('done');
});

test('a failure reaches those who wait, and is not kept; nobody waiting is no unhandled rejection', async () => {
  const { runs, join } = prepared();
  const leaving = new AbortController();
  const first = join(leaving.signal);
  leaving.abort(new Error('left'));
  await expect(first).rejects.toThrow('left');
  runs[0]?.reject(new Error('broken'));
  await new Promise((resolve) => setImmediate(resolve));
  const next = join(patient);
  runs[1]?.resolve('mended');
  expect(await next).toBe('mended');
});

test('a caller that left before it came starts nothing', async () => {
  const { runs, join } = prepared();
  await expect(join(AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
  expect(runs).toEqual([]);
});
