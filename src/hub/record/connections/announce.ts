// Announces changes of the log: raises detections, publishes changed connections.
import { limits } from '#contract/limits.ts';
import type { Base } from '../../base/feature.ts';
import type { Detections } from '../../identify/detection/detections.ts';
import type { Live } from '../../notify/live/live.ts';
import { type ChangedConnections, createChangedConnections } from './query/changed.ts';
import type { RejudgeReport } from './upkeep/rejudge.ts';

interface Options extends Pick<Base, 'clock' | 'db'> {
  live: Pick<Live, 'publish'>;
  detection: Pick<Detections, 'threats'>;
}

export type Announcer = ReturnType<typeof createAnnouncer>;

export function createAnnouncer({ db, clock, live, detection }: Options) {
  const publish = async (changed: ChangedConnections, count = changed.count()) => {
    const connections = await changed.read(db);
    if (connections.length > 0) {
      const truncated = count > connections.length;
      live.publish('connections-update', { connections, serverTime: clock.now(), partial: true, truncated });
    }
  };
  return {
    /** For flows that are published together later. */
    collect: () => createChangedConnections(limits.liveConnections),
    /** Publishes the rows of these flows. */
    publish: (changed: ChangedConnections) => publish(changed),
    /** Raises flows that are threats now, then publishes them. Rejects when one of both fails. */
    async rejudged({ threats }: RejudgeReport): Promise<void> {
      await detection.threats(threats.first);
      const changed = createChangedConnections(limits.liveConnections);
      threats.first.forEach(changed.note);
      await publish(changed, threats.count);
    },
  };
}
