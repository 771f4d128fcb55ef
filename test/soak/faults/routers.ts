// What happens to routers, by the named faults of their simulators.
import { systemClock } from '#kernel/time/clock.ts';
import type { PlannedFault } from '../plan.ts';
import type { World } from '../world/world.ts';

type RouterSubject = 'vendor_a' | 'vendor_b';

const getSubject = ({ subject }: PlannedFault) => subject as RouterSubject;

/** Arms what takes the router away, and clears it. */
async function down({ sims, truths }: World, fault: PlannedFault, names: readonly string[]) {
  const subject = getSubject(fault);
  truths.down(subject);
  for (const name of names) {
    await sims.control(subject, 'POST', '/faults', { fault: name });
  }
  return async () => {
    await sims.control(subject, 'DELETE', '/faults');
    truths.up(subject);
  };
}

export const routerFaults = {
  /** It comes back by itself. */
  async reboot({ sims, truths }: World, fault: PlannedFault) {
    const subject = getSubject(fault);
    truths.down(subject);
    const startedAt = systemClock.now();
    await sims.control(subject, 'POST', '/faults', { fault: 'reboot', value: fault.lastsMs });
    return async () => {
      await systemClock.sleep(Math.max(0, startedAt + fault.lastsMs + 500 - systemClock.now()));
      truths.up(subject);
    };
  },
  /** The connection that is open stands still, and later ones say nothing. */
  hang: (world: World, fault: PlannedFault) => down(world, fault, ['half-open', 'hang']),
  'host-key': (world: World, fault: PlannedFault) => down(world, fault, ['host-key-changed']),
  async kicked({ sims, truths }: World, fault: PlannedFault) {
    const subject = getSubject(fault);
    const afterBytes = Math.floor(fault.draw * 2000);
    await sims.control(subject, 'POST', '/faults', { fault: 'kicked', times: 1, afterBytes });
    truths.up(subject);
    return async () => undefined;
  },
} as const;
