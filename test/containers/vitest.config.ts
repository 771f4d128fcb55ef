import path from 'node:path';
import { defineConfig } from 'vitest/config';

// These limits end what hangs: the first run fetches images.
const limits = {
  testTimeout: 1_200_000,
  hookTimeout: 1_200_000,
  expect: { poll: { interval: 250, timeout: 300_000 } },
};

export default defineConfig({
  test: {
    ...limits,
    root: path.resolve(import.meta.dirname, '../..'),
    include: ['test/containers/*.container.ts'],
    environment: 'node',
    // Suites share ports of loopback.
    fileParallelism: false,
  },
});
