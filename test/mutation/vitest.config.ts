// The tests of one area, for the mutation run: one process for each change, switched on by the environment.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: (process.env.MUTATION_TESTS ?? '').split(' ').map((pattern) => `${pattern}.test.ts`),
    setupFiles: ['./test/mutation/setup.ts'],
    // A change that makes a test wait for ever is seen after this time.
    testTimeout: Number(process.env.MUTATION_PATIENCE_MS),
    hookTimeout: Number(process.env.MUTATION_PATIENCE_MS),
    // What a test waits for may take longer than the second that is the default, on a machine that is busy.
    expect: { poll: { interval: 25, timeout: Number(process.env.MUTATION_PATIENCE_MS) } },
    execArgv: ['--import', './test/mutation/threads.ts'],
    isolate: process.env.MUTATION_ISOLATED === 'true',
    fileParallelism: false,
  },
});
