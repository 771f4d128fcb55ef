// The watch over the threat feeds, with a hub that says what it is told to: what is judged is the order of what is seen.
import { expect, test } from 'vitest';
import type { FeedState } from '#contract/threat.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import type { World } from '../world/world.ts';
import { createChecks } from './checks.ts';
import { createFeedWatch } from './watch-feeds.ts';

/** A watch over one feed that answered 500 a minute ago, and a look of it that waits for the journal. */
async function lookAt(state: FeedState) {
  const clock = new ManualClock();
  const checks = createChecks();
  const hub = {
    absence: () => null,
    presentSince: () => 1,
    admin: { threat: { feeds: async () => ({ feeds: [{ id: 'feed_c2', state, message: null }] }) } },
  };
  const truths = { of: () => ({ isDown: false }) };
  const watch = createFeedWatch({ hub, truths } as unknown as World, checks, clock);
  const answers = (status: number) =>
    watch.read([`feeds request path="/feodotracker/downloads/ipblocklist.csv" status=${status}`]);
  // The first look begins with what is answered from then on.
  const first = watch.look();
  await expect.poll(() => clock.sleeping).toBe(1);
  await clock.advance(3000);
  await first;
  answers(500);
  await clock.advance(60_000);
  const look = watch.look();
  await expect.poll(() => clock.sleeping).toBe(1);
  return {
    answers,
    async judged() {
      await clock.advance(3000);
      await look;
      return checks.broken?.problem ?? null;
    },
  };
}

test('a feed that is said to be well a minute after its publisher answered 500 is a problem', async () => {
  const { judged } = await lookAt('ok');
  expect(await judged()).toMatch(/^feed_c2 is said to be ok, and its publisher answered \S+ with 500$/);
  expect(await (await lookAt('stale')).judged()).toBeNull();
});

test('an answer that was read in the journal after the hub was asked is judged at the next look', async () => {
  const { answers, judged } = await lookAt('ok');
  answers(200);
  expect(await judged()).toBeNull();
});
