// Each test file of a mutation run begins here. Threads and programs that a test starts find the change in the environment.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, inject } from 'vitest';

/** How often each change was passed: while modules load, and by each test. */
export interface Passed {
  static: Record<string, number>;
  perTest: Record<string, Record<string, number>>;
}

/** What the runner of StrykerJS gives to its own setup file. */
const given = (name: string) => inject(name as never) as string | undefined;

if (given('mode') === 'mutant') {
  process.env.__STRYKER_ACTIVE_MUTANT__ = given('activeMutant');
} else {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-mutation-'));
  const threads = path.join(import.meta.dirname, 'threads.ts');
  process.env.MUTATION_PASSED = folder;
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import ${threads}`;
  // Runs before that of StrykerJS, which was registered first.
  afterAll(() => {
    const world = (globalThis as unknown as { __stryker__: { mutantCoverage?: Passed } }).__stryker__;
    world.mutantCoverage ??= { static: {}, perTest: {} };
    for (const id of passedElsewhere(folder)) {
      for (const test of Object.values(world.mutantCoverage.perTest)) {
        test[id] ??= 1;
      }
    }
    rmSync(folder, { recursive: true, force: true });
  });
}

function passedElsewhere(folder: string): string[] {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files.flatMap((file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as string[]);
}
