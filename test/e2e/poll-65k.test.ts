// A full table through everything that is real: simulator, SSH, hub, SQLite, API, each in a process of its own.
import { expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { quantile, startHealthProbe } from '../support/health-probe.ts';
import { cpuMs, memoryMb, startHubProcess } from '../support/hub-process.ts';
import { startIdleServer } from '../support/idle-server.ts';
import { startRouterProcess } from '../support/router-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

const sessions = 65_000;
const adminToken = 'token-of-the-full-table-test';
/** Far above what is measured: only a loop that is really blocked takes so long. */
const generousP99Ms = 250;
/** What a busy machine adds: so often as much as it takes for a server that does nothing. */
const machineShare = 4;

for (const kind of ['vendor_a', 'vendor_b'] as const) {
  verifies(
    'sim.router.table-moves rest.health.live card.ships.hub',
    `65,000 sessions of ${kind} are stored whole, and /healthz answers meanwhile`,
    async () => {
      using folder = temporaryFolder();
      const state = { latency: 'none', settings: { tableLimit: 100_000 }, sessions };
      await using router = await startRouterProcess({ kind, state });
      await using hub = await startHubProcess({
        dataDir: folder.path,
        adminToken,
        env: { POLL_INTERVAL_MS: '600000' },
      });
      await using idle = await startIdleServer();
      await using probe = startHealthProbe(hub.url);
      await using control = startHealthProbe(idle.url);
      await Promise.all([probe.take(), control.take()]);
      const cpuBefore = cpuMs(hub.program.pid);
      const { router: added } = await hub.as.admin.routers.create({ body: router.record });

      const polled = await eventually(
        () => hub.as.admin.routers.list({}),
        ({ routers }) => routers.find(({ lastSuccessAt, lastError }) => lastSuccessAt !== null || lastError !== null),
      );
      const cpu = cpuMs(hub.program.pid) - cpuBefore;
      const [{ elapsedMs, failed }, machine] = await Promise.all([probe.take(), control.take()]);
      const machineP99 = quantile(machine.elapsedMs, 0.99);
      const [p50, p99, max] = [quantile(elapsedMs, 0.5), quantile(elapsedMs, 0.99), Math.max(...elapsedMs)];
      console.log(
        `${kind}: ${polled.sessionCount} sessions, CPU ${cpu} ms, peak ${Math.round(memoryMb(hub.program.pid).peak)} MB, ` +
          `/healthz of ${elapsedMs.length}: p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} max ${max.toFixed(1)} ms, ` +
          `a server that does nothing: p99 ${machineP99.toFixed(1)} ms`,
      );

      expect(polled).toMatchObject({ id: added.id, state: 'ready', complete: true, unparsed: { count: 0 } });
      expect(polled.sessionCount).toBeGreaterThanOrEqual(sessions);
      // Every standing session has a destination of its own in this range, and nothing else lies in it.
      const query = { fDst: '198.18.', fDstMode: 'startsWith' } as const;
      const { connections, total } = await hub.as.admin.connections.list({ query });
      expect(total).toBe(sessions);
      expect(connections[0]?.observedBy).toEqual([added.id]);
      expect(failed).toEqual([]);
      expect(elapsedMs.length).toBeGreaterThan(20);
      expect(p99).toBeLessThan(generousP99Ms + machineShare * machineP99);
    },
  );
}
