// Every reader of outside bytes with a share of the inputs of `npm run fuzz`, and with all that once failed. Speed is
// judged there alone.
import { describe, expect, test } from 'vitest';
import { budget, runs } from '../support/property-runs.ts';
import { runTarget } from './run.ts';
import { kept } from './target.ts';
import { targets } from './targets.ts';

/** The same in each `npm test`; others are for `npm run fuzz` and `npm run test:whole`. */
const seed = runs(20_261_126, Number(process.hrtime.bigint() % 1_000_000_000n));
console.info(`fuzz seed ${seed}`);
const share = [2000, 10_000] as const;

describe.each(targets.map((target) => [target.name, target] as const))('%s', (name, target) => {
  const inputs = share.map((most) => (target.isSlow ? most / 4 : most)) as [number, number];
  test(`holds with ${budget(...inputs, 'inputs')}`, async () => {
    const { failure } = await runTarget(target, { seed, cases: runs(...inputs) });
    const again = `npm run fuzz -- --target ${name} --seed ${seed} --cases ${runs(...inputs)}`;
    expect(failure && { ...failure, input: failure.input.toString('latin1'), again }).toBeNull();
  });

  test.each(kept(name))('holds with what once failed: $file', async ({ bytes }) => {
    expect(await target.judge(bytes)).toBeNull();
  });
});
