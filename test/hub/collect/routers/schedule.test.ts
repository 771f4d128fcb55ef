// When polls happen: staggered, one connection each, bounded in time, a failing router alone backs off.
import { expect, test } from 'vitest';
import { startRouter } from '#simulators/router/router.ts';
import { recordOf, startLab } from '../../../support/lab.ts';

test('routers start one after the other, a tenth of the interval apart', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a', b: 'vendor_b', c: 'vendor_a', d: 'vendor_b' } });
  const simulators = Object.values(lab.routers);
  const connections = () => simulators.map(({ control }) => control.connections);
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

test('one connection serves every poll; a kicked one comes back quietly within the same poll', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a' } });
  const { control } = lab.routers.a;
  await lab.poll();
  await lab.poll();
  expect(control.connections).toBe(1);
  control.kick();
  await lab.poll();
  expect(control.connections).toBe(2);
  expect((await lab.as.admin.routers.list({})).routers[0]).toMatchObject({ state: 'ready', lastError: null });
});

test('a dead router is tried after 2, 4, 8 … intervals, ten minutes at most; the others keep their rhythm', async () => {
  await using lab = await startLab({ routers: { alive: 'vendor_b' } });
  const dead = { ...recordOf(lab.routers.alive, 'dead'), port: 1 };
  await lab.as.admin.routers.create({ body: dead });
  await lab.settled();
  const waits: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    const { routers } = await lab.as.admin.routers.list({});
    const [alive, broken] = routers;
    expect(broken).toMatchObject({ state: 'failed', failure: 'unreachable' });
    expect(alive).toMatchObject({ state: 'ready' });
    const wait = (broken?.nextPollAt ?? 0) - (broken?.lastErrorAt ?? 0);
    waits.push(wait);
    for (let passed = 0; passed < wait; passed += 60_000) {
      await lab.advance(60_000);
    }
  }
  expect(waits).toEqual([120_000, 240_000, 480_000, 600_000, 600_000, 600_000]);
});

test('a table that only drips is given up after 120 s, and the connection with it', async () => {
  await using lab = await startLab();
  await using slow = await startRouter({
    kind: 'vendor_b',
    clock: lab.clock,
    sessions: 400,
    settings: { lines: 'infinity' },
  });
  slow.control.fail('slow-output', { value: 400, command: 'show ip nat translations' });
  await lab.as.admin.routers.create({ body: recordOf(slow, 'slow') });
  await lab.settleThroughSilence();
  const [router] = (await lab.as.admin.routers.list({})).routers;
  expect(router).toMatchObject({ state: 'failed', failure: 'timed_out', message: expect.stringContaining('120 s') });
  expect((router?.nextPollAt ?? 0) - (router?.lastErrorAt ?? 0)).toBe(120_000);
  await expect.poll(() => slow.control.sessionsOpen).toBe(0);
});

test('a switched-off router is not polled, and is again when it is switched on', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a' } });
  const params = { id: lab.routers.a.id };
  const off = await lab.as.admin.routers.update({ params, body: { enabled: false } });
  expect(off.router).toMatchObject({ state: 'disabled', ready: false });
  const asked = lab.routers.a.control.commands.length;
  await lab.poll();
  expect(lab.routers.a.control.commands.length).toBe(asked);
  expect(lab.routers.a.control.sessionsOpen).toBe(0);
  await lab.as.admin.routers.update({ params, body: { enabled: true } });
  await lab.settled();
  expect((await lab.as.admin.routers.list({})).routers[0]).toMatchObject({ state: 'ready' });
});
