// How much was observed: the gaps of routers, of the hub and of feeds, and the totals that say so.
import { expect, test } from 'vitest';
import type { CoverageSubject } from '#contract/coverage.ts';
import { hourMs, minuteMs } from '#kernel/time/time.ts';
import { batchOf, enrolAgent, observation } from '../support/agents.ts';
import { type Lab, pollIntervalMs, startLab } from '../support/lab.ts';

const router = (kind: 'vendor_a' | 'vendor_b') => ({ kind, sessions: 3, seed: 7 });

async function subjects<R extends string>(lab: Lab<R>, query: { from?: string; to?: string; buckets?: string } = {}) {
  const answer = await lab.as.admin.coverage.coverage({ query });
  const of = (id: string) => answer.subjects.find((one) => one.id === id) as CoverageSubject;
  return { answer, of };
}

async function pollTimes(lab: Lab<never>, times: number) {
  for (let round = 0; round < times; round += 1) {
    await lab.poll();
  }
}

test('a router that hangs for an hour has that hour as its gap, to the poll; the other one has none', async () => {
  await using lab = await startLab({ routers: { a: router('vendor_a'), b: router('vendor_b') } });
  const { a, b } = lab.routers;
  await pollTimes(lab as Lab<never>, 5);
  const before = (await subjects(lab)).of(a.id);
  expect(before).toMatchObject({ kind: 'router', share: 1, partShare: 0, gapsTotal: 0, removedAt: null });
  const lastRead = lab.clock.now();
  // Neither its open connection nor a new one says anything.
  a.fail('half-open');
  a.fail('hang');
  for (const end = lastRead + hourMs; lab.clock.now() < end; ) {
    await lab.pollThroughSilence();
  }
  a.clearFaults();
  await pollTimes(lab as Lab<never>, 15);
  const { answer, of } = await subjects(lab, { buckets: '10' });
  const [gap, ...more] = of(a.id).gaps;
  expect(more).toEqual([]);
  expect(gap).toMatchObject({ observed: 'none', missedRows: 0 });
  expect(Math.abs((gap?.from ?? 0) - lastRead)).toBeLessThanOrEqual(pollIntervalMs);
  // It ends with the interval before the first read that worked again.
  expect((gap?.to ?? 0) - lastRead).toBeGreaterThanOrEqual(hourMs - pollIntervalMs);
  const watchedMs = answer.to - of(a.id).since;
  const unseenMs = watchedMs * (1 - (of(a.id).share ?? 0));
  // A busy machine may answer the first read after the silence one interval late.
  expect(Math.abs(unseenMs - ((gap?.to ?? 0) - (gap?.from ?? 0)))).toBeLessThanOrEqual(pollIntervalMs);
  expect(of(b.id)).toMatchObject({ share: 1, gaps: [] });
  expect(answer.share).toBeCloseTo(((of(a.id).share ?? 0) + 1) / 2, 2);
  expect(answer.message).toMatch(/^\d\d\.\d % of this window was observed: see GET \/api\/coverage$/);
  // A window within the gap, and one after it.
  const inside = { from: String((gap?.from ?? 0) + minuteMs), to: String((gap?.to ?? 0) - minuteMs) };
  expect((await subjects(lab, inside)).of(a.id)).toMatchObject({ share: 0, timeline: expect.not.arrayContaining([1]) });
  expect((await subjects(lab, { from: String(gap?.to) })).of(a.id)).toMatchObject({ share: 1, gaps: [] });
});

test('a stopped hub, a router that is switched off and one that is removed are named', async () => {
  await using lab = await startLab({ routers: { a: router('vendor_a') } });
  const { id } = lab.routers.a;
  await pollTimes(lab as Lab<never>, 3);
  const stopped = lab.clock.now();
  await lab.stop();
  await lab.clock.advance(hourMs);
  await lab.restart();
  await lab.settled();
  await pollTimes(lab as Lab<never>, 3);
  const [off] = (await subjects(lab)).of(id).gaps;
  expect(off).toMatchObject({
    observed: 'none',
    reason: 'hub_off',
    message: expect.stringContaining('was not running'),
  });
  expect(Math.abs((off?.from ?? 0) - stopped)).toBeLessThanOrEqual(pollIntervalMs);
  await lab.as.admin.routers.update({ params: { id }, body: { enabled: false } });
  await pollTimes(lab as Lab<never>, 5);
  expect((await subjects(lab)).of(id).gaps[0]).toMatchObject({ reason: 'disabled', observed: 'none' });
  const removedAt = lab.clock.now();
  await lab.as.admin.routers.remove({ params: { id } });
  await pollTimes(lab as Lab<never>, 10);
  const after = (await subjects(lab)).of(id);
  expect(Math.abs((after.removedAt ?? 0) - removedAt)).toBeLessThanOrEqual(pollIntervalMs);
  expect(after.gaps.map(({ reason }) => reason)).toEqual(['disabled', 'hub_off']);
});

