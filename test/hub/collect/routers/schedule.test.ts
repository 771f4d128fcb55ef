// When polls happen: staggered, and bounded in time. poll-loops.test.ts has the back-off, and the one connection of a router.
import { expect, test } from 'vitest';
import { startRouter } from '#simulators/router/start.ts';
import { recordOf, startLab } from '../../../support/lab.ts';

test('routers start one after the other, a tenth of the interval apart', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a', b: 'vendor_b', c: 'vendor_a', d: 'vendor_b' } });
  const simulators = Object.values(lab.routers);
  const connections = () => simulators.map((router) => router.connections);
  expect(connections()).toEqual([1, 1, 1, 1]);
  await lab.restart();
  await lab.settled();
  expect(connections()).toEqual([2, 1, 1, 1]);
  await lab.advance(6000);
  expect(connections()).toEqual([2, 2, 1, 1]);
  await lab.advance(6000);
  expect(connections()).toEqual([2, 2, 2, 1]);
  await lab.advance(6000);
  expect(connections()).toEqual([2, 2, 2, 2]);
});

test('a table that only drips is given up after 120 s, and the connection with it', async () => {
  await using lab = await startLab();
  await using slow = await startRouter('vendor_b', {
    clock: lab.clock,
    sessions: 400,
    settings: { lines: 'infinity' },
  });
  slow.fail('slow-output', { value: 400, command: 'show ip nat translations' });
  await lab.as.admin.routers.create({ body: recordOf(slow, 'slow') });
  await lab.settleThroughSilence();
  const [router] = (await lab.as.admin.routers.list({})).routers;
  expect(router).toMatchObject({ state: 'failed', failure: 'timed_out', message: expect.stringContaining('120 s') });
  expect((router?.nextPollAt ?? 0) - (router?.lastErrorAt ?? 0)).toBe(120_000);
  await expect.poll(() => slow.sessionsOpen).toBe(0);
});
