// A spool whose disk fails at any call, and whose program is killed there: nothing that it accepted is lost in silence.
import fc from 'fast-check';
import { test } from 'vitest';
import { budget, runs } from '../support/property-runs.ts';
import { spoolFolder } from '../support/spool-lab.ts';
import { checkSpool, spoolSteps } from '../support/spool-model.ts';

const maxBytes = 8000;

test(`${budget(100, 2000, 'lives')}: each accepted batch is there, was sent, or is said and counted as gone`, () => {
  fc.assert(
    fc.property(spoolSteps, (steps) => {
      using at = spoolFolder();
      checkSpool(at, maxBytes, steps);
    }),
    { numRuns: runs(100, 2000) },
  );
});
