// How a fault is done to a world: it begins, lasts, and what is returned ends it.
import type { FaultName } from '../catalogue.ts';
import type { PlannedFault } from '../plan.ts';
import type { World } from '../world/world.ts';
import { clientFaults } from './clients.ts';
import { hubFaults } from './hub.ts';
import { routerFaults } from './routers.ts';
import { serviceFaults } from './services.ts';

/** Resolves, once it has begun, to what ends it. */
export type Begin = (world: World, fault: PlannedFault) => Promise<() => Promise<void>>;

const acting: Readonly<Record<FaultName, Begin>> = {
  ...routerFaults,
  ...serviceFaults,
  ...hubFaults,
  ...clientFaults,
};

export function beginFault(world: World, fault: PlannedFault): Promise<() => Promise<void>> {
  return acting[fault.kind](world, fault);
}
