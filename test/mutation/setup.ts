// Each test file of a mutation run begins here. Threads and programs that a test starts find the change in the environment.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, inject } from 'vitest';
import { makeFolder } from '../support/temporary-folder.ts';

/** How often each change was passed: while modules load, and by each test. */
export interface Passed {
  static: Record<string, number>;
  perTest: Record<string, Record<string, number>>;
}

/** What StrykerJS keeps in each process. */
interface World {
  mutantCoverage?: Passed;
  /** That of the test that runs. */
  currentTestId: string;
}

/** What the runner of StrykerJS gives to its own setup file. */
const given = (name: string) => inject(name as never) as string | undefined;

if (given('mode') === 'mutant') {
  process.env.__STRYKER_ACTIVE_MUTANT__ = given('activeMutant');
} else {
  const folder = makeFolder('mutation');
  const threads = path.join(import.meta.dirname, 'threads.ts');
  process.env.MUTATION_PASSED = folder;
  const { NODE_OPTIONS = '' } = process.env;
  process.env.NODE_OPTIONS = NODE_OPTIONS.includes(threads) ? NODE_OPTIONS : `${NODE_OPTIONS} --import ${threads}`;
  const world = (globalThis as unknown as { __stryker__: World }).__stryker__;
  const tests = new Set<string>();
  beforeEach(() => void tests.add(world.currentTestId));
  // Runs before that of StrykerJS, which was registered first.
  afterAll(() => {
    world.mutantCoverage ??= { static: {}, perTest: {} };
    const { perTest } = world.mutantCoverage;
    const ids = passedElsewhere(folder);
    for (const test of tests) {
      // A test that only starts programs passes nothing in its own process.
      perTest[test] = { ...Object.fromEntries(ids.map((id) => [id, 1])), ...perTest[test] };
    }
    rmSync(folder, { recursive: true, force: true });
  });
}

function passedElsewhere(folder: string): string[] {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  // The last line may be cut: its program was ended while it wrote.
  return files.flatMap((file) => readFileSync(path.join(folder, file), 'utf8').split('\n').slice(0, -1));
}
