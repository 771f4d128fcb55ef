// An Agent in a scenario: what it delivers to a hub is what the timeline says, and the same twice.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { isoTime, utcTime } from '#kernel/time/clock.ts';
import type { AgentControl } from '#simulators/agent/control.ts';
import type { RouterControl } from '#simulators/router/control.ts';
import { createPacedClock, createSteppedClock } from '#simulators/scenario/clock.ts';
import { readScenario } from '#simulators/scenario/read.ts';
import { runTimeline, startScenario } from '#simulators/scenario/run.ts';
import { type AgentHub, startAgentHub } from '../support/agent-hub.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

const start = utcTime(2026, 1, 5);

const formatScenario = (hub: URL, code: string) => `seed: 7
world:
  devices: [{ name: printer }, { name: laptop, programs: [web] }]
simulators:
  router: { kind: vendor_b }
  agent: { kind: agent, hub: "${hub.origin}", code: ${code}, source: 192.168.100.3, rate: 0 }
timeline:
  - { at: 10s, flow: { src: laptop, dst: 203.0.113.77, dport: 8443, sport: 50077, lasts: 1m } }
  - at: 20s
    every: 20s
    until: 70s
    jitter: 3s
    report:
      - { program: player, dst: 203.0.113.77, dport: 8443, sport: 50077, lasts: 10s, bytesIn: 350, bytesOut: 2100 }
  - { at: 75s, report: [{ program: resolver, dst: "2001:db8::53", dport: 53, proto: udp }] }
  - { at: 80s, on: agent, fault: { name: loses-ack, times: 1 } }
  - { at: 90s, report: [{ program: mail, dst: 203.0.113.25, dport: 993 }, { program: web, dst: 203.0.113.80, dport: 443 }] }
`;

/** What the hub received, what the router shows at the end, and the steps and ends of the journal. */
async function play(seed = 7) {
  using folder = temporaryFolder();
  const clock = createPacedClock(start, 60);
  await using hub = await startAgentHub(clock.now);
  const file = path.join(folder.path, 'agent.yaml');
  writeFileSync(file, formatScenario(hub.url, hub.code()));
  const journal: Record<string, unknown>[] = [];
  await using running = await startScenario({
    read: readScenario(file, { seed }),
    clock,
    host: '127.0.0.1',
    onEntry: (simulator, { at, kind, ...details }) =>
      kind === 'step' || kind === 'end' ? void journal.push({ at, simulator, ...details }) : undefined,
  });
  const find = <C>(name: string) => running.simulators.get(name)?.control as unknown as C;
  const agent = find<AgentControl>('agent');
  hub.approve(agent.agents[0]?.requestId ?? '');
  await expect.poll(() => agent.agents[0]?.credential).toBe('active');
  await running.play();
  return { journal, batches: hub.batches(), entries: find<RouterControl>('router').truth() };
}

verifies('sim.lab.agents', 'reports go to the hub at their times, each once, the same for a seed', async () => {
  const { journal, batches, entries } = await play();
  const reports = journal.filter(({ does }) => does === 'report');
  expect(reports.map(({ statuses }) => statuses)).toEqual([[200], [200], [200], [200], [null, 200]]);
  const times = reports.map(({ at }) => start + Number(at));
  const sent = batches.filter(({ batchId }, index) => batches.findIndex((one) => one.batchId === batchId) === index);
  expect(sent.map(({ sentAt }) => sentAt)).toEqual(times.map(isoTime));
  expect([batches.length, sent.length]).toEqual([6, 5]);
  for (const [turn, at] of times.slice(0, 3).entries()) {
    expect(Math.abs(at - start - (turn + 1) * 20_000)).toBeLessThanOrEqual(3000);
  }

  const told = sent.flatMap(({ observations }) => observations);
  expect(told.slice(0, 3)).toMatchObject(
    times.slice(0, 3).map((at) => ({
      processName: 'player',
      firstObservedAt: isoTime(at - 10_000),
      lastObservedAt: isoTime(at),
      bytesIn: '350',
      bytesOut: '2100',
    })),
  );
  expect(told.slice(3)).toMatchObject([
    { processName: 'resolver', networkProtocol: 'udp', localAddress: expect.stringMatching(/^2001:/), remotePort: 53 },
    { processName: 'mail', localAddress: '192.168.100.3', remoteAddress: '203.0.113.25', remotePort: 993 },
    { processName: 'web', localAddress: '192.168.100.3', remoteAddress: '203.0.113.80', remotePort: 443 },
  ]);
  // The router shows the connection that the Agent told, with the same two ends.
  const [{ localAddress: src, localPort: sport, remoteAddress: dst, remotePort: dport } = {}] = told;
  expect(entries).toContainEqual(expect.objectContaining({ src, sport, dst, dport }));

  expect(await play()).toMatchObject({ journal, batches });
  expect((await play(8)).batches).not.toEqual(batches);
});

/** The journal of Agents that deliver by their rate and by a step, at an instant each; `onReady` gets the ids of applications. */
async function playAtOnce(hub: AgentHub, seed: number, onReady: (requestIds: string[]) => void): Promise<string[]> {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'agents.yaml');
  writeFileSync(
    file,
    `simulators:
  agents: { kind: agent, hub: "${hub.url.origin}", code: "${hub.code()},${hub.code()}", count: 2, rate: 2 }
timeline:
  - { at: 2m, on: agents, fault: { name: loses-ack, times: 1 } }
  - { at: 5m, report: [{ program: mail, dst: 203.0.113.25, dport: 993 }] }
duration: 10m
`,
  );
  const journal: string[] = [];
  await runTimeline({
    read: readScenario(file, { seed }),
    clock: createSteppedClock(start),
    host: '127.0.0.1',
    stop: new AbortController().signal,
    onReady(lines) {
      const { agents } = JSON.parse(lines[0] ?? '') as { agents: { requestId: string }[] };
      onReady(agents.map(({ requestId }) => requestId));
    },
    onJournal: (line) => journal.push(line),
  });
  return journal;
}

verifies('sim.lab.agents', 'without waiting the clock stands while a hub decides and answers', async () => {
  let hubTime = start;
  await using hub = await startAgentHub(() => {
    hubTime += 1;
    return hubTime;
  });
  const approveAll = (requestIds: string[]) => requestIds.forEach(hub.approve);
  const first = await playAtOnce(hub, 7, approveAll);
  expect(first.filter((line) => line.includes('"kind":"batch"'))).toHaveLength(2 * (2 * 10 + 1) + 2 + 1);
  const times = new Set(hub.batches().map(({ sentAt }) => sentAt));
  expect([times.size, ...[...times].sort().slice(-1)]).toEqual([21, isoTime(start + 10 * 60_000)]);
  expect(await playAtOnce(hub, 8, approveAll)).not.toEqual(first);

  hub.clear();
  const claims = () => hub.at('enrollment-requests/claim').length;
  const approved: Promise<void>[] = [];
  hub.allow(3, 1);
  const slow = playAtOnce(hub, 7, (requestIds) => {
    const approveLate = async () => {
      await expect.poll(claims, { timeout: 10_000 }).toBeGreaterThanOrEqual(2);
      approveAll(requestIds);
      await expect.poll(() => hub.at('ingest').at(-1)?.status, { timeout: 10_000 }).toBe(429);
      hub.allow(1_000_000);
    };
    approved.push(approveLate());
  });
  expect(await slow).toEqual(first);
  await Promise.all(approved);
});
