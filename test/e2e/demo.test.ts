// `npm run demo` as a user starts it: ready, two routers, one connection seen by both, Ctrl-C, nothing left behind.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { api } from '#contract/index.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { createActors } from '../support/actors.ts';
import { eventually } from '../support/eventually.ts';
import { connectClient } from '../support/mcp-clients.ts';
import { root, startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

verifies(
  'card.ships.vendor-a-simulator card.ships.vendor-b-simulator card.ships.mcp-server',
  'npm run demo ends its start with ready, lists connections of both routers, serves an assistant, and Ctrl-C leaves nothing behind',
  async () => {
    using folder = temporaryFolder();
    const temporary = path.join(folder.path, 'tmp');
    mkdirSync(temporary);
    await using demo = startProgram([...demoScript(), '--free-ports'], { env: { TMPDIR: temporary }, ownGroup: true });
    const [, origin = ''] = await demo.printed(/^ready (http:\/\/127\.0\.0\.1:\d+)$/m);
    const [, token = ''] = await demo.printed(/^admin token\s+(\S+)$/m);
    expect(demo.stdout().trimEnd().split('\n').at(-1)).toBe(`ready ${origin}`);
    expect(readdirSync(temporary)).not.toEqual([]);

    const { admin } = createActors(api, new URL(origin), token);
    const routers = await eventually(
      () => admin.routers.list({}),
      ({ routers }) => (routers.every(({ state }) => state === 'ready') ? routers : undefined),
    );
    const ids = routers.map(({ id }) => id).sort();
    expect(routers.map(({ kind }) => kind).sort()).toEqual(['vendor_a', 'vendor_b']);
    for (const sourceId of ids) {
      const { total } = await admin.connections.list({ query: { sourceKind: 'router', sourceId } });
      expect(total).toBeGreaterThan(100);
    }
    const { connections } = await admin.connections.list({ query: {} });
    expect(connections.filter(({ observedBy }) => observedBy.length === 2)[0]).toMatchObject({ observedBy: ids });

    const [, configuration = '{}'] = await demo.printed(/^MCP client\s+(\{.*\})$/m);
    const { url, headers } = (JSON.parse(configuration) as ClientConfiguration).mcpServers.gatehouse;
    {
      await using assistant = await connectClient('v2 auto', { url: new URL(url), headers });
      expect(await assistant.list()).toHaveLength(11);
      const { structuredContent } = await assistant.call('get_traffic_summary', { period: '1h' });
      expect(structuredContent?.totalSessions).toBeGreaterThan(100);
    }

    const processes = processesOfGroup(demo.pid);
    expect(processes.length).toBeGreaterThan(0);
    // Ctrl-C can arrive twice: from the terminal, and again from the launcher in front.
    demo.killGroup('SIGINT');
    await systemClock.sleep(10);
    demo.killGroup('SIGINT');
    expect(await demo.ended).toEqual({ code: 0, signal: null });
    expect(processesOfGroup(demo.pid)).toEqual([]);
    expect(readdirSync(temporary)).toEqual([]);
  },
);

test('the demo shows what the product is for: whose destinations, who is at home, what is regular, listed or new', async () => {
  using folder = temporaryFolder();
  await using demo = startProgram([...demoScript(), '--free-ports'], { env: { TMPDIR: folder.path }, ownGroup: true });
  const [, origin = ''] = await demo.printed(/^ready (http:\/\/127\.0\.0\.1:\d+)$/m);
  const [, token = ''] = await demo.printed(/^admin token\s+(\S+)$/m);
  const { admin } = createActors(api, new URL(origin), token);

  const { connections } = await admin.connections.list({ query: {} });
  const share = (holds: (one: (typeof connections)[number]) => boolean) =>
    connections.filter(holds).length / connections.length;
  expect(connections.length).toBeGreaterThan(1000);
  expect(share(({ country, org }) => country !== null && org !== null)).toBeGreaterThan(0.9);
  const reported = await eventually(
    () => admin.connections.list({ query: { fDst: '203.0.113.77' } }),
    ({ connections: rows }) => rows.find(({ process, observedBy }) => process !== null && observedBy.length > 0),
  );
  expect(reported).toMatchObject({ process: 'free-player', threatLevel: 'danger', bytesOut: expect.any(String) });
  expect(new Set(connections.map(({ country }) => country)).size).toBeGreaterThan(10);
  expect(share(({ dstHost }) => dstHost !== null)).toBeGreaterThan(0.3);
  const dayMs = 86_400_000;
  const oldest = Math.min(...connections.map(({ firstSeen }) => firstSeen));
  expect(systemClock.now() - oldest).toBeGreaterThan(13 * dayMs);

  const { devices } = await admin.devices.list({});
  const makers = new Set(devices.map(({ vendor }) => vendor).filter((vendor) => vendor !== null));
  expect(makers.size).toBeGreaterThan(5);
  expect([...makers].filter((maker) => /IANA/.test(maker))).toEqual([]);
  expect(devices.filter(({ dnsName }) => dnsName !== null).length).toBeGreaterThan(5);
  const { candidates } = await admin.devices.mergeCandidates({ query: {} });
  expect(candidates.filter(({ status }) => status === 'pending').length).toBeGreaterThanOrEqual(1);

  const { threats } = await admin.connections.threatConnections({ query: {} });
  expect(threats.length).toBe(2);
  const { beacons } = await admin.beacons.list({ query: {} });
  expect(beacons.length).toBeGreaterThanOrEqual(1);
  await eventually(
    () => admin.chat.config({}),
    ({ delivery }) => (delivery.lastSentAt === null ? undefined : delivery),
  );
  // All of the history was observed, but for an hour of one router.
  const { share: observed, subjects } = await admin.coverage.coverage({ query: { buckets: '14' } });
  expect(observed).toBeGreaterThan(0.99);
  const gaps = subjects.filter(({ kind }) => kind === 'router').map((one) => one.gaps.map(({ from, to }) => to - from));
  expect(gaps.map((lengths) => lengths.filter((ms) => ms > 600_000)).sort()).toEqual([[], [3_600_000]]);
  const { text, provider, estimatedCostUsd, citations } = await admin.ai.analyze({
    body: { from: systemClock.now() - dayMs },
  });
  expect({ provider, estimatedCostUsd }).toEqual({ provider: 'local', estimatedCostUsd: 0 });
  expect(text.length).toBeGreaterThan(50);
  expect(citations.filter(({ verified }) => !verified)).toEqual([]);
  const mesh = await admin.mesh.network({});
  expect(mesh).toMatchObject({ state: 'ready' });
  expect(mesh.nodes.length).toBeGreaterThan(1);
  const known = new Set(devices.flatMap(({ interfaces }) => interfaces.map(({ mac }) => mac)));
  expect(mesh.clients.filter(({ mac }) => !known.has(mac))).toEqual([]);

  // All of it is data: nothing that would send a destination to anybody is switched on.
  const { ptr, rdap, geo } = await admin.config.lookups({});
  expect([ptr, rdap, geo].map(({ enabled }) => enabled)).toEqual([false, false, false]);
  expect(demo.stdout()).toMatch(/^two weeks of history: \d+ connections/m);
  expect(demo.stdout()).toMatch(/^vendor_a +ssh .* then: console character ja\.utf8$/m);
  expect(demo.stdout().split('\n').length).toBeLessThanOrEqual(30);
});

/** What the demo prints for an assistant to take as it is. */
interface ClientConfiguration {
  mcpServers: { gatehouse: { url: string; headers: Record<string, string> } };
}

/** What `npm run demo` runs, without npm: npm itself reports Ctrl-C as its own end, whatever the program's exit code. */
function demoScript(): string[] {
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    scripts: Record<'demo', string>;
  };
  // `exec` puts the program in the place of npm's shell; what follows is the program.
  const [exec, node, ...args] = scripts.demo.split(' ');
  expect([exec, node]).toEqual(['exec', 'node']);
  return args;
}

/** Process ids whose group is `group`. */
function processesOfGroup(group: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => groupOf(pid) === group);
}

/** The process group; `null` for a process that ended while we looked. */
function groupOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? null : Number(group);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') {
      return null;
    }
    throw error;
  }
}
