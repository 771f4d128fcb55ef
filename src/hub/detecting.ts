// Puts together what is detected and who is told of it: log, beacons, chat workspace, live updates.
import type { Clock } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';
import type { Db } from '#kernel/sqlite.ts';
import { type BeaconStore, createBeaconStore } from './beacons/beacon-store.ts';
import type { RegularFlow } from './beacons/scan.ts';
import { type BeaconScans, startBeaconScans } from './beacons/scans.ts';
import { type Delivery, isReady, startDelivery } from './chat/delivery.ts';
import { createOutbox, type Outbox } from './chat/outbox.ts';
import { createWorkspace, type Workspace } from './chat/workspace.ts';
import { markChatSent } from './detection/detection-log.ts';
import { createDetections, type Detections } from './detection/detections.ts';
import { startDetectionRetention } from './detection/retention-job.ts';
import type { Live } from './live/live.ts';
import type { HubQueries } from './queries.ts';
import type { ReaderPool } from './readers/pool.ts';
import type { SettingsDocument } from './settings/document.ts';

export interface DetectingOptions {
  db: Db;
  clock: Clock;
  log: Log;
  live: Live;
  document: SettingsDocument;
  chatApiUrl: URL;
  /** Threads that look for beacons. */
  scanPool: ReaderPool<HubQueries>;
  pollMs: number;
}

export interface Detecting extends AsyncDisposable {
  detections: Detections;
  beacons: { store: BeaconStore; scans: BeaconScans };
  chat: { workspace: Workspace; outbox: Outbox; delivery: Delivery };
}

export function startDetecting(options: DetectingOptions): Detecting {
  const { db, clock, log, live, document, chatApiUrl, scanPool, pollMs } = options;
  const settings = () => document.current();
  const stack = new AsyncDisposableStack();
  const workspace = createWorkspace({ clock, apiUrl: chatApiUrl });
  const outbox = createOutbox(db, markChatSent);
  const delivery = stack.use(startDelivery({ clock, log, outbox, workspace, settings: () => settings().chat }));
  const detections = createDetections({
    db,
    clock,
    settings: () => settings().detection,
    chat: {
      isReady: () => isReady(settings().chat),
      cooldownMs: () => settings().chat.cooldownMinutes * 60_000,
      put: outbox.put,
      wake: delivery.wake,
    },
    onLogged: (entry) => live.publish('detection', entry),
  });
  stack.use(
    startDetectionRetention({
      db,
      clock,
      log,
      days: () => settings().general.retentionDays,
      pruneChat: outbox.prune,
    }),
  );
  const store = createBeaconStore(db);
  const scans = stack.use(
    startBeaconScans({
      db,
      clock,
      log,
      store,
      pool: scanPool,
      pollMs,
      config: () => settings().beacons,
      *onNews(writer, news) {
        const tell = yield* detections.beacons(writer, news);
        return () => {
          tell();
          tellLive(live, store, news);
        };
      },
    }),
  );
  return {
    detections,
    beacons: { store, scans },
    chat: { workspace, outbox, delivery },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function tellLive(live: Live, store: BeaconStore, found: readonly RegularFlow[]): void {
  for (const flow of found) {
    const beacon = store.find(flow);
    if (beacon) {
      live.publish('beacon', beacon);
    }
  }
}
