// What happens to the services the hub talks to, by the named faults of their simulators.
import type { Subject } from '../catalogue.ts';
import type { PlannedFault } from '../plan.ts';
import type { SimKind } from '../world/sims.ts';
import type { World } from '../world/world.ts';

async function outage({ sims, truths }: World, subject: Subject, sim: SimKind, faults: readonly object[]) {
  truths.down(subject);
  for (const fault of faults) {
    await sims.control(sim, 'POST', '/faults', fault);
  }
  return async () => {
    await sims.control(sim, 'DELETE', '/faults');
    truths.up(subject);
  };
}

export const serviceFaults = {
  'feeds-down': (world: World, _: PlannedFault) => outage(world, 'feeds', 'feeds', [{ fault: 'error-500' }]),
  'chat-down': (world: World, _: PlannedFault) => outage(world, 'chat', 'chat', [{ fault: 'server-error' }]),
  'chat-lost-answers': (world: World, _: PlannedFault) =>
    outage(world, 'chat', 'chat', [{ fault: 'lost-answer', command: 'chat.postMessage' }]),
  'issuer-down': (world: World, _: PlannedFault) =>
    outage(world, 'issuer', 'oidc', [{ fault: 'discovery-not-json' }, { fault: 'jwks-down' }]),
  'ai-down': (world: World, _: PlannedFault) => outage(world, 'ai', 'ai', [{ fault: 'server-error' }]),
  'mesh-down': (world: World, _: PlannedFault) => outage(world, 'mesh', 'mesh', [{ fault: 'server-error' }]),
} as const;
