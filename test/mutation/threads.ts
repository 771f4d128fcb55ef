// Loaded first by every thread and program that a test of a mutation run starts: writes down which changes it passed.
// The setup file counts them for all tests of the file; StrykerJS itself sees the main thread alone.
import { mkdirSync, writeFileSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
import type { Passed } from './setup.ts';

const folder = process.env.MUTATION_PASSED;

// The test process itself has no folder yet when it loads this.
if (folder) {
  mkdirSync(folder, { recursive: true });
  const file = `${folder}/${process.pid}-${threadId}.txt`;
  let written = 0;
  const write = () => {
    const { __stryker__: world } = globalThis as { __stryker__?: { mutantCoverage?: Passed } };
    const { static: always = {}, perTest = {} } = world?.mutantCoverage ?? {};
    const ids = new Set([always, ...Object.values(perTest)].flatMap((passed) => Object.keys(passed)));
    if (ids.size > written) {
      written = ids.size;
      try {
        writeFileSync(file, [...ids].map((id) => `${id}\n`).join(''));
      } catch (error) {
        // A test that bounds what a program may write bounds this too: the lines that fit are there.
        if ((error as { code?: string }).code !== 'EFBIG') {
          throw error;
        }
      }
    }
  };
  // A thread may be ended from outside, without an event here.
  setInterval(write, 200).unref();
  process.on('exit', write);
}
