// What limits the totals of a period, in the words of the tools.
import { judged } from '#contract/connection-reports.ts';
import { coverage } from '#contract/model.ts';

export const known = {
  judged: judged.shape.judged.describe(
    'Whether safe was looked up in all threat feeds, in a part of them, or in none.',
  ),
  judgedWhy: judged.shape.judgedWhy.describe('Why not in all.'),
  coverage: coverage.describe(
    'How much of the period the routers observed, from 0 to 1, and what is missing: nothing is known of the rest.',
  ),
};
