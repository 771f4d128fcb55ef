// A storm of one seed, of five with the end-to-end tests; `npm run storm -- --seeds 50` runs more of them, and `--seed N`
// one again.
import { describe, expect, test } from 'vitest';
import { budget, runs } from '../../support/property-runs.ts';
import { runStorm } from './storm.ts';

const seeds = [1, 2, 3, 4, 5].slice(0, runs(1, 5));

describe(`after a storm the hub is as its answers said, and nothing is stuck: ${budget(1, 5, 'seeds')}`, () => {
  test.each(seeds)(
    'seed %i',
    async (seed) => {
      const { problems, actions } = await runStorm(seed);
      expect(actions).toBeGreaterThan(100);
      expect(problems).toEqual([]);
    },
    600_000,
  );
});
