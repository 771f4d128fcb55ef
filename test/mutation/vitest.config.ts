// The tests of one area, for the mutation run: one process for each change, switched on by the environment.
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Runs unit tests first, then the quickest files: a run ends with the first test that sees the change. */
class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const slowestFirst = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => Number(!moduleId.endsWith('.unit.test.ts'));
    return slowestFirst.reverse().sort((one, other) => isSlow(one) - isSlow(other));
  }
}

const patienceMs = Number(process.env.MUTATION_PATIENCE_MS);

export default defineConfig({
  test: {
    environment: 'node',
    include: (process.env.MUTATION_TESTS ?? '').split(' ').map((pattern) => `${pattern}.test.ts`),
    setupFiles: ['./test/mutation/setup.ts'],
    // A change that makes a test wait for ever is seen after this time.
    testTimeout: patienceMs,
    hookTimeout: patienceMs,
    // What a test waits for may take as long on a busy machine; a second, as vitest has it, made unchanged tests red.
    expect: { poll: { interval: 25, timeout: patienceMs / 2 } },
    execArgv: ['--import', './test/mutation/threads.ts'],
    isolate: process.env.MUTATION_ISOLATED === 'true',
    fileParallelism: false,
    sequence: { sequencer: QuickestFirst },
  },
});
