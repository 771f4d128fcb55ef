// A connection that a router and an Agent saw together, exported with its period and played again by both.
import path from 'node:path';
import { expect } from 'vitest';
import { hourMs, minuteMs } from '#kernel/time/time.ts';
import { startAgents } from '#simulators/agent/start.ts';
import { planPeriodAgents } from '#simulators/period/agents.ts';
import { planPeriodRouter } from '#simulators/period/router.ts';
import { type Lab, type LabOptions, startLab } from '../support/lab.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { exportPeriod } from '../support/period-export.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

const from = Date.UTC(2026, 2, 1, 3);
const to = from + hourMs;
const lastsMs = 10 * minuteMs;
const stepMs = minuteMs / 6;
const flow = { src: '192.168.100.3', sport: 50_077, dst: '203.0.113.80', dport: 443 } as const;

const told = {
  localAddress: flow.src,
  localPort: flow.sport,
  remoteAddress: flow.dst,
  remotePort: flow.dport,
  networkProtocol: 'tcp',
  processName: 'player',
  processID: 4711,
  agoMs: minuteMs,
  lastsMs: minuteMs,
  bytesIn: '350',
  bytesOut: '2100',
} as const;

type AgentParts = Partial<Parameters<typeof startAgents>[0]>;

/** A lab at the start of the period, with an Agent that has its bearer. */
async function startBoth(routers: NonNullable<LabOptions<'a'>['routers']>, given: AgentParts) {
  await using stack = new AsyncDisposableStack();
  const clock = new ManualClock(from);
  const lab = stack.use(await startLab({ clock, routers, hub: { startsReaders: true } }));
  await lab.settled();
  const { code } = await lab.as.admin.agents.createCode({ body: {} });
  const agents = stack.use(await startAgents({ hub: lab.url, clock, claimEveryMs: 20, ...given, codes: [code] }));
  await lab.as.admin.agents.approve({ params: { requestId: agents.agents[0]?.requestId ?? '' }, body: {} });
  await expect.poll(() => agents.agents[0]?.credential).toBe('active');
  const kept = stack.move();
  return {
    lab,
    agents,
    /** Moves the clock in steps of ten seconds to a minute after the last packet; calls `act` after each step. */
    async advance(act: (ms: number) => Promise<unknown> = async () => undefined) {
      for (let ms = stepMs; ms <= lastsMs + minuteMs; ms += stepMs) {
        await lab.advance(stepMs);
        await expect.poll(() => agents.agents[0]?.waiting).toBe(0);
        await lab.settled();
        await act(ms);
      }
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** The connections of the period, with the names of their observers and without ids that are drawn. */
async function listRows({ as: { admin } }: Lab<'a'>) {
  const names = new Map((await admin.routers.list({})).routers.map(({ id, displayName }) => [id, displayName]));
  const { connections } = await admin.connections.list({ query: { from: String(from), to: String(to) } });
  return connections.map(({ srcDeviceId: _id, observedBy, ...row }) => ({
    ...row,
    observedBy: observedBy.map((id) => names.get(id)),
  }));
}

/** A period without what must differ in another hub: the id of the router, which is drawn, and the digest of the lines. */
const withoutIds = (period: string) => period.replace(/"vendor-[ab]-\w+"|"\w{64}"/g, '"…"');

const cases = (['vendor_a', 'vendor_b'] as const).flatMap((kind) => [
  { what: `${kind}, and an Agent from the start to the end`, kind, minutes: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] },
  { what: `${kind}, and an Agent between the polls`, kind, minutes: [3.5, 4.5, 5.5] },
]);

verifies.each('sim.period.round-trip', cases, async ({ kind, minutes }) => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'period.jsonl');
  await using first = await startBoth({ a: { kind } }, { rate: 0 });
  first.lab.routers.a.flow({ ...flow, everyMs: stepMs, lastsMs });
  await first.advance((ms) =>
    minutes.includes(ms / minuteMs) ? first.agents.deliver({ observations: [told] }) : Promise.resolve(),
  );
  const expected = await listRows(first.lab);
  expect(expected).toMatchObject([{ process: 'player', bytesOut: String(2100 * minutes.length), observedBy: ['a'] }]);
  const exported = await exportPeriod(first.lab.dataDir, { from, to }, file);
  expect(exported).toContain('"by":[0,1]');

  await using second = await startBoth(
    { a: { kind, ...planPeriodRouter(file, kind, null)(from) } },
    planPeriodAgents(file).plan(from),
  );
  await second.advance();
  expect(await listRows(second.lab)).toEqual(expected);
  const again = await exportPeriod(second.lab.dataDir, { from, to }, path.join(folder.path, 'again.jsonl'));
  expect(withoutIds(again)).toBe(withoutIds(exported));
});
