// What the hub says of the disk of its data folder: full within half a minute of being so, and well again in as much.
import { systemClock } from '#kernel/time/clock.ts';
import { type Promised, statusProblem } from '../invariants/status.ts';
import type { World } from '../world/world.ts';
import type { Checks } from './checks.ts';

const promised: Promised = { downMs: 30_000, upMs: () => 30_000 };

export async function watchDisk({ hub, disk, truths }: World, checks: Checks): Promise<void> {
  const hubSince = hub.presentSince();
  const truth = truths.of('hub');
  if (disk === null) {
    return;
  }
  const { warnings, storage } = await hub.admin.status.status({});
  if (hub.absence() !== null || hub.presentSince() !== hubSince || truths.of('hub') !== truth) {
    return;
  }
  const { freeBytes, warnBelowBytes } = storage;
  const saysDown = freeBytes !== null && warnBelowBytes !== null && freeBytes < warnBelowBytes && warnings.length > 0;
  const says = `${freeBytes} bytes free, warns below ${warnBelowBytes}; ${warnings.join('; ') || 'no warning'}`;
  const now = systemClock.now();
  checks.check('status', statusProblem({ name: 'the disk', saysDown, says, truth, hubSince, now }, promised));
}
