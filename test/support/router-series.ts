// Connections through simulated routers that stand one behind another, as each of them would show them.
import type { FlowRequest } from '#simulators/router/world/world.ts';
import type { LabRouter } from './lab.ts';

export interface TrueHop {
  routerId: string;
  /** As GET /api/connections/:id takes it. */
  id: string;
  inside: { address: string; port: number };
  outside: { address: string; port: number };
}

/** Puts a session into the tables of `routers`, from the inside to the outside; what is true of its way. */
export function connectThrough(routers: readonly LabRouter[], request: FlowRequest): TrueHop[] {
  const { dst, dport, proto = 'tcp' } = request;
  let { src, sport } = request;
  return routers.map((router) => {
    const { id: routerId } = router;
    const handle = router.flow({ ...request, src, ...(sport === undefined ? {} : { sport }) });
    if (handle === null) {
      throw new Error('the table of the router is full');
    }
    const inside = { address: src, port: handle.entry.sport };
    const outside = { address: router.settings.wanAddress, port: handle.entry.outerPort };
    const id = [src, dst, dport, proto.toUpperCase()].join();
    [src, sport] = [outside.address, outside.port];
    return { routerId, id, inside, outside };
  });
}
