// A hub whose feeds list a destination after it was contacted, with a simulated chat workspace.
import path from 'node:path';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { type ChatSimulator, startChat } from '#simulators/chat/workspace.ts';
import { device, hour, startThreatLab, type ThreatLab } from './threat-lab.ts';

export interface RetroLab extends ThreatLab {
  readonly chat: ChatSimulator;
  /** A session of a minute, recorded by the next poll. */
  contact(flow?: { src?: string; dst?: string; dport?: number }): Promise<void>;
  /** Replaces the list of Spamhaus and lets the hub fetch it. */
  relist(...cidrs: string[]): Promise<void>;
  /** What the database has. */
  rows(sql: string): Promise<unknown[]>;
  /** Rows of the detection log, the newest first, of these types; of all when absent. */
  logged(...types: string[]): Promise<Awaited<ReturnType<ThreatLab['as']['admin']['detection']['log']>>['logs']>;
}

export const listed = '203.0.113.9';
export const elsewhere = '198.51.100.0/24';
export const here = '203.0.113.0/24';
const alwaysListed = '2001:db8:bad::/48';
/** Spamhaus is asked at least this often. */
export const fetchMs = 14 * hour;

/** Only Spamhaus DROP lists anything, and nothing of what is contacted. New devices are neither logged nor sent. */
export async function startRetroLab(first: readonly string[] = [elsewhere]): Promise<RetroLab> {
  await using opened = new AsyncDisposableStack();
  const chat = opened.use(await startChat());
  const listing = (cidrs: readonly string[]) => [...cidrs, alwaysListed].map((cidr) => ({ cidr }));
  const lab = opened.use(
    await startThreatLab({
      ...{ router: true, key: false, hub: { chatApiUrl: chat.url } },
      rows: { c2: [], drop: listing(first) },
    }),
  );
  const { token, userId } = chat.credentials;
  await lab.as.admin.chat.saveConfig({ body: { enabled: true, token, userId } });
  await lab.as.admin.detection.saveConfig({ body: { newDevice: { chat: false, history: false } } });
  const retroLab: Omit<RetroLab, keyof ThreatLab> = {
    chat,
    async contact({ src = device, dst = listed, dport = 443 } = {}) {
      lab.routers.home.flow({ src, dst, dport, proto: 'tcp', lastsMs: 60_000, ends: 'silent' });
      await lab.poll();
    },
    async relist(...cidrs) {
      lab.feeds.list('drop', listing(cidrs));
      await lab.later(fetchMs);
    },
    async rows(sql) {
      const db = new Db(path.join(lab.dataDir, 'monitor.db'));
      try {
        return db.prepare(sql).all();
      } finally {
        await db.close();
      }
    },
    async logged(...types) {
      const { logs } = await lab.as.admin.detection.log({});
      return logs.filter(({ type }) => type !== 'new_device' && (types.length === 0 || types.includes(type)));
    },
  };
  const whole = opened.move();
  return Object.assign(Object.create(lab) as ThreatLab, retroLab, {
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  });
}
