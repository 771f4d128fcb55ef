// One poll loop per enabled router, none for any other, whatever is edited, removed or stopped at the same time.
import path from 'node:path';
import { expect, test } from 'vitest';
import { openDocument } from '#hub/base/settings/document.ts';
import { type PollerOptions, startPoller } from '#hub/collect/routers/poller.ts';
import { createRegistry, type RouterInput } from '#hub/collect/routers/registry.ts';
import { RouterStatuses } from '#hub/collect/routers/runtime.ts';
import { createLog } from '#kernel/process/log.ts';
import { createKey } from '#kernel/text/secret.ts';
import { systemClock } from '#kernel/time/clock.ts';
import type { RouterSimulator } from '#simulators/router/router.ts';
import { startRouter } from '#simulators/router/start.ts';
import { pollIntervalMs, recordOf, startLab } from '../../../support/lab.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { keepAll } from '../../../support/no-marks.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { nat } from './polls.ts';

/** A router that asks for no enable secret, so that each poll reads its session table once. */
const open = { kind: 'vendor_b', sessions: 5, credentials: { privileged: true } } as const;
const readsOf = ({ commands }: RouterSimulator) =>
  commands.filter((line) => line.startsWith('show ip nat translations')).length;

test('two edits of one router at the same time leave one loop, and none once it is disabled', async () => {
  await using lab = await startLab({ routers: { a: open } });
  const { a } = lab.routers;
  const edit = (body: Record<string, unknown>) => lab.as.admin.routers.update({ params: { id: a.id }, body });
  await Promise.all([edit({ displayName: 'one' }), edit({ displayName: 'two' }), edit({ displayName: 'three' })]);
  await lab.settled();
  await expect.poll(() => a.sessionsOpen).toBe(1);
  const before = readsOf(a);
  await lab.poll();
  await lab.poll();
  expect(readsOf(a) - before).toBe(2);
  await Promise.all([edit({ displayName: 'four' }), edit({ enabled: false })]);
  expect((await lab.as.admin.routers.list({})).routers[0]).toMatchObject({ state: 'disabled', displayName: 'four' });
  const asked = a.commands.length;
  await lab.poll();
  expect(a.commands.length).toBe(asked);
  await expect.poll(() => a.sessionsOpen).toBe(0);
});

test('an edit does not wait for the polls of silent routers', async () => {
  await using lab = await startLab({ routers: { a: 'vendor_a', b: 'vendor_b', c: 'vendor_a', edited: open } });
  const { edited, ...silent } = lab.routers;
  for (const router of Object.values(silent)) {
    router.kick();
    router.fail('hang');
  }
  await lab.clock.advance(pollIntervalMs);
  const held = () => Object.values(silent).map((router) => router.connections);
  await expect.poll(held).toEqual([2, 2, 2]);
  const at = lab.clock.now();
  const reads = readsOf(edited);
  const edit = (body: Record<string, unknown>) => lab.as.admin.routers.update({ params: { id: edited.id }, body });
  expect(await edit({ displayName: 'renamed' })).toMatchObject({ router: { displayName: 'renamed' } });
  expect(await edit({ enabled: false })).toMatchObject({ router: { state: 'disabled' } });
  expect(await edit({ enabled: true })).toMatchObject({ router: { state: 'connecting' } });
  expect(lab.clock.now()).toBe(at);
  expect(readsOf(edited)).toBe(reads);
  await lab.settleThroughSilence();
  expect(readsOf(edited)).toBeGreaterThan(reads);
});

test('an edit does not wait for a router that talks on after the goodbye', async () => {
  await using lab = await startLab({ routers: { a: open } });
  const router = lab.routers.a;
  const { id } = router;
  router.fail('unknown-command', { command: 'exit' });
  const talking = new AbortController();
  const talk = (async () => {
    while (!talking.signal.aborted) {
      router.log('%SYS-5-CONFIG_I: Configured from console by monitor');
      await systemClock.sleep(300);
    }
  })();
  try {
    const edited = await lab.as.admin.routers.update({ params: { id }, body: { enabled: false } });
    expect(edited).toMatchObject({ router: { state: 'disabled' } });
    await expect.poll(() => router.sessionsOpen).toBe(0);
  } finally {
    talking.abort();
    await talk;
  }
});

