// What happens to the hub itself and to the machine it runs on, and to the MCP server.
import { systemClock } from '#kernel/time/clock.ts';
import type { PlannedFault } from '../plan.ts';
import type { World } from '../world/world.ts';

const hourMs = 3_600_000;

/** What was acknowledged up to here may be in the backup, and what was acknowledged later may not. */
async function backUp({ hub, ledger }: World) {
  await ledger.hold();
  try {
    const forget = ledger.snapshot();
    const from = systemClock.now();
    const { name } = await hub.admin.backup.create({ body: {} });
    return { name, from, forget };
  } finally {
    ledger.release();
  }
}

export const hubFaults = {
  async 'kill-9'({ hub }: World, _: PlannedFault) {
    let start: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => {
      start = resolve;
    });
    const away = hub.away('it was killed', async () => {
      await hub.kill();
      await waiting;
      await hub.start();
    });
    return async () => {
      start();
      await away;
    };
  },
  async restore(world: World, _: PlannedFault) {
    const { name, from, forget } = await backUp(world);
    const { hub, ledger, undone } = world;
    return async () => {
      await ledger.hold();
      try {
        await hub.away('a backup is restored', () => hub.admin.backup.restore({ body: { name } }));
        undone.push({ from, to: systemClock.now() });
        forget();
      } finally {
        ledger.release();
      }
    };
  },
  async 'disk-full'({ disk, truths }: World, _: PlannedFault) {
    if (disk === null) {
      return async () => undefined;
    }
    disk.fill(64);
    truths.down('hub');
    return async () => {
      disk.empty();
      truths.up('hub');
    };
  },
  async 'clock-jump'({ hub }: World, { draw }: PlannedFault) {
    hub.setClock(Math.round((draw * 4 - 2) * hourMs));
    return async () => hub.setClock(0);
  },
  async pause({ hub }: World, _: PlannedFault) {
    let resume: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const away = hub.away('the machine has stopped it', async () => {
      hub.signal('SIGSTOP');
      await waiting;
      hub.signal('SIGCONT');
      // What waited for it is answered first.
      await systemClock.sleep(2000);
    });
    return async () => {
      resume();
      await away;
    };
  },
  async 'mcp-kill-9'({ mcp, truths }: World, _: PlannedFault) {
    truths.down('mcp');
    await mcp.kill();
    return async () => {
      await mcp.start();
      truths.up('mcp');
    };
  },
} as const;
