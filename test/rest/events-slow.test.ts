// Readers that do not read: they are dropped, and others notice nothing.
import { expect, test } from 'vitest';
import { permissions } from '#contract/access.ts';
import { eventRoutes } from '#contract/events.ts';
import { limits } from '#contract/limits.ts';
import type { Principal, SignedIn } from '#hub/base/auth/principal.ts';
import { createSignals } from '#hub/base/signals.ts';
import { type Live, startLive } from '#hub/notify/live/live.ts';
import { mount, startServer } from '#kernel/http/serve.ts';
import { createLog } from '#kernel/process/log.ts';
import { createSteadyClock } from '#kernel/time/steady-clock.ts';
import { readEvents } from '../support/event-reader.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** The live updates alone behind a real server, so that a test can publish as fast as it likes. */
async function startBareLive() {
  const holder: SignedIn = { who: 'admin', permissions: new Set(permissions), credential: 'admin-token' };
  const other: SignedIn = { ...holder, credential: 'identity:other' };
  const clock = new ManualClock();
  const live = startLive({
    clock,
    steadyClock: createSteadyClock(clock),
    log: createLog('hub', 'silent'),
    signals: createSignals(createLog('hub', 'silent')),
    identify: ({ headers }) => (headers['x-other'] === undefined ? holder : other),
    requireOwnPage: () => undefined,
  });
  const served = await startServer<unknown, Principal>({
    mounted: [mount(eventRoutes, { stream: ({ request, signal }) => live.open(request, signal) })],
    authorize: () => holder,
    log: createLog('hub', 'silent'),
    host: '127.0.0.1',
    port: 0,
  });
  return {
    live,
    clock,
    url: served.url,
    /** Sockets the server holds. */
    sockets: () =>
      new Promise<number>((resolve, reject) => {
        served.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    async [Symbol.asyncDispose]() {
      await live[Symbol.asyncDispose]();
      await served[Symbol.asyncDispose]();
    },
  };
}

const filler = 'x'.repeat(1000);

/** About 300 KB of rows. */
function publishMuch(live: Live, serverTime: number): void {
  const row = { src: '192.168.1.2', dst: '203.0.113.9', org: filler };
  const connections = Array.from({ length: 280 }, () => row) as never[];
  live.publish('connections-update', { connections, serverTime, partial: true, truncated: false });
}

test('ten readers that stopped reading are dropped; one that reads gets every event', async () => {
  await using bare = await startBareLive();
  using reading = await readEvents(bare.url, { 'x-other': 'yes' });
  const stuck = await Promise.all(Array.from({ length: 10 }, () => readEvents(bare.url, {})));
  for (const reader of stuck) {
    await reader.next('ready');
    reader.pause();
  }
  for (let turn = 0; turn < 100; turn += 1) {
    publishMuch(bare.live, turn);
    const { data } = await reading.next('connections-update');
    expect((data as { serverTime: number }).serverTime).toBe(turn);
    bare.clock.put(bare.clock.now() + 100);
  }
  await expect.poll(() => bare.sockets()).toBe(1);
  for (const reader of stuck) {
    reader.resume();
    await reader.ended;
    const updates = reader.names.filter((name) => name === 'connections-update').length;
    expect(updates).toBeLessThan(100);
  }
  expect(reading.names).not.toContain('closed');
});

test('a slow reader that reads in the end is told why it was dropped, and where to go on', async () => {
  await using bare = await startBareLive();
  using slow = await readEvents(bare.url, {});
  await slow.next('ready');
  for (let turn = 0; turn < 10; turn += 1) {
    publishMuch(bare.live, turn);
    bare.clock.put(bare.clock.now() + limits.liveSlowMs / 5);
  }
  const { data } = await slow.next('closed');
  expect(data).toEqual({ reason: 'too_slow' });
  await slow.ended;
  using again = await readEvents(bare.url, { 'last-event-id': slow.lastId() });
  expect((await again.next()).event).toBe('ready');
  const read = slow.names.filter((name) => name === 'connections-update').length;
  expect((await again.next('connections-update')).data).toMatchObject({ serverTime: read });
});

test('a reader comes back for up to 4 MB that it missed, and is not taken for slow', async () => {
  await using bare = await startBareLive();
  const first = await readEvents(bare.url, {});
  const { id = '' } = await first.next('ready');
  first[Symbol.dispose]();
  for (let turn = 0; turn < 12; turn += 1) {
    publishMuch(bare.live, turn);
  }
  using again = await readEvents(bare.url, { 'last-event-id': id });
  expect((await again.next()).event).toBe('ready');
  for (let turn = 0; turn < 12; turn += 1) {
    expect((await again.next()).data).toMatchObject({ serverTime: turn });
  }
});

test('a reader that had read everything is not slow, however much comes at once', async () => {
  await using bare = await startBareLive();
  using reader = await readEvents(bare.url, {});
  await reader.next('ready');
  for (let turn = 0; turn < 12; turn += 1) {
    publishMuch(bare.live, turn);
  }
  for (let turn = 0; turn < 12; turn += 1) {
    expect((await reader.next()).data).toMatchObject({ serverTime: turn });
  }
  // More than the ring holds: what was lost is said.
  for (let turn = 0; turn < 40; turn += 1) {
    publishMuch(bare.live, turn);
  }
  await reader.next('resync');
  publishMuch(bare.live, 40);
  expect((await reader.next()).data).toMatchObject({ serverTime: 40 });
});

test('an event that is larger than may wait for a reader is a resync, live and for one who comes back', async () => {
  await using bare = await startBareLive();
  using reader = await readEvents(bare.url, {});
  const { id = '' } = await reader.next('ready');
  for (const length of [limits.liveWaitingBytes, 2 * limits.liveRingBytes]) {
    const connections = [{ src: '192.168.1.2', dst: '203.0.113.9', org: 'x'.repeat(length) }] as never[];
    bare.live.publish('connections-update', { connections, serverTime: 0, partial: true, truncated: false });
    expect(await reader.next()).toMatchObject({ event: 'resync', data: { serverTime: bare.clock.now() } });
  }
  using again = await readEvents(bare.url, { 'last-event-id': id });
  expect([(await again.next()).event, (await again.next()).event]).toEqual(['ready', 'resync']);
  publishMuch(bare.live, 7);
  expect((await reader.next()).data).toMatchObject({ serverTime: 7 });
});