/** A poller on its own settings, with one vendor_b router; what it records goes to `record`. */
async function onePoller(options: Partial<PollerOptions> = {}) {
  const { kind, ...unlocked } = open;
  const stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  const clock = new ManualClock();
  const router = stack.use(await startRouter(kind, { ...unlocked, clock }));
  const document = openDocument(path.join(folder.path, 'monitor.json'), createKey());
  const registry = createRegistry({ document, clock, allowLoopback: true });
  const { id } = registry.create(recordOf(router, 'one') as RouterInput);
  const statuses = new RouterStatuses();
  const errors: unknown[] = [];
  const log = Object.assign(createLog('hub', 'silent'), { error: (...line: unknown[]) => void errors.push(line) });
  const poller = stack.use(
    startPoller({
      registry,
      marks: keepAll,
      statuses,
      clock,
      log,
      intervalMs: pollIntervalMs,
      record: async () => ({ added: 0, renewed: 0, unchanged: 0 }),
      reportLan: async () => {},
      coverPoll: () => function* () {},
      *writeTranslated() {},
      ...options,
    }),
  );
  await expect.poll(() => readsOf(router)).toBe(1);
  return {
    ...{ router, registry, statuses, poller, id, errors, clock },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

test('nothing starts once the poller is disposed, and it waits for what was being applied', async () => {
  await using one = await onePoller();
  await one.poller.settled();
  let isApplied = false;
  const applied = one.poller.apply(one.id).then(() => {
    isApplied = true;
  });
  await one.poller[Symbol.asyncDispose]();
  expect(isApplied).toBe(true);
  await applied;
  await one.poller.apply(one.id);
  await one.clock.advance(3 * pollIntervalMs);
  await one.poller.settled();
  expect(readsOf(one.router)).toBe(1);
  await expect.poll(() => one.router.sessionsOpen).toBe(0);
});

test.each(['disabled', 'removed'])(
  'a router that is %s is not polled again, and nothing is logged as broken',
  async (how) => {
    await using one = await onePoller();
    await one.poller.settled();
    if (how === 'removed') {
      one.registry.remove(one.id);
    } else {
      one.registry.update(one.id, { enabled: false });
    }
    await one.clock.advance(3 * pollIntervalMs);
    await one.poller.settled();
    expect(readsOf(one.router)).toBe(1);
    await expect.poll(() => one.router.sessionsOpen).toBe(0);
    expect(one.errors).toEqual([]);
  },
);

test('a poll that began before an edit says nothing of the router after it', async () => {
  const recording = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const seen: string[] = [];
  const stateNow = () => one.statuses.of(one.registry.get(one.id)).state;
  await using one = await onePoller({
    record: async () => {
      begun.resolve();
      await recording.promise;
      return { added: 0, renewed: 0, unchanged: 0 };
    },
    onStatus: () => void seen.push(stateNow()),
  });
  await begun.promise;
  one.registry.update(one.id, { port: 1, pass: 'another one' });
  const applied = one.poller.apply(one.id);
  expect(stateNow()).toBe('connecting');
  recording.resolve();
  await applied;
  await one.poller.settled();
  expect([...new Set(seen)]).toEqual(['connecting', 'failed']);
});

test('a poll that reads not one session stores nothing, and only a cut connection is opened again for it', async () => {
  let batches = 0;
  await using one = await onePoller({
    record: async () => {
      batches += 1;
      return { added: 0, renewed: 0, unchanged: 0 };
    },
  });
  const router = one.router;
  const failure = () => one.statuses.of(one.registry.get(one.id)).failure;
  const counts = () => ({ batches, reads: readsOf(one.router), connections: router.connections });
  await one.poller.settled();
  expect(counts()).toEqual({ batches: 1, reads: 1, connections: 1 });
  router.kick();
  await one.clock.advance(pollIntervalMs);
  await expect.poll(counts).toEqual({ batches: 2, reads: 2, connections: 2 });
  await one.poller.settled();
  router.fail('unknown-command', { command: nat('vendor_b') });
  await one.clock.advance(pollIntervalMs);
  await expect.poll(failure).toBe('unreadable');
  // With its times and without.
  expect(counts()).toEqual({ batches: 2, reads: 4, connections: 2 });
});

test('a router that backs off is left alone: no session stays open until the next try', async () => {
  const state = { fails: true };
  await using one = await onePoller({
    record: async () => {
      if (state.fails) {
        throw new Error('refused by the test');
      }
      return { added: 0, renewed: 0, unchanged: 0 };
    },
  });
  const status = () => one.statuses.of(one.registry.get(one.id));
  const minutes = [2, 4, 8, 10, 10];
  for (const [failures, wait] of minutes.entries()) {
    const waitMs = wait * 60_000;
    await expect.poll(() => (status().nextPollAt ?? 0) - one.clock.now()).toBe(waitMs);
    expect(status().failure).toBe('save_failed');
    await expect.poll(() => one.router.sessionsOpen).toBe(0);
    const before = readsOf(one.router);
    await one.clock.advance(waitMs - 1);
    expect(readsOf(one.router)).toBe(before);
    state.fails = failures < minutes.length - 1;
    await one.clock.advance(1);
    await expect.poll(() => readsOf(one.router)).toBe(before + 1);
  }
  await expect.poll(() => (status().nextPollAt ?? 0) - one.clock.now()).toBe(pollIntervalMs);
  expect(status()).toMatchObject({ state: 'ready', failure: null });
  expect(one.router.sessionsOpen).toBe(1);
});