test('a table that breaks off and rows that are not understood count as observed in part', async () => {
  await using lab = await startLab({ routers: { b: { kind: 'vendor_b', sessions: 40, seed: 7 } } });
  const router = lab.routers.b;
  const { id } = router;
  await pollTimes(lab as Lab<never>, 2);
  router.fail('garbage');
  await pollTimes(lab as Lab<never>, 3);
  const { answer, of } = await subjects(lab);
  expect(of(id)).toMatchObject({ share: 1, gapsTotal: 1 });
  expect(of(id).partShare).toBeGreaterThan(0);
  expect(of(id).gaps[0]).toMatchObject({ observed: 'part', reason: expect.stringMatching(/table_cut|rows_not_read/) });
  expect(answer).toMatchObject({ share: 1, message: expect.stringContaining('not read whole') });
});

test('feeds that are off judge nothing, and each total of a window says what limits it', async () => {
  await using lab = await startLab({ routers: { a: router('vendor_a') } });
  await pollTimes(lab as Lab<never>, 10);
  const { answer } = await subjects(lab);
  const feeds = answer.subjects.filter(({ kind }) => kind === 'feed');
  expect(feeds).toHaveLength(4);
  for (const feed of feeds) {
    expect(feed).toMatchObject({ share: 0, gaps: [{ observed: 'none', reason: 'offline' }] });
  }
  const from = String(lab.clock.now() - 20 * minuteMs);
  const limitedBy = { judged: 'none', judgedWhy: { reason: 'offline_mode' } };
  const { threatCounts, threatConnections, summary } = lab.as.admin.connections;
  for (const total of [await threatCounts({ query: {} }), await threatConnections({ query: {} })]) {
    expect(total).toMatchObject({ ...limitedBy, coverage: { share: 1, message: null } });
  }
  const counted = await summary({ query: { from } });
  expect(counted).toMatchObject(limitedBy);
  expect(counted.coverage.share).toBeLessThan(1);
  expect(counted.coverage.message).toContain('begins before the first router was set up');
  const { id } = lab.routers.a;
  const scoped = await threatCounts({ query: { sourceKind: 'router', sourceId: id } });
  expect(scoped.coverage).toEqual({ share: 1, message: null });
});

test('without a router nothing is known, and bad windows are refused', async () => {
  await using lab = await startLab();
  const { answer } = await subjects(lab);
  expect(answer).toMatchObject({ share: null, message: expect.stringContaining('no router was set up'), subjects: [] });
  for (const query of [{ from: '2', to: '1' }, { buckets: 'many' }, { from: 'x' }]) {
    const search = new URLSearchParams(query as Record<string, string>);
    const { status, body } = await lab.as.raw({ method: 'GET', path: `/api/coverage?${search}` });
    expect([query, status, body]).toMatchObject([query, 400, { code: 'invalid_query' }]);
  }
  const { status } = await lab.as.raw({ method: 'GET', path: '/api/coverage?buckets=9999' });
  expect(status).toBe(200);
});

test('an Agent that is silent has a gap, and what its sources cannot see is said', async () => {
  await using lab = await startLab();
  const { client, agentId } = await enrolAgent(lab);
  const deliver = (collector: 'socket-table' | 'conntrack') =>
    client.agents.ingest({ body: batchOf(lab.clock.now(), [observation(lab.clock.now(), { collector })]) });
  await deliver('socket-table');
  await lab.advance(2 * minuteMs);
  for (let round = 0; round < 4; round += 1) {
    await lab.advance(10 * minuteMs);
    await deliver('socket-table');
  }
  await lab.advance(2 * minuteMs);
  const heard = (await subjects(lab)).of(agentId);
  expect(heard).toMatchObject({ kind: 'agent', share: 1, gaps: [] });
  expect(heard.cannotSee).toEqual([
    expect.stringContaining('between two reads of the socket table'),
    expect.stringContaining('most DNS queries'),
  ]);
  expect(heard.blindSpots).toEqual([
    { code: 'between_socket_reads', share: null },
    { code: 'unconnected_udp', share: null },
  ]);
  await lab.advance(hourMs);
  const silent = (await subjects(lab)).of(agentId);
  expect(silent.gaps).toMatchObject([{ observed: 'none', reason: 'silent' }]);
  expect(silent.share).toBeLessThan(0.6);
  await deliver('conntrack');
  await lab.advance(3 * minuteMs);
  const back = (await subjects(lab)).of(agentId);
  expect([back.cannotSee, back.gapsTotal]).toEqual([[], 1]);
});
