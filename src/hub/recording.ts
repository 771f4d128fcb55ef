// What goes with a recorded batch: what is known of what it names, before; who is told of it, after.
import { limits } from '#contract/limits.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';
import type { Db } from '#kernel/sqlite.ts';
import { isWorthKeeping, type StartedFlow, writeStarts } from './beacons/start-recorder.ts';
import { createChangedConnections } from './connections/query/changed.ts';
import { recordObservations } from './connections/record/record.ts';
import type { Knowledge, ThreatFlow } from './connections/store/facts.ts';
import type { Detections } from './detection/detections.ts';
import type { Devices } from './devices/devices.ts';
import type { Live } from './live/live.ts';
import type { PollerOptions } from './routers/poller.ts';

export interface RecordingOptions {
  db: Db;
  clock: Clock;
  log: Log;
  live: Live;
  devices: Pick<Devices, 'noteTraffic'>;
  detections: Detections;
  /** Milliseconds between two reads of a table. */
  pollMs: number;
  /** Describes and judges what is new; waited for before each batch. */
  knowledge: () => Promise<Knowledge>;
}

/** Records a poll, then publishes what it changed and raises what it brought. */
export function recordAndTell(options: RecordingOptions): PollerOptions['record'] {
  const { db, clock, log, live, devices, detections, pollMs } = options;
  return async (batch) => {
    const knowledge = await options.knowledge();
    const changed = createChangedConnections(limits.liveConnections);
    const started: StartedFlow[] = [];
    const report: { threats: readonly ThreatFlow[] } = { threats: [] };
    const recorded = await recordObservations(db, {
      ...batch,
      knowledge,
      onChanged: (flow, outcome) => {
        changed.note(flow);
        devices.noteTraffic(batch.routerId, flow.src, flow.at);
        if (outcome === 'renewed' && isWorthKeeping(flow)) {
          started.push(flow);
        }
      },
      alsoWrite: (writer) => writeStarts(writer, started, pollMs),
      onRecorded: ({ threats }) => {
        report.threats = threats.first;
      },
    });
    await detections.threats(report.threats).catch((error: unknown) => {
      log.error({ err: error }, 'threats of a poll could not be told; the next poll tries again');
    });
    const connections = await changed.read(db);
    if (connections.length > 0) {
      const truncated = changed.count() > connections.length;
      live.publish('connections-update', { connections, serverTime: clock.now(), partial: true, truncated });
    }
    return recorded;
  };
}
