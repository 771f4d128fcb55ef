import { defineConfig } from 'vitest/config';
import { narrowToChanged } from './test/support/changed-tests.ts';
import { temporaryFilesInMemory } from './test/support/memory-folder.ts';
import { propertyFiles, wholeRuns } from './test/support/property-runs.ts';
import { RunReporter } from './test/support/run-reporter.ts';

// These limits end what hangs. No test has one that a busy machine could reach.
const limits = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { interval: 25, timeout: 300_000 } } };
/**
 * V8 keeps the code of WebAssembly, which Node loads to strip types. Threads that free it race for V8's table of executable pages,
 * and a check of it ends the process ("jit_page.has_value()", SIGTRAP or SIGSEGV): https://github.com/nodejs/node/issues/64500.
 * It ended 3 of 34 runs of backup-damage without this flag, and none of 94 with it.
 */
const execArgv = ['--no-wasm-code-gc'];
const shared = { environment: 'node' as const, ...limits, execArgv };
/** Builds the web UI where it changed: some tests of both projects serve it. */
const web = { globalSetup: ['test/support/web-build.ts'] };
const inMemory = { env: temporaryFilesInMemory() };

/**
 * These start programs, take a minute, or replace what a process has once: each file has a process of its own. Projects
 * begin in the order of their names, so that what mostly waits or is longest is under way while the labs compute.
 */
const commands = ['test/{gate,hub/start,upsget,agent/command,soak/virtual}/**/*.test.ts'];

/** Programs, and what they write: two at once keep two processors busy; three were no faster. */
const twoAtOnce = { maxWorkers: 2, sequence: { groupOrder: 1 } };

/** It adds a network interface to this machine, at which Chromium ends its requests (ERR_NETWORK_CHANGED): no browser runs beside it. */
const besideNoBrowser = 'test/e2e/agent-whole.test.ts';

export default defineConfig({
  test: {
    reporters: ['default', new RunReporter()],
    // Each process compiles the hub for itself: on two processors, 28 files of labs took 100 s of processor time with
    // four, 105 s with three and 123 s with six.
    maxWorkers: 4,
    projects: [
      {
        test: {
          ...shared,
          ...inMemory,
          name: 'command',
          include: narrowToChanged(commands),
          exclude: ['test/**/*.unit.test.ts'],
        },
      },
      {
        test: {
          ...shared,
          ...inMemory,
          name: 'unit',
          include: narrowToChanged(['test/**/*.unit.test.ts']),
          isolate: false,
        },
      },
      {
        test: {
          ...shared,
          ...inMemory,
          ...web,
          name: 'lab',
          include: narrowToChanged(['test/**/*.test.ts']),
          exclude: ['test/**/*.unit.test.ts', 'test/e2e/**', 'test/{engine,containers,clients}/**', ...commands],
          // To load the hub once a process, not once a file, saves a quarter of the time.
          isolate: false,
        },
      },
      {
        // The engine keeps one database for each process, and is installed by npm run test:engine alone.
        test: { ...shared, ...inMemory, name: 'engine', include: ['test/engine/*.test.ts'] },
      },
      {
        // Programs of other people that log in to the simulators; npm run test:clients.
        test: { ...shared, ...inMemory, name: 'clients', include: ['test/clients/*.test.ts'] },
      },
      {
        test: {
          ...shared,
          ...web,
          name: 'e2e',
          include: narrowToChanged(['test/e2e/**/*.test.ts']),
          exclude: [besideNoBrowser],
          ...twoAtOnce,
        },
      },
      {
        test: {
          ...shared,
          name: 'network',
          include: narrowToChanged([besideNoBrowser]),
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...shared,
          ...web,
          name: 'whole',
          include: ['test/e2e/**/*.test.ts', ...propertyFiles],
          exclude: [besideNoBrowser],
          env: wholeRuns,
          ...twoAtOnce,
        },
      },
    ],
  },
});
