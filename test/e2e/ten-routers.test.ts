// Ten routers of both kinds, three of them in trouble: the trouble stays where it is, and is named.
import { expect } from 'vitest';
import { freePort } from '#kernel/http/listening.ts';
import { systemClock } from '#kernel/time/clock.ts';
import type { RouterSimulator } from '#simulators/router/router.ts';
import { startRouter } from '#simulators/router/start.ts';
import { eventually } from '../support/eventually.ts';
import { startHubProcess } from '../support/hub-process.ts';
import { recordOf } from '../support/lab.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

const sessions = 1_000;
const pollIntervalMs = 10_000;
const adminToken = 'token-of-the-ten-routers-test';
const healthy = ['a1', 'b1', 'a2', 'b2', 'a3', 'b3', 'a4'] as const;

type HubProcess = Awaited<ReturnType<typeof startHubProcess>>;

verifies(
  'rest.routers.up-to-10-polled rest.routers.two-kinds-mixed rest.routers.read-runtime-status',
  'ten mixed routers, one dead, one hanging, one cutting in mid-output: the other seven are polled on time',
  async () => {
    using folder = temporaryFolder();
    await using stack = new AsyncDisposableStack();
    const env = { POLL_INTERVAL_MS: String(pollIntervalMs) };
    const hub = stack.use(await startHubProcess({ dataDir: folder.path, adminToken, env }));
    const start = async (kind: 'vendor_a' | 'vendor_b', seed: number) =>
      stack.use(await startRouter(kind, { seed, sessions }));
    const list = () => hub.as.admin.routers.list({});
    const ids = new Map<string, string>();
    const add = async (name: string, simulator: RouterSimulator, extra = {}) => {
      const { router } = await hub.as.admin.routers.create({ body: recordOf(simulator, name, extra) });
      ids.set(router.id, name);
      return router.id;
    };

    for (const [index, name] of healthy.entries()) {
      await add(name, await start(name.startsWith('a') ? 'vendor_a' : 'vendor_b', index + 1));
    }
    const cutting = await start('vendor_b', 8);
    const cuttingId = await add('cutting', cutting);
    await eventually(list, ({ routers }) => routers.every(({ state }) => state === 'ready') || undefined);
    const whole = await flowsOf(hub, cuttingId);
    expect(whole.length).toBeGreaterThanOrEqual(sessions);

    const spare = await start('vendor_a', 9);
    await add('dead', spare, { port: await freePort() });
    const hanging = await start('vendor_b', 10);
    hanging.fail('hang');
    await add('hanging', hanging);
    cutting.fail('truncated', { command: 'show ip nat translations', afterBytes: 40_000 });

    const troubled = await eventually(list, ({ routers }) => {
      const failed = routers.filter(({ failure }) => failure !== null);
      return failed.length === 3 ? failed : undefined;
    });
    const longest = await longestGaps(hub, 2 * pollIntervalMs);

    const status = (name: string) => troubled.find(({ id }) => ids.get(id) === name);
    expect(status('dead')).toMatchObject({ state: 'failed', failure: 'unreachable', lastSuccessAt: null });
    expect(status('dead')?.message).toMatch(/ECONNREFUSED|refused/);
    expect(status('hanging')).toMatchObject({ state: 'failed', failure: 'silent_port', lastSuccessAt: null });
    expect(status('cutting')).toMatchObject({ state: 'reconnecting', failure: 'cut_off', complete: true });
    expect(status('cutting')?.message).toMatch(/closed the connection before its answer was complete/);
    for (const name of healthy) {
      expect(longest.get(idOf(ids, name)), name).toBeLessThanOrEqual(2 * pollIntervalMs);
    }

    const again = await flowsOf(hub, cuttingId);
    expect(again.map(keyOf).sort()).toEqual(whole.map(keyOf).sort());
    const { connections, total } = await hub.as.admin.connections.list({ query: {} });
    expect(connections).toHaveLength(total);
    expect(new Set(connections.map(keyOf)).size).toBe(total);
    expect(connections.some(({ source }) => source === 'vendor_a+vendor_b')).toBe(true);
    for (const simulator of [cutting, hanging, spare]) {
      expect(simulator.violations).toEqual([]);
    }
  },
);

/** Watches for `spanMs`: the longest time each router was without a success, in milliseconds. */
async function longestGaps(hub: HubProcess, spanMs: number): Promise<Map<string, number>> {
  const longest = new Map<string, number>();
  const endAt = systemClock.now() + spanMs;
  while (systemClock.now() < endAt) {
    const { routers, serverTime } = await hub.as.admin.routers.list({});
    for (const { id, lastSuccessAt } of routers) {
      const gap = serverTime - (lastSuccessAt ?? 0);
      longest.set(id, Math.max(longest.get(id) ?? 0, gap));
    }
    await systemClock.sleep(250);
  }
  return longest;
}

async function flowsOf(hub: HubProcess, routerId: string) {
  const query = { sourceKind: 'router', sourceId: routerId } as const;
  return (await hub.as.admin.connections.list({ query })).connections;
}

function keyOf({ src, dst, dport, proto }: { src: string; dst: string; dport: number; proto: string }): string {
  return `${src} ${dst} ${dport} ${proto}`;
}

function idOf(ids: ReadonlyMap<string, string>, name: string): string {
  const found = [...ids].find(([, other]) => other === name);
  if (!found) {
    throw new Error(`no router was added as ${name}`);
  }
  return found[0];
}
