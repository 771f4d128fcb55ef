// The tests of one area, for the mutation run: each file in a process of its own, changes switched on by the environment.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: (process.env.MUTATION_TESTS ?? '').split(' ').map((pattern) => `${pattern}.test.ts`),
    setupFiles: ['./test/mutation/setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    execArgv: ['--import', './test/mutation/threads.ts'],
    isolate: true,
    fileParallelism: false,
  },
});
