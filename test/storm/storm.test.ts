// Five storms; `npm run storm -- --seeds 50` runs more of them, and `--seed N` one again.
import { describe, expect, test } from 'vitest';
import { runStorm } from './storm.ts';

describe('after a storm the hub is as its answers said, and nothing is stuck', () => {
  test.each([1, 2, 3, 4, 5])(
    'seed %i',
    async (seed) => {
      const { problems, actions } = await runStorm(seed);
      expect(actions).toBeGreaterThan(100);
      expect(problems).toEqual([]);
    },
    300_000,
  );
});
