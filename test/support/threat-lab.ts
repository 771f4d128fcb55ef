// A hub whose threat feeds and reputation services are simulated, with one router when asked.

import path from 'node:path';
import { limits } from '#contract/limits.ts';
import type { Feed, FeedName } from '#contract/threat.ts';
import type { HubOptions } from '#hub/base/config.ts';
import { Db, type Writer } from '#kernel/sqlite/sqlite.ts';
import type { FeedsOptions, FeedsSimulator } from '#simulators/feeds/feeds.ts';
import { startFeeds } from '#simulators/feeds/feeds.ts';
import { type Lab, startLab } from './lab.ts';
import { watchLeaks } from './leak-guard.ts';
import { ManualClock } from './manual-clock.ts';

export interface ThreatLab extends Lab<'home'> {
  readonly feeds: FeedsSimulator;
  /** Moves the clock far, and waits for what was due. */
  later(ms: number): Promise<void>;
  feed(id: FeedName): Promise<Feed>;
  /** The log as a crash in the middle of judging it again would leave it. */
  forgetVerdicts(): Promise<void>;
  /** `host` is known of a destination of the log: asked for by a client (dns), or published by its owner (ptr). */
  name(dst: string, host: string, by: 'dns' | 'ptr'): Promise<void>;
  /** Requests that a publisher got, by path. */
  asked(publisher?: string): { path: string; status: number; conditional: boolean }[];
}

export interface ThreatLabOptions {
  rows?: FeedsOptions['rows'];
  hub?: Partial<HubOptions>;
  router?: boolean;
  /** The key of abuse.ch is set; true when absent. */
  key?: boolean;
}

export const device = '192.168.100.23';
export const minute = 60_000;
export const hour = 60 * minute;

/** The feeds were fetched once. */
export async function startThreatLab({ rows, hub, router, key = true }: ThreatLabOptions = {}): Promise<ThreatLab> {
  await using opened = new AsyncDisposableStack();
  const feedsClock = new ManualClock();
  opened.use(watchLeaks({ clock: feedsClock }));
  const feeds = opened.use(await startFeeds({ clock: feedsClock, ...(rows ? { rows } : {}) }));
  const lab = opened.use(
    (await startLab({
      ...(router ? { routers: { home: 'vendor_a' } } : {}),
      hub: { threatFeeds: true, threatMirror: feeds.url, ...hub },
    })) as Lab<'home'>,
  );
  if (key) {
    await lab.as.admin.threat.saveFeedsConfig({ body: { authKey: feeds.authKey } });
  }
  const write = async (work: (writer: Writer) => void) => {
    const db = new Db(path.join(lab.dataDir, 'monitor.db'));
    await db.write(work);
    await db.close();
  };
  const threatLab: Omit<ThreatLab, keyof Lab<'home'>> = {
    feeds,
    later: (ms) => lab.skip(ms),
    async feed(id) {
      const { feeds: all } = await lab.as.admin.threat.feeds({});
      const found = all.find((one) => one.id === id);
      if (!found) {
        throw new Error(`there is no feed ${id}`);
      }
      return found;
    },
    forgetVerdicts: () =>
      write((writer) => {
        writer.prepare('UPDATE flow SET threat_id = NULL').run();
        writer.prepare("UPDATE threat_verdicts SET version = 'under way'").run();
      }),
    name: (dst, host, by) =>
      write((writer) => {
        writer.prepare('UPDATE destination SET host = ? WHERE address = ?').run(host, dst);
        writer
          .prepare(
            `INSERT OR REPLACE INTO destination_answer (destination_id, kind, at, until, host)
             SELECT id, ?, 0, 9e12, ? FROM destination WHERE address = ?`,
          )
          .run(by, host, dst);
      }),
    asked: (publisher = '') =>
      feeds
        .journal()
        .filter(({ kind, path }) => kind === 'request' && String(path).startsWith(`/${publisher}`))
        .map(({ path, status, conditional }) => ({
          path: String(path),
          status: Number(status),
          conditional: conditional === true,
        })),
  };
  await lab.advance(limits.feedsFirstMs);
  const whole = opened.move();
  return Object.assign(Object.create(lab) as Lab<'home'>, threatLab, {
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  });
}
