// What-if over whole hubs: a preview says what a second hub with those settings and rules told of the same connections,
// and leaves no trace.
import path from 'node:path';
import { expect, test } from 'vitest';
import type { AlertRule } from '#contract/alert-records.ts';
import { insertRule } from '#hub/identify/detection/alerts/rules.ts';
import { Db, type Writer } from '#kernel/sqlite/sqlite.ts';
import { type ChatSimulator, startChat } from '#simulators/chat/workspace.ts';
import { createRandom, hash, type Random } from '#simulators/support/random.ts';
import { takeState } from '../support/lab-state.ts';
import { runs } from '../support/property-runs.ts';
import { startThreatLab, type ThreatLab } from '../support/threat-lab.ts';
import { verifies } from '../support/verifies.ts';

const minute = 60_000;
const pollMs = 30 * minute;
const c2 = '203.0.113.44';
const places = [
  [c2, 443],
  [c2, 8080],
  ['203.0.113.77', 8443],
  ['192.0.2.9', 443],
  ['192.0.2.10', 80],
  ['203.0.113.120', 58_801],
] as const;
const devices = ['192.168.100.23', '192.168.100.24', '192.168.100.200', '192.168.100.201'] as const;

type Lab = ThreatLab & { chat: ChatSimulator };
type Body = Exclude<Parameters<Lab['as']['admin']['detection']['preview']>[0]['body'], undefined>;

/** A hub with lists, a router and a workspace. */
async function startWorld(): Promise<Lab> {
  await using opened = new AsyncDisposableStack();
  const chat = opened.use(await startChat());
  const lab = opened.use(await startThreatLab({ router: true, hub: { chatApiUrl: chat.url, pollIntervalMs: pollMs } }));
  const { token, userId } = chat.credentials;
  await lab.as.admin.chat.saveConfig({
    body: { enabled: true, token, userId, displayName: 'Olga', cooldownMinutes: 250 },
  });
  const whole = opened.move();
  return Object.assign(Object.create(lab) as ThreatLab, { chat, [Symbol.asyncDispose]: () => whole.disposeAsync() });
}

async function withDatabase<T>(lab: Lab, work: (writer: Writer) => T): Promise<T> {
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  try {
    return await db.write((writer) => work(writer));
  } finally {
    await db.close();
  }
}

/** Makes what is given to a preview the settings and rules of a hub. */
async function configure(lab: Lab, { settings: { detection, threat, cooldownMinutes } = {}, rules = [] }: Body) {
  const { admin } = lab.as;
  await admin.detection.saveConfig({ body: detection ?? {} });
  await admin.chat.saveConfig({ body: cooldownMinutes ? { cooldownMinutes } : {} });
  await admin.threat.saveFeedsConfig({ body: threat ?? {} });
  await lab.settled();
  const shared = { scope: 'network', kind: null, target: null, device: null, until: null } as const;
  const made = { reason: null, alertId: null, by: null, createdAt: lab.clock.now() };
  await withDatabase(lab, (writer) => {
    for (const rule of rules) {
      insertRule(writer, { ...shared, ...made, ...(rule as Pick<AlertRule, 'effect'>) });
    }
  });
}

const harmless = ['203.0.113.200', 443] as const;

/**
 * The same connections for a seed. Each device is known before it contacts what is listed: a preview has the names of
 * now, and not those of that time. Returns when the connections began.
 */
async function live(lab: Lab, seed: number, polls = 14): Promise<number> {
  const random = createRandom(hash('detections', seed));
  const contact = (src: string, [dst, dport]: readonly [string, number]) =>
    lab.routers.home.flow({ src, dst, dport, proto: 'tcp', lastsMs: 25 * minute, ends: 'silent' });
  const meet = async (first: number) => {
    contact(devices[first] ?? devices[0], harmless);
    contact(devices[first + 1] ?? devices[0], harmless);
    await lab.advance(pollMs);
    await lab.advance(pollMs);
  };
  await meet(0);
  const begin = lab.clock.now();
  for (let turn = 0; turn < polls; turn += 1) {
    if (turn === 4) {
      await meet(2);
    }
    for (let left = random.int(0, 3); left > 0; left -= 1) {
      const src = devices[random.int(0, turn < 4 ? 1 : 3)] ?? devices[0];
      contact(src, places[random.int(0, places.length - 1)] ?? harmless);
    }
    await lab.advance(pollMs);
  }
  return begin;
}

function drawBody(random: Random): Body {
  const draw = () => random.next() < 0.5;
  const channels = () => ({ chat: random.next() < 0.7, history: random.next() < 0.7 });
  return {
    settings: {
      ...(draw() && { detection: { threat: channels(), newDevice: channels() } }),
      ...(draw() && { cooldownMinutes: [70, 130, 500][random.int(0, 2)] ?? 70 }),
      ...(draw() && {
        threat: {
          feeds: { feed_ioc: { enabled: draw() }, feed_drop: { enabled: draw() } },
          dropLevel: draw() ? 'danger' : 'warn',
          allowList: draw() ? [c2] : [],
        },
      }),
    },
    rules: draw() ? [draw() ? { effect: 'mute', kind: 'new_device' } : { effect: 'expect', target: `${c2} 443` }] : [],
  };
}

