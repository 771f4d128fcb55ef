// What the composition root hands to the features. Types only.
import type { NotReadyReason } from '#contract/health.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';
import type { Db } from '#kernel/sqlite.ts';
import type { Auth } from './auth/auth.ts';
import type { SummaryQueries } from './connections/summary/queries.ts';
import type { DataSources } from './data-sources/data-sources.ts';
import type { Detecting } from './detecting.ts';
import type { Devices } from './devices/devices.ts';
import type { Enrichment } from './enrichment/enrichment.ts';
import type { LookUps } from './enrichment/remote/look-ups.ts';
import type { Live } from './live/live.ts';
import type { Mesh } from './mesh/mesh.ts';
import type { Notes } from './notes/notes.ts';
import type { HubQueries } from './queries.ts';
import type { ReaderPool } from './readers/pool.ts';
import type { Poller } from './routers/poller.ts';
import type { Registry } from './routers/registry.ts';
import type { SettingsDocument } from './settings/document.ts';
import type { DiskSpace } from './storage/disk-space.ts';
import type { Reputation } from './threat/look-up.ts';
import type { Threat } from './threat/threat.ts';

export interface Ctx {
  clock: Clock;
  log: Log;
  db: Db;
  auth: Auth;
  /** Answers queries of the log in other threads; `exports` streams them. */
  reads: ReaderPool<HubQueries>;
  summaries: ReaderPool<SummaryQueries>;
  exports: ReaderPool<HubQueries>;
  live: Live;
  /** What is known of addresses and network cards. */
  enrichment: Enrichment;
  lookUps: LookUps;
  dataSources: DataSources;
  /** Folders for logs besides the usual ones. */
  logPathPrefixes: readonly string[];
  detections: Detecting['detections'];
  beacons: Detecting['beacons'];
  chat: Detecting['chat'];
  threat: Threat;
  reputation: Reputation;
  document: SettingsDocument;
  registry: Registry;
  routerSettleMs: number | undefined;
  poller: Poller;
  devices: Devices;
  mesh: Mesh;
  notes: Notes;
  /** To be called when a note may be another one. */
  notesFeed: () => void;
  /** Loopback router targets are accepted. */
  allowLoopback: boolean;
  /** Nothing beyond the hub's own network is asked. */
  offline: boolean;
  startedAt: number;
  version: string;
  commit: string | null;
  /** Sentences the operator should see now, such as a bind without TLS. */
  warnings: () => readonly string[];
  diskSpace: DiskSpace;
  notReady: () => Promise<NotReadyReason | null>;
}
