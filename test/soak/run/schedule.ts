// Does the faults of a plan at their times, and knows which are under way.
import { systemClock } from '#kernel/time/clock.ts';
import type { FaultName } from '../catalogue.ts';
import { beginFault } from '../faults/acting.ts';
import type { PlannedFault } from '../plan.ts';
import { toStack } from '../verdict.ts';
import type { World } from '../world/world.ts';

export interface Schedule {
  /** Faults that have begun and are not over. */
  underWay(): readonly PlannedFault[];
  readonly done: ReadonlyMap<FaultName, number>;
  /** Why the soak itself could not begin or end a fault; null while it could. */
  failure(): string | null;
  /** Resolves when every fault that began is over: what is still being started would be left behind. Never rejects. */
  readonly ended: Promise<void>;
}

/** Begins with `startedAt`; faults that have not begun at an abort never do, and those under way are ended at once. */
export function runSchedule(world: World, plan: readonly PlannedFault[], stop: AbortSignal): Schedule {
  const underWay = new Set<PlannedFault>();
  const done = new Map<FaultName, number>();
  let failure: string | null = null;
  const sleepUntil = async (at: number) => {
    const ms = at - systemClock.now();
    if (ms > 0 && !stop.aborted) {
      await systemClock.sleep(ms, stop).catch(() => undefined);
    }
  };
  const run = async (fault: PlannedFault) => {
    await sleepUntil(world.startedAt + fault.atMs);
    if (stop.aborted) {
      return;
    }
    underWay.add(fault);
    const end = await beginFault(world, fault);
    await sleepUntil(world.startedAt + fault.atMs + fault.lastsMs);
    await end();
    underWay.delete(fault);
    done.set(fault.kind, (done.get(fault.kind) ?? 0) + 1);
  };
  const attempt = (fault: PlannedFault) =>
    run(fault).catch((error: unknown) => {
      failure ??= `fault ${fault.number}, ${fault.kind} of ${fault.subject}, could not be done: ${toStack(error)}`;
    });
  return {
    underWay: () => [...underWay],
    done,
    failure: () => failure,
    ended: Promise.all(plan.map(attempt)).then(() => undefined),
  };
}