/** What a hub told and logged since `begin`, by what and in which poll. */
async function readTold(lab: Lab, begin: number) {
  const told = new Map<string, { chat: boolean; history: boolean }>();
  const add = (parts: readonly unknown[], at: number, where: 'chat' | 'history') => {
    if (at > begin) {
      const key = [...parts, Math.ceil((at - begin) / pollMs)].join(' ');
      told.set(key, { ...(told.get(key) ?? { chat: false, history: false }), [where]: true });
    }
  };
  const { logs } = await lab.as.admin.detection.log({});
  for (const { type, src, dst, detectedAt } of logs) {
    add([type, src, dst], detectedAt, 'history');
  }
  const keys = await withDatabase(
    lab,
    (writer) => writer.prepare("SELECT key FROM outbox_event WHERE destination = 'chat'").pluck().all() as string[],
  );
  for (const [type, src, about, at] of keys.map((key) => key.split('|'))) {
    add([type, src, type === 'new_device' ? null : about], Number(at), 'chat');
  }
  return told;
}

function count(told: ReadonlyMap<string, { chat: boolean; history: boolean }>, type: string) {
  const all = [...told].filter(([key]) => key.startsWith(`${type} `)).map(([, where]) => where);
  return { chat: all.filter(({ chat }) => chat).length, history: all.filter(({ history }) => history).length };
}

const nowhere = { chat: false, history: false };

for (const seed of [2, 3, 5, 1, 4, 6, 7, 8].slice(0, runs(2, 8))) {
  verifies(
    'rest.detection.preview',
    `a preview says what a second hub with those settings and rules told of the same connections (${seed})`,
    async () => {
      const body = drawBody(createRandom(hash('settings', seed)));
      await using lab = await startWorld();
      const begin = await live(lab, seed);
      await using other = await startWorld();
      await configure(other, body);
      const otherBegin = await live(other, seed);
      const preview = await lab.as.admin.detection.preview({ body: { ...body, from: begin + 1 } });
      const [saved, given] = [await readTold(lab, begin), await readTold(other, otherBegin)];
      for (const { type, ...counted } of preview.kinds) {
        expect({ type, ...counted }).toEqual({ type, given: count(given, type), saved: count(saved, type) });
      }
      const expected = [...new Set([...saved.keys(), ...given.keys()])]
        .map((key) => [key, { given: given.get(key) ?? nowhere, saved: saved.get(key) ?? nowhere }] as const)
        .filter(([, one]) => JSON.stringify(one.given) !== JSON.stringify(one.saved));
      const listed = new Map<string, object>();
      for (const { type, src, dst, at, given: to, saved: was } of preview.changes) {
        const key = [type, src, dst, Math.ceil((at - begin) / pollMs)].join(' ');
        // What has another port or level alone counts as one that goes and one that is added.
        const before = listed.get(key) as { given: typeof to; saved: typeof to } | undefined;
        const join = (a: typeof to, b: typeof to = nowhere) => ({
          chat: a.chat || b.chat,
          history: a.history || b.history,
        });
        listed.set(key, { given: join(to, before?.given), saved: join(was, before?.saved) });
      }
      const differs = [...listed].filter(([, one]) => {
        const { given: to, saved: was } = one as { given: object; saved: object };
        return JSON.stringify(to) !== JSON.stringify(was);
      });
      expect(new Map(differs)).toEqual(new Map(expected));
      expect(preview).toMatchObject({ more: 0, truncated: false });
    },
  );
}

test('a preview changes no table, no file and no setting, says nothing, and refuses what cannot be saved', async () => {
  await using lab = await startWorld();
  await live(lab, 2, 6);
  await lab.settled();
  const { preview } = lab.as.admin.detection;
  const before = await takeState(lab);
  const feeds = Object.fromEntries(
    ['feed_c2', 'feed_ioc', 'feed_url', 'feed_drop'].map((name) => [name, { enabled: false }]),
  );
  const body = { settings: { threat: { feeds } }, rules: [{ effect: 'mute' as const }] };
  const { kinds, changes, coverage } = await preview({ body });
  const [threat] = kinds;
  expect(threat).toMatchObject({ type: 'threat', given: { chat: 0, history: 0 } });
  expect(threat?.saved.chat).toBeGreaterThan(1);
  expect(changes.length).toBeGreaterThan(1);
  expect(coverage).toMatchObject({ missingFeeds: [], logFrom: expect.any(Number) });
  // Again on the same reader: the tables of the first preview are gone.
  expect(await preview({ body })).toMatchObject({ kinds, changes });
  expect((await preview({ body: {} })).changes).toEqual([]);
  await lab.settled();
  expect(await takeState(lab)).toEqual(before);
  const now = lab.clock.now();
  for (const wrong of [
    { from: now + 1 },
    { from: now - 40 * 24 * 60 * minute },
    { settings: { cooldownMinutes: 0 } },
    { settings: { threat: { allowList: ['192.168.1.1'] } } },
    { settings: { unknown: 1 } },
    { rules: Array.from({ length: 51 }, () => ({ effect: 'mute' })) },
  ]) {
    await expect(preview({ body: wrong as never })).rejects.toMatchObject({ code: 'invalid_body' });
  }
});
