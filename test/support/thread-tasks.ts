// Tasks for the tests of threads.
import { setImmediate } from 'node:timers/promises';
import { AppError } from '#kernel/errors.ts';
import type { TaskRun } from '#kernel/process/task-thread.ts';

export const tasks = {
  double: (value: number, { report }: TaskRun) => {
    report({ half: value / 2 });
    return value * 2;
  },
  refuse: (field: string) => {
    throw new AppError('invalid_body', 'it is refused', { details: { field } });
  },
  fail: () => {
    throw new RangeError('it broke');
  },
  failWithText: () => {
    throw 'only a text';
  },
  goOn: async (_params: null, { signal, report }: TaskRun) => {
    report('begun');
    while (!signal.aborted) {
      await setImmediate();
    }
    throw new Error('it was told to end');
  },
  leave: () => process.exit(0),
};
