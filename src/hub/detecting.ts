// Puts together what is detected and who is told of it: log, chat workspace, live updates.
import type { Clock } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';
import type { Db } from '#kernel/sqlite.ts';
import { type Delivery, isReady, startDelivery } from './chat/delivery.ts';
import { createOutbox, type Outbox } from './chat/outbox.ts';
import { createWorkspace, type Workspace } from './chat/workspace.ts';
import { markChatSent } from './detection/detection-log.ts';
import { createDetections, type Detections } from './detection/detections.ts';
import { startDetectionRetention } from './detection/retention-job.ts';
import type { Live } from './live/live.ts';
import type { SettingsDocument } from './settings/document.ts';

export interface DetectingOptions {
  db: Db;
  clock: Clock;
  log: Log;
  live: Live;
  document: SettingsDocument;
  chatApiUrl: URL;
}

export interface Detecting extends AsyncDisposable {
  detections: Detections;
  chat: { workspace: Workspace; outbox: Outbox; delivery: Delivery };
}

export function startDetecting({ db, clock, log, live, document, chatApiUrl }: DetectingOptions): Detecting {
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
  return {
    detections,
    chat: { workspace, outbox, delivery },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
