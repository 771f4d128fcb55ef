// The hub's own sync of threat feeds against a publisher in another process: what a reload and a start take.
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { emptySettings } from '#hub/base/settings/schema.ts';
import { createFeedSync, type FeedSync } from '#hub/identify/threat/feed-sync.ts';
import { createLog } from '#kernel/process/log.ts';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { type Clock, stopwatch, systemClock, yieldToEventLoop } from '#kernel/time/clock.ts';
import { root } from '../test/support/program.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';

export interface ReloadFigures {
  /** One list of several has changed: asked for, read, kept, tables built and in use; its transport is part of it. */
  reloadMs: number;
  /** To ask for that list alone and take it: what a reload waits for others. */
  transportMs: number;
  /** CPU of all threads meanwhile, the publisher's not. */
  reloadCpuMs: number;
  /** Longest turn of the event loop meanwhile. */
  blockedMs: number;
  /** A start: from what is kept to tables in use. */
  startMs: number;
  /** The first start of another version of the program, which reads all texts anew. */
  upgradeMs: number;
}

const hour = 3_600_000;

export interface Reloaded {
  figures: ReloadFigures;
  active: NonNullable<ReturnType<FeedSync['active']>>;
}

/** `mirror` is a threat-publisher.ts. */
export async function measureReload(mirror: URL): Promise<Reloaded> {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.db');
  migrate(file, path.join(root, 'src/hub/base/migrations'));
  const db = new Db(file);
  const time = { ahead: 0 };
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + time.ahead };
  const sync = (version: string) => upkeepOf(db, clock, mirror, version);
  const hub = sync('1');
  await hub.run();

  time.ahead += 2 * hour;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await yieldToEventLoop();
  delay.enable();
  const before = process.cpuUsage();
  const elapsed = stopwatch();
  const version = hub.active()?.listed.version;
  await hub.run();
  const reloadMs = elapsed();
  const { user, system } = process.cpuUsage(before);
  delay.disable();
  const active = hub.active();
  if (!active || active.listed.version === version || !active.changed?.feeds.length) {
    throw new Error('nothing was reloaded: the publisher sent no other list');
  }
  const figures = {
    reloadMs,
    transportMs: await transportOf(new URL('urlhaus/files/exports/recent.csv', mirror)),
    reloadCpuMs: (user + system) / 1000,
    blockedMs: delay.max / 1e6,
    startMs: await loadMs(sync('1')),
    upgradeMs: await loadMs(sync('2')),
  };
  await db.close();
  return { figures, active };
}

async function transportOf(list: URL): Promise<number> {
  const elapsed = stopwatch();
  const response = await fetch(list);
  await response.arrayBuffer();
  return elapsed();
}

async function loadMs(hub: FeedSync): Promise<number> {
  const elapsed = stopwatch();
  await hub.load();
  return elapsed();
}

function upkeepOf(db: Db, clock: Clock, mirror: URL, version: string): FeedSync {
  const settings = { ...emptySettings().threat, authKey: 'a-key' };
  return createFeedSync({
    db,
    clock,
    log: createLog('bench', 'warn'),
    settings: () => settings,
    mirror,
    offline: false,
    isObserved: () => false,
    rejudge: async () => ({ judged: 0, changed: 0, threats: { count: 0, first: [] } }),
    version,
    signal: new AbortController().signal,
  });
}
