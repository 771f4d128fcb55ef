// The hub is killed without warning while it judges the log by a new list and while it makes cards: each card comes once.
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { RetroMatch } from '#contract/retro-match.ts';
import { recordObservations } from '#hub/record/connections/record/record.ts';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { startChat } from '#simulators/chat/workspace.ts';
import { startFeeds } from '#simulators/feeds/feeds.ts';
import { seen } from '../support/connection-log.ts';
import { eventually } from '../support/eventually.ts';
import { startHubProcess } from '../support/hub-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const adminToken = 'token-of-the-kill-9-retro-match-test';
const [devices, destinations, ports] = [200, 20, 5];
const pairs = devices * destinations;
const dayMs = 86_400_000;
const rows = (cidr: string) => [{ cidr }, { cidr: '2001:db8:bad::/48' }];

/** When the hub is killed: flows that are judged, or cards that are made. */
const kills = [
  ({ noted }: State) => noted > 0,
  ({ noted }: State) => noted > 2 * pairs,
  ({ cards }: State) => cards > 0,
  ({ cards }: State) => cards > pairs / 2,
] as const;

interface State {
  noted: number;
  pending: number;
  cards: number;
  version: string | null;
}

test('a hub killed between a list that changed and its cards makes each card once, with all its flows', {
  timeout: 300_000,
}, async () => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.db');
  await recordFlows(file);
  await using chat = await startChat();
  await using feeds = await startFeeds({ rows: { c2: [], drop: rows('198.51.100.0/24') } });
  const env = { MONITOR_THREAT_MIRROR: feeds.url.href, MONITOR_CHAT_API_URL: chat.url.href };
  const start = () => startHubProcess({ dataDir: folder.path, adminToken, env });
  {
    await using hub = await start();
    const { token, userId } = chat.credentials;
    await hub.as.admin.chat.saveConfig({ body: { enabled: true, token, userId } });
    await eventually(
      async () => look(file),
      ({ version }) => (version !== null && version !== 'under way') || undefined,
    );
  }
  feeds.list('drop', rows('203.0.113.0/24'));
  const [previousAt, changedAt] = [letFetch(file), systemClock.now()];
  const at: State[] = [];
  for (const isDue of kills) {
    const hub = await start();
    try {
      await expect.poll(() => isDue(look(file))).toBe(true);
      hub.program.kill('SIGKILL');
      expect(await hub.program.ended).toEqual({ code: null, signal: 'SIGKILL' });
    } finally {
      await hub[Symbol.asyncDispose]();
    }
    at.push(look(file));
  }
  console.log(`at the kills: ${at.map(({ noted, cards }) => `${noted} flows, ${cards} cards`).join('; ')}`);
  expect(at.some(({ version, noted }) => version === 'under way' && noted > 0)).toBe(true);
  expect(at.some(({ cards }) => cards > 0 && cards < pairs)).toBe(true);
  await using hub = await start();
  await eventually(
    async () => look(file),
    ({ pending, noted, cards }) => (noted === pairs * ports && pending === 0 && cards >= pairs) || undefined,
  );
  expect((await hub.as.admin.detection.log({ query: { type: 'threat' } })).logs).toEqual([]);
  const cards = read(file, "SELECT src, dst, retro, chat_key AS chatKey FROM detection WHERE type = 'retro_match'") as {
    src: string;
    dst: string;
    retro: string;
    chatKey: string;
  }[];
  expect(new Set(cards.map(({ src, dst }) => `${src} ${dst}`)).size).toBe(pairs);
  expect(cards).toHaveLength(pairs);
  for (const { retro } of cards) {
    const { flows, cause, previousAt: before, listedAt } = JSON.parse(retro) as RetroMatch;
    expect([flows, cause, before]).toEqual([ports, 'list', previousAt]);
    expect(listedAt).toBeGreaterThanOrEqual(changedAt);
  }
  const alerts = read(file, 'SELECT key FROM outbox_event') as { key: string }[];
  expect(new Set(alerts.map(({ key }) => key))).toEqual(new Set(cards.map(({ chatKey }) => chatKey)));
});

/** The ports one after the other: a transaction of the judging ends between the flows of a device and a destination. */
async function recordFlows(file: string): Promise<void> {
  migrate(file, path.join(import.meta.dirname, '../../src/hub/base/migrations'));
  const db = new Db(file);
  const now = systemClock.now() - 3 * dayMs;
  const observations = Array.from({ length: pairs * ports }, (_, index) => {
    const pair = index % pairs;
    return seen({
      ...{ src: `192.168.1.${1 + (pair % devices)}`, dst: `203.0.113.${1 + Math.floor(pair / devices)}` },
      ...{ dport: 440 + Math.floor(index / pairs), at: now },
    });
  });
  await recordObservations(db, { routerId: 'vendor-a-1', kind: 'vendor_a', observations, now });
  await db.close();
}

/** The next start fetches the list; returns when it was confirmed last. */
function letFetch(file: string): number {
  const db = new Database(file);
  db.prepare("UPDATE threat_part SET next_at = 0 WHERE part = 'drop_v4'").run();
  const at = db.prepare("SELECT checked_at FROM threat_agreed WHERE part = 'drop_v4'").pluck().get() as number;
  db.close();
  return at;
}

function read(file: string, sql: string): unknown[] {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

function look(file: string): State {
  const [state] = read(
    file,
    `SELECT (SELECT count(*) FROM retro_match) AS noted, (SELECT count(*) FROM retro_match WHERE pending = 1) AS pending,
       (SELECT count(*) FROM detection WHERE type = 'retro_match') AS cards, (SELECT version FROM threat_verdicts) AS version`,
  ) as State[];
  return state as State;
}
