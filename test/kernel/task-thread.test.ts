// A task in a thread of its own: what it returns, reports and throws arrives; an abort ends it.
import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { runTask } from '#kernel/process/task-thread.ts';
import type { tasks } from '../support/thread-tasks.ts';

const module = new URL('../support/thread-tasks.ts', import.meta.url).href;

test('the result comes after the progress', async () => {
  const reports: unknown[] = [];
  const report = (progress: unknown) => void reports.push(progress);
  const { signal } = new AbortController();
  expect(await runTask<typeof tasks, 'double'>(module, 'double', 21, { report, signal })).toBe(42);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(reports).toEqual([{ half: 10.5 }]);
});

test('a failure keeps its message, its code and its details, or its stack', async () => {
  await expect(runTask<typeof tasks, 'refuse'>(module, 'refuse', 'src')).rejects.toMatchObject({
    code: 'invalid_body',
    message: 'it is refused',
    details: { field: 'src' },
  });
  await expect(runTask<typeof tasks, 'fail'>(module, 'fail', undefined as never)).rejects.toMatchObject({
    message: 'it broke',
    stack: expect.stringContaining('thread-tasks.ts'),
  });
  await expect(runTask<typeof tasks, 'failWithText'>(module, 'failWithText', undefined as never)).rejects.toThrow(
    'only a text',
  );
  await expect(runTask(module, 'absent', undefined as never)).rejects.toThrow('there is no task named absent');
  await expect(runTask<typeof tasks, 'leave'>(module, 'leave', undefined as never)).rejects.toThrow(
    'the thread of leave ended without an answer',
  );
  await expect(runTask(`${module}.absent`, 'double', undefined as never)).rejects.toThrow(/Cannot find module/);
});

test('an abort ends the task, and its reason is what the caller gets', async () => {
  const stop = new AbortController();
  const report = () => stop.abort(new Error('nobody waits'));
  const running = runTask<typeof tasks, 'goOn'>(module, 'goOn', null, { signal: stop.signal, report });
  await expect(running).rejects.toThrow('nobody waits');
  await expect(runTask<typeof tasks, 'double'>(module, 'double', 1, { signal: stop.signal })).rejects.toThrow(
    'nobody waits',
  );
});
