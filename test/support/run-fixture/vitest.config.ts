// A project with every way in which a cited test does not run. test/e2e/run-report.test.ts runs it.
import { defineConfig } from 'vitest/config';
import { RunReporter } from '../run-reporter.ts';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    reporters: ['default', new RunReporter({ folder: '.', ending: '.case.ts', progressMs: 20 })],
    projects: [
      { test: { name: 'whole', include: ['whole/*.case.ts'] } },
      { test: { name: 'broken', include: ['broken/*.case.ts'] } },
    ],
  },
});
