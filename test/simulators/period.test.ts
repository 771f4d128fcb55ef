// A period of the log, exported and played again: an empty hub that looks at the same instants gives the same answers.
import path from 'node:path';
import { expect } from 'vitest';
import { hourMs, minuteMs } from '#kernel/time/time.ts';
import { startAgents } from '#simulators/agent/start.ts';
import { startFeeds } from '#simulators/feeds/feeds.ts';
import { planPeriodAgents } from '#simulators/period/agents.ts';
import { planPeriodRouter } from '#simulators/period/router.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { exportPeriod } from '../support/period-export.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

/** A run goes over the end of an hour. */
const start = Date.UTC(2026, 2, 1, 3, 45);
const from = Date.UTC(2026, 2, 1, 3);
const to = from + 2 * hourMs;
const listed = { ioc: [{ value: '198.51.100.66:8443' }] };

type Options = Parameters<typeof startLab>[0];

const lastingMinutes = 30;

/** A lab with an Agent that has its bearer, after half an hour of virtual time in steps of ten seconds. */
async function observe(options: Options, given: Partial<Parameters<typeof startAgents>[0]>) {
  await using stack = new AsyncDisposableStack();
  const clock = new ManualClock(start);
  const feeds = stack.use(await startFeeds({ clock, rows: listed }));
  const lab: Lab<string> = stack.use(
    await startLab({
      clock,
      ...options,
      hub: { threatFeeds: true, threatMirror: feeds.url, startsReaders: true },
    }),
  );
  await lab.as.admin.threat.saveFeedsConfig({ body: { authKey: feeds.authKey } });
  await lab.settled();
  const { code } = await lab.as.admin.agents.createCode({ body: {} });
  const agents = stack.use(await startAgents({ hub: lab.url, clock, claimEveryMs: 20, ...given, codes: [code] }));
  const requestId = agents.agents[0]?.requestId ?? '';
  await lab.as.admin.agents.approve({ params: { requestId }, body: {} });
  await expect.poll(() => agents.agents[0]?.credential).toBe('active');
  for (let step = 0; step < lastingMinutes * 6; step += 1) {
    await lab.advance(minuteMs / 6);
    await expect.poll(() => agents.agents[0]?.waiting).toBe(0);
    await lab.settled();
  }
  if (given.machines) {
    // Agents of a period deliver some seconds after the sighting.
    await lab.advance(minuteMs / 4);
    await lab.advance(minuteMs / 4);
    await lab.settled();
  }
  const kept = stack.move();
  return { lab, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** What the three routes say of the period, without what must differ: ids, which are drawn, and the time of the answer. */
async function answers(lab: Lab<string>) {
  const { connections: routes, routers } = lab.as.admin;
  const names = new Map((await routers.list({})).routers.map(({ id, displayName }) => [id, displayName]));
  const query = { from: String(from), to: String(to) };
  const { connections, total } = await routes.list({ query: { ...query, sort: 'dst' } });
  const { serverTime: _s, cached: _c, ...summary } = await routes.summary({ query: { ...query, buckets: '20' } });
  const { serverTime: _t, ...counts } = await routes.threatCounts({ query });
  const named = (ids: readonly string[]) => ids.map((id) => names.get(id) ?? id).sort();
  return {
    total,
    connections: connections.map(({ srcDeviceId: _id, ...row }) => ({ ...row, observedBy: named(row.observedBy) })),
    summary: {
      ...summary,
      byDevice: summary.byDevice.map((row) => ({ ...row, observedBy: named(row.observedBy) })),
    },
    counts,
  };
}

verifies(
  'sim.period.round-trip sim.router.period sim.agent.period',
  'routers of both kinds, two of them alike, and an Agent',
  async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'period.jsonl');
    const first = await observe(
      {
        routers: {
          a: { kind: 'vendor_a', traffic: true, seed: 3, settings: { bootedAt: start } },
          b: {
            kind: 'vendor_b',
            traffic: true,
            seed: 4,
            settings: { bootedAt: start, lanAddress: '192.168.200.1' },
          },
          c: {
            kind: 'vendor_a',
            traffic: true,
            seed: 5,
            hosts: 3,
            settings: { bootedAt: start, lanAddress: '192.168.210.1' },
          },
        },
      },
      { rate: 2, observations: 8, source: '192.168.150.7' },
    );
    await using _first = first;
    const expected = await answers(first.lab);
    expect(expected.total).toBeGreaterThan(500);
    expect(expected.counts.danger).toBeGreaterThan(0);
    await exportPeriod(first.lab.dataDir, { from, to }, file);
    const { routers } = await first.lab.as.admin.routers.list({});
    const planRouter = (name: string, kind: 'vendor_a' | 'vendor_b') =>
      planPeriodRouter(file, kind, routers.find(({ displayName }) => displayName === name)?.id ?? '')(from);
    expect(() => planPeriodRouter(file, 'vendor_a', null)).toThrow('several routers of vendor_a: choose one');
    const { plan } = planPeriodAgents(file);
    const second = await observe(
      {
        routers: {
          a: { kind: 'vendor_a', ...planRouter('a', 'vendor_a') },
          b: { kind: 'vendor_b', ...planRouter('b', 'vendor_b') },
          c: { kind: 'vendor_a', ...planRouter('c', 'vendor_a') },
        },
      },
      plan(from),
    );
    await using _second = second;
    const got = await answers(second.lab);
    expect(got).toEqual(expected);
  },
  200_000,
);
