// What goes with a recorded batch: what is known of what it names, before; who is told of it, after.
import { limits } from '#contract/limits.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Db } from '#kernel/sqlite.ts';
import { createChangedConnections } from './connections/changed-connections.ts';
import { recordObservations } from './connections/record.ts';
import type { Live } from './live/live.ts';
import type { PollerOptions } from './routers/poller.ts';

/** Records a poll, then publishes what it changed. */
export function recordAndTell(db: Db, clock: Clock, live: Live): PollerOptions['record'] {
  return async (batch) => {
    const changed = createChangedConnections(limits.liveConnections);
    const recorded = await recordObservations(db, { ...batch, onChanged: changed.note });
    const connections = await changed.read(db);
    if (connections.length > 0) {
      const truncated = changed.count() > connections.length;
      live.publish('connections-update', { connections, serverTime: clock.now(), partial: true, truncated });
    }
    return recorded;
  };
}
