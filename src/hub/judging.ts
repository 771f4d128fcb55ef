// Puts together what judges flows and who is told when its mind changes: the log, detections, live updates.
import { limits } from '#contract/limits.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';
import type { Db } from '#kernel/sqlite.ts';
import { createChangedConnections } from './connections/query/changed.ts';
import { type Rejudged, rejudgeFlows } from './connections/upkeep/rejudge.ts';
import type { Detections } from './detection/detections.ts';
import { isOnlyPublished } from './enrichment/answers.ts';
import type { Live } from './live/live.ts';
import type { SettingsDocument } from './settings/document.ts';
import { startThreat, type Threat } from './threat/threat.ts';

export interface JudgingOptions {
  db: Db;
  clock: Clock;
  log: Log;
  live: Live;
  document: SettingsDocument;
  detections: Detections;
  mirror: URL | null;
  version: string;
  offline: boolean;
}

/** Resolves when what is kept of the feeds judges. */
export async function startJudging(options: JudgingOptions): Promise<Threat> {
  const { db, clock, live, detections } = options;
  const tell = async ({ judged, changed, threats }: Rejudged) => {
    await detections.threats(threats.first);
    const rows = createChangedConnections(limits.liveConnections);
    for (const { src, dst, dport, proto } of threats.first) {
      rows.note({ src, dst, dport, proto });
    }
    const connections = await rows.read(db);
    const serverTime = clock.now();
    if (connections.length > 0) {
      const truncated = threats.count > connections.length;
      live.publish('connections-update', { connections, serverTime, partial: true, truncated });
    }
    const { available } = threat.state();
    live.publish('threat-feeds', { available, judged, changed, threats: threats.count, serverTime });
  };
  const threat = await startThreat({
    ...options,
    isObserved: (address, host) => !isOnlyPublished(db, address, host),
    rejudge: (rejudging) => rejudgeFlows(db, rejudging),
    onListed: tell,
  });
  return threat;
}
