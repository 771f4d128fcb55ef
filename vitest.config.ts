import { defineConfig } from 'vitest/config';
import { temporaryFilesInMemory } from './test/support/memory-folder.ts';
import { RunReporter } from './test/support/run-reporter.ts';

const shared = { environment: 'node' as const };
const inMemory = { env: temporaryFilesInMemory() };
const sockets = { testTimeout: 60_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    reporters: ['default', new RunReporter()],
    // Lab tests wait for sockets more than they compute.
    maxWorkers: 4,
    projects: [
      { test: { ...shared, ...inMemory, testTimeout: 60_000, name: 'unit', include: ['test/**/*.unit.test.ts'] } },
      {
        test: {
          ...shared,
          ...inMemory,
          ...sockets,
          name: 'lab',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.unit.test.ts', 'test/e2e/**'],
        },
      },
      {
        test: {
          ...shared,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
