// Routers that never stop talking, or talk byte by byte, at a running hub: a state with a name, and everybody else served.
import { describe, expect, test } from 'vitest';
import type { RouterFault } from '#simulators/router/faults.ts';
import type { FaultOptions } from '#simulators/support/simulator.ts';
import { kinds, nat } from '../hub/collect/routers/polls.ts';
import { startHealthProbe } from '../support/health-probe.ts';
import { type Lab, startLab } from '../support/lab.ts';

type Two = Lab<'one' | 'other'>;

const twoRouters = (kind: 'vendor_a' | 'vendor_b'): Promise<Two> =>
  startLab({
    routers: {
      one: { kind, sessions: 40, settings: { lines: 'infinity' }, credentials: { privileged: kind === 'vendor_b' } },
      other: { kind: 'vendor_b', seed: 9, sessions: 5 },
    },
  });

async function statesOf(lab: Two) {
  const { routers } = await lab.as.admin.routers.list({});
  return Object.fromEntries(routers.map((router) => [router.displayName, router]));
}

describe.each(kinds)('%s', (kind) => {
  const cases: [RouterFault, FaultOptions, RegExp][] = [
    ['endless', { command: nat(kind) }, /more than 131,070 rows in one answer/],
    kind === 'vendor_a'
      ? ['endless-line', { command: nat(kind) }, /more than 64 MB in one answer/]
      : ['endless-line', { command: 'show clock' }, /more than 8 MB in one answer/],
    ['endless-banner', {}, /more than 1 MB in one answer/],
  ];
  // Time for 64 MB through both ends of SSH on a busy machine.
  test.each(cases)(
    '%s %j: a named state, the other router is polled, and the next poll works',
    async (fault, options, says) => {
      await using lab = await twoRouters(kind);
      const router = lab.routers.one;
      const { id } = router;
      const before = lab.clock.now();
      router.kick();
      router.fail(fault, options);
      await lab.poll();
      const { one, other } = await statesOf(lab);
      expect(one).toMatchObject({
        state: 'reconnecting',
        failure: 'too_much_output',
        message: expect.stringMatching(says),
      });
      expect(one?.nextPollAt).toBe((one?.lastErrorAt ?? 0) + 120_000);
      expect(other).toMatchObject({ state: 'ready', failure: null });
      expect(other?.lastSuccessAt).toBeGreaterThan(before);
      const { connections } = await lab.as.admin.connections.list({ query: {} });
      expect(connections.filter(({ observedBy }) => observedBy.includes(id)).length).toBeGreaterThan(20);
      router.clearFaults();
      await lab.advance((one?.nextPollAt ?? 0) - lab.clock.now());
      expect((await statesOf(lab)).one).toMatchObject({ state: 'ready', failure: null, complete: true });
      expect(router.violations).toEqual([]);
    },
  );

  test('dribble: the poll ends well, and the hub answers meanwhile', async () => {
    await using lab = await twoRouters(kind);
    const router = lab.routers.one;
    router.fail('dribble');
    await using probe = startHealthProbe(lab.url);
    await probe.take();
    await lab.poll();
    const { failed, elapsedMs } = await probe.take();
    expect(failed).toEqual([]);
    expect(elapsedMs.length).toBeGreaterThan(3);
    expect((await statesOf(lab)).one).toMatchObject({
      state: 'ready',
      complete: true,
      sessionCount: expect.any(Number),
    });
    expect(router.violations).toEqual([]);
  });
});

test('endless, but slow: a poll that is never silent ends at its deadline', async () => {
  await using lab = await twoRouters('vendor_a');
  const router = lab.routers.one;
  router.fail('endless', { command: nat('vendor_a') });
  router.fail('slow-output', { value: 400 });
  await lab.pollThroughSilence();
  expect((await statesOf(lab)).one).toMatchObject({ failure: 'timed_out', message: expect.stringContaining('120 s') });
});
