// The hub is killed without warning, again and again, in the middle of polling: nothing that was committed is lost.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { systemClock } from '#kernel/time/clock.ts';
import type { RouterSimulator } from '#simulators/router/router.ts';
import { startRouter } from '#simulators/router/start.ts';
import { eventually } from '../support/eventually.ts';
import { hourRows } from '../support/hour-rows.ts';
import { startHubProcess } from '../support/hub-process.ts';
import { recordOf } from '../support/lab.ts';
import { createRandom } from '../support/random.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

const kills = 20;
const seed = 20_261_001;
const adminToken = 'token-of-the-kill-9-test';
/** Polls of the routers begin a second apart, so some of them runs at any instant of this span. */
const longestLifeMs = 5_000;
const tables = [8_000, 2_000, 8_000, 2_000, 500] as const;

type HubProcess = Awaited<ReturnType<typeof startHubProcess>>;

/** What the API showed before a kill: the hub had committed all of it. */
interface Seen {
  total: number;
  flows: { key: string; lastSeen: number }[];
}

verifies(
  'rest.routers.two-kinds-mixed',
  `a hub killed ${kills} times while polling keeps what it committed`,
  async () => {
    using folder = temporaryFolder();
    await using stack = new AsyncDisposableStack();
    const simulators: RouterSimulator[] = [];
    for (const [index, sessions] of tables.entries()) {
      const kind = index % 2 === 0 ? 'vendor_a' : 'vendor_b';
      simulators.push(
        stack.use(await startRouter(kind, { sessions, seed: index + 1, traffic: true, allowedSessions: 10 })),
      );
    }
    const random = createRandom(seed);
    const lives: string[] = [];
    let before: Seen = { total: 0, flows: [] };
    let cutPolls = 0;

    for (let life = 0; life < kills; life++) {
      const hub = await startHubProcess({ dataDir: folder.path, adminToken });
      try {
        if (life === 0) {
          await addRouters(hub, simulators);
        }
        const lifeMs = Math.floor(random() * longestLifeMs);
        await systemClock.sleep(lifeMs);
        const seen = await look(hub);
        cutPolls += await pollsUnderWay(hub);
        hub.program.kill('SIGKILL');
        expect(await hub.program.ended).toEqual({ code: null, signal: 'SIGKILL' });
        lives.push(`${lifeMs} ms, ${seen.total} flows`);
        inspect(folder.path, [before, seen]);
        before = seen;
      } finally {
        await hub[Symbol.asyncDispose]();
      }
    }
    console.log(`seed ${seed}: ${lives.join('; ')}; ${cutPolls} polls were under way at the kills`);
    // At least one whole table was there to lose, however slow the machine is.
    expect(before.total).toBeGreaterThan(Math.min(...tables));
    expect(cutPolls).toBeGreaterThan(0);

    await using hub = await startHubProcess({ dataDir: folder.path, adminToken });
    // After the last restart every router is polled as if nothing had happened.
    await eventually(
      () => hub.as.admin.routers.list({}),
      ({ routers }) => routers.every(({ state }) => state === 'ready') || undefined,
    );
  },
);

async function addRouters(hub: HubProcess, simulators: readonly RouterSimulator[]): Promise<void> {
  for (const [index, simulator] of simulators.entries()) {
    await hub.as.admin.routers.create({ body: recordOf(simulator, `router ${index}`) });
  }
}

async function look(hub: HubProcess): Promise<Seen> {
  const { total, connections } = await hub.as.admin.connections.list({ query: { limit: '1000' } });
  return { total, flows: connections.map((row) => ({ key: keyOf(row), lastSeen: row.lastSeen })) };
}

/** Routers without an outcome yet, or with a poll that is due: their poll is cut by the kill. */
async function pollsUnderWay(hub: HubProcess): Promise<number> {
  const { routers, serverTime } = await hub.as.admin.routers.list({});
  return routers.filter(({ nextPollAt }) => nextPollAt === null || nextPollAt <= serverTime).length;
}

interface Flow {
  src: string;
  dst: string;
  dport: number;
  proto: string;
}

function keyOf({ src, dst, dport, proto }: Flow): string {
  return `${src} ${dst} ${dport} ${proto}`;
}

/** The hub is down: its files must speak for themselves. */
function inspect(dataDir: string, views: readonly Seen[]): void {
  const settings = JSON.parse(readFileSync(path.join(dataDir, 'monitor.json'), 'utf8')) as { routers: unknown[] };
  expect(settings.routers).toHaveLength(tables.length);
  const db = new Database(path.join(dataDir, 'monitor.db'));
  try {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(db.pragma('foreign_key_check')).toEqual([]);
    const rows = db
      .prepare(
        `SELECT s.address AS src, d.address AS dst, dport, proto, last_seen AS lastSeen
         FROM flow JOIN source s ON s.id = source_id JOIN destination d ON d.id = destination_id`,
      )
      .all() as (Flow & { lastSeen: number })[];
    const stored = new Map(rows.map((row) => [keyOf(row), row.lastSeen]));
    expect(stored.size).toBe(rows.length);
    for (const { total, flows } of views) {
      expect(rows.length).toBeGreaterThanOrEqual(total);
      expect(flows.filter(({ key, lastSeen }) => (stored.get(key) ?? 0) < lastSeen)).toEqual([]);
    }
    const withHours = new Set(hourRows(db).map(({ flow }) => flow));
    expect(withHours).toEqual(new Set(db.prepare('SELECT id FROM flow').pluck().all()));
  } finally {
    db.close();
  }
}
