// What is news, to the millisecond: detections on a real database, without routers and without HTTP.
import { expect, test } from 'vitest';
import type { DetectionEntry } from '#contract/detection.ts';
import type { Threat } from '#contract/model.ts';
import type { NewDevice } from '#hub/base/new-device.ts';
import type { ToldEvent } from '#hub/base/told-event.ts';
import { createMessageLinks } from '#hub/identify/detection/alerts/message-links.ts';
import { markChatSent } from '#hub/identify/detection/detection-log.ts';
import { createDetections, type Detections, type NewBeacon, type Raising } from '#hub/identify/detection/detections.ts';
import { createChatOutbox } from '#hub/notify/chat/delivery.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';
import { openConnectionLog } from '../../../support/connection-log.ts';
import { holdWrites } from '../../../support/held-writes.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const minute = 60_000;
const day = 1440 * minute;
const cooldownMs = 30 * minute;
const everything = { chat: true, history: true };
const [device, other] = ['192.168.1.2', '192.168.1.3'];
const [listed, second] = ['203.0.113.80', '203.0.113.81'];
const threat: Threat = {
  ...{ level: 'danger', confidence: 'high', source: 'feed_c2', tag: null },
  ...{ matchType: 'ip', matchValue: listed, port: null, url: null },
};

function openDesk(pollMs = minute) {
  const log = openConnectionLog();
  const clock = new ManualClock();
  const logged: DetectionEntry[] = [];
  const put: ToldEvent[] = [];
  const joined: (readonly number[])[] = [];
  const state = { wakes: 0, isReady: true, to: everything, onLogged: () => {} };
  const outbox = createChatOutbox(log.db, markChatSent);
  const detections = createDetections({
    db: log.db,
    links: createMessageLinks({ key: '', publicUrl: undefined }),
    clock,
    settings: () => ({ threat: state.to, newDevice: state.to, beacon: state.to, retroMatch: state.to }),
    pollMs,
    cooldownMs: () => cooldownMs,
    telling: {
      isTold: (_kind, toChat) => toChat === true && state.isReady,
      tellsResolved: () => false,
      put(writer, alert, now) {
        put.push(alert);
        outbox.put(writer, alert, now);
      },
      wake: () => {
        state.wakes += 1;
      },
    },
    onAlerts: (ids) => void joined.push(ids),
    onLogged: (entry) => {
      logged.push(entry);
      state.onLogged();
    },
  });
  return {
    ...{ log, clock, detections, state, logged, put, joined },
    /** Notes every flow as one that ran before its destination was listed. */
    noteAll: () =>
      log.db.write((writer) => {
        writer
          .prepare(
            `INSERT OR REPLACE INTO retro_match (flow_id, source_id, destination_id, feed, cause, previous_at, listed_at)
             SELECT id, source_id, destination_id, 'feed_ioc', 'list', NULL, 1 FROM flow`,
          )
          .run();
      }),
    /** What `work` brings into the log, as `device destination port`. */
    async news(work: (detections: Detections) => Promise<unknown>): Promise<string[]> {
      logged.length = 0;
      await work(detections);
      return logged.map(({ src, dst, dport }) => [src, dst, dport].filter((word) => word !== null).join(' '));
    },
    /** As `news`, of what is raised in a transaction of somebody else. */
    raised: (raise: (writer: Writer, detections: Detections) => Raising) => async () => {
      const tell = await log.db.write((writer) => raise(writer, detections));
      tell();
    },
    [Symbol.asyncDispose]: () => log[Symbol.asyncDispose](),
  };
}

const contact = (src = device, dst = listed) => ({ src, dst, dport: 443, proto: 'TCP', threat });

test('the same device and destination are news again at the end of the cooldown, not a moment earlier', async () => {
  await using desk = openDesk();
  const meet = (...flows: ReturnType<typeof contact>[]) => desk.news((detections) => detections.threats(flows));
  expect(await meet(contact())).toEqual([`${device} ${listed} 443`]);
  await desk.clock.advance(cooldownMs - 1);
  const all = [contact(), contact(other), contact(device, second), contact(other)];
  expect(await meet(...all)).toEqual([`${other} ${listed} 443`, `${device} ${second} 443`]);
  await desk.clock.advance(1);
  expect(await meet(...all)).toEqual([`${device} ${listed} 443`]);
  await desk.clock.advance(cooldownMs - 1);
  expect(await meet(...all)).toEqual([`${other} ${listed} 443`, `${device} ${second} 443`]);
});

test('what was told is news again when the clock was set back by more than the cooldown', async () => {
  await using desk = openDesk();
  const meet = () => desk.news((detections) => detections.threats([contact()]));
  expect(await meet()).toHaveLength(1);
  desk.clock.jump(desk.clock.now() - 30 * day);
  expect(await meet()).toHaveLength(1);
  await desk.clock.advance(cooldownMs - 1);
  expect(await meet()).toEqual([]);
  desk.clock.jump(desk.clock.now() - cooldownMs);
  expect(await meet()).toEqual([]);
});

test('traffic in the log is news from the end of the cooldown on, and for a day', async () => {
  await using desk = openDesk();
  const toldAt = desk.clock.now();
  expect(await desk.news((detections) => detections.threats([contact()]))).toHaveLength(1);
  const sweep = () => desk.news((detections) => detections.threats([]));
  await desk.clock.advance(day);
  await desk.log.record([{ src: device, dst: listed, at: toldAt + cooldownMs - 1 }]);
  await desk.log.record([{ src: other, dst: listed, at: toldAt - 1 }]);
  await desk.log.judge(listed, {});
  expect(await sweep()).toEqual([]);
  await desk.log.record([
    { src: device, dst: listed, at: toldAt + cooldownMs },
    { src: other, dst: listed, at: toldAt },
  ]);
  expect(await sweep()).toEqual([`${device} ${listed} 443`, `${other} ${listed} 443`]);
  expect(await sweep()).toEqual([]);
});

test('of too many at once the worst come first, then the latest', async () => {
  await using desk = openDesk();
  const at = desk.clock.now();
  const flows = (dst: string, count: number, from: number) =>
    Array.from({ length: count }, (_, index) => ({ src: `10.0.${index >> 8}.${index & 255}`, dst, at: from + index }));
  await desk.log.record([...flows(second, 3, at), ...flows(listed, 499, at - 1000)]);
  await desk.log.judge(listed, {});
  await desk.log.judge(second, { level: 'warn' });
  const first = await desk.news((detections) => detections.threats([]));
  expect(first).toHaveLength(500);
  expect(first[0]).toBe(`10.0.1.242 ${listed} 443`);
  expect(first.at(-1)).toBe(`10.0.0.2 ${second} 443`);
  expect(desk.put.map(({ title }) => title)).toEqual([
    ...Array.from({ length: 499 }, () => 'Known-bad destination'),
    'Possibly bad destination',
  ]);
  expect(await desk.news((detections) => detections.threats([]))).toEqual([
    `10.0.0.1 ${second} 443`,
    `10.0.0.0 ${second} 443`,
  ]);
});

test('what is about to get a card is no threat, and hides none, however many there are', async () => {
  await using desk = openDesk();
  const at = desk.clock.now();
  const many = Array.from({ length: 501 }, (_, index) => ({
    src: `10.0.${index >> 8}.${index & 255}`,
    dst: listed,
    at,
  }));
  await desk.log.record([...many, { src: device, dst: second, at: at - 1 }, { src: other, dst: second, at: at - 2 }]);
  await desk.log.judge(listed, {});
  await desk.log.judge(second, {});
  const note = (dst: string) =>
    desk.log.db.write((writer) => {
      writer
        .prepare(
          `INSERT INTO retro_match (flow_id, source_id, destination_id, feed, cause, previous_at, listed_at)
           SELECT id, source_id, destination_id, 'feed_ioc', 'list', ?, ? FROM flow
           WHERE destination_id = (SELECT id FROM destination WHERE address = ?)`,
        )
        .run(at + 1, at + 1, dst);
    });
  await note(listed);
  const named = many.slice(0, 2).map(({ src, dst }) => contact(src, dst));
  const threats = () => desk.news((detections) => detections.threats(named));
  expect(await threats()).toEqual([`${device} ${second} 443`, `${other} ${second} 443`]);
  const stopped = desk.detections.retroMatches(AbortSignal.abort(new Error('the hub stops')));
  await expect(stopped).rejects.toThrow('the hub stops');
  expect(await desk.news((detections) => detections.retroMatches())).toHaveLength(50);
  expect(desk.put.filter(({ title }) => title === 'Contacted before it was listed')).toHaveLength(501);
  expect([await threats(), await desk.news((detections) => detections.retroMatches())]).toEqual([[], []]);
});

test('cards that are made when the hub stops stay, and the others come later; fifty in all are told live', async () => {
  await using desk = openDesk();
  const at = desk.clock.now();
  await desk.log.record(Array.from({ length: 150 }, (_, index) => ({ src: `10.0.0.${index}`, dst: listed, at })));
  await desk.log.judge(listed, {});
  await desk.noteAll();
  const stop = new AbortController();
  const waiting = desk.log.db.prepare('SELECT count(*) FROM retro_match WHERE pending = 1').pluck();
  const first = desk.detections.retroMatches(stop.signal);
  desk.state.onLogged = () => stop.abort(new Error('the hub stops'));
  await expect(first).rejects.toThrow('the hub stops');
  expect([desk.put.length, desk.logged.length, waiting.get(), desk.state.wakes]).toEqual([50, 50, 100, 1]);
  desk.logged.length = 0;
  desk.state.onLogged = () => {};
  const clear = 'UPDATE flow SET threat_id = NULL WHERE id BETWEEN 51 AND 70';
  await desk.log.db.write((writer) => void writer.prepare(clear).run());
  expect(await desk.detections.retroMatches()).toBe(80);
  expect([desk.put.length, desk.logged.length, waiting.get(), desk.state.wakes]).toEqual([130, 50, 0, 2]);
  expect(await desk.detections.retroMatches()).toBe(0);
  expect(desk.state.wakes).toBe(2);
});

test.each([
  [minute, 10],
  [6 * minute, 12],
])('with polls each %i ms, a contact goes on for %i minutes', async (pollMs, minutes) => {
  await using desk = openDesk(pollMs);
  const at = desk.clock.now();
  await desk.log.record([
    { src: device, dst: listed, at: at - minutes * minute },
    { src: other, dst: listed, at: at - minutes * minute - 1 },
    // Safe again before a card was made.
    { src: other, dst: second, at },
  ]);
  await desk.log.judge(listed, {});
  await desk.noteAll();
  expect(await desk.news((detections) => detections.retroMatches())).toHaveLength(2);
  expect(desk.logged.map(({ src, retro }) => [src, retro?.isOngoing])).toEqual([
    [device, true],
    [other, false],
  ]);
});

test('a card is news again after a week, and when its level is another one', async () => {
  await using desk = openDesk();
  const at = desk.clock.now();
  await desk.log.record([{ src: device, dst: listed, at }]);
  const relist = async (level: 'warn' | 'danger') => {
    await desk.log.judge(listed, { level });
    await desk.noteAll();
    const news = await desk.news((detections) => detections.retroMatches());
    return news.length;
  };
  expect([await relist('warn'), await relist('warn'), await relist('danger')]).toEqual([1, 0, 1]);
  await desk.clock.advance(7 * day - 1);
  expect([await relist('warn'), await relist('danger')]).toEqual([0, 0]);
  await desk.clock.advance(1);
  expect([await relist('warn'), await relist('danger'), await relist('danger')]).toEqual([1, 1, 0]);
});

const newcomer: NewDevice = {
  ...{ deviceId: 'one', address: device, mac: '00:00:5e:00:53:01', vendor: null, dnsName: null, mdnsName: null },
  ...{ firstSeen: 0, probably: null, isFirstLook: false },
};

test('a beacon is news once in a week, a new device once in a day', async () => {
  await using desk = openDesk();
  const beacon: NewBeacon = {
    ...{ src: device, dst: listed, dport: 443, proto: 'TCP', threat: null, intervalMs: 20 * minute, obsCount: 9 },
  };
  const raise = () =>
    desk.news(
      desk.raised(function* (writer, detections) {
        const beacons = yield* detections.beacons(writer, [beacon, { ...beacon, dport: 444 }]);
        const devices = yield* detections.newDevices(writer, [newcomer, { ...newcomer, address: other, mac: null }]);
        return () => {
          beacons();
          devices();
        };
      }),
    );
  const [beacons, devices] = [[443, 444].map((port) => `${device} ${listed} ${port}`), [device, other]];
  expect(await raise()).toEqual([...beacons, ...devices]);
  await desk.clock.advance(day - 1);
  expect(await raise()).toEqual([]);
  await desk.clock.advance(1);
  expect(await raise()).toEqual(devices);
  await desk.clock.advance(6 * day - 1);
  expect((await raise()).filter((line) => line.includes(listed))).toEqual([]);
  await desk.clock.advance(1);
  expect((await raise()).filter((line) => line.includes(listed))).toEqual(beacons);
});

test('a known device with a new private MAC is no news; what a first look finds is logged, and nobody is told', async () => {
  await using desk = openDesk();
  const meet = (change: Partial<NewDevice>) =>
    desk.news(desk.raised((writer, detections) => detections.newDevices(writer, [{ ...newcomer, ...change }])));
  expect(await meet({ probably: 'zero' })).toEqual([]);
  expect(desk.state.wakes).toBe(0);
  expect(await meet({ isFirstLook: true })).toEqual([device]);
  expect(desk.put).toEqual([]);
  const named = { mac: '00:00:5e:00:53:02', vendor: 'Example Works', dnsName: 'pad.home', mdnsName: 'pad.local' };
  expect(await meet({ address: other, ...named })).toEqual([other]);
  const words = { srcMac: named.mac, srcVendor: 'Example Works', srcDnsName: 'pad.home', srcMdnsName: 'pad.local' };
  expect(desk.logged).toMatchObject([{ type: 'new_device', ...words, chatSent: 0 }]);
  const key = ['new_device', other, named.mac, desk.clock.now()].join('|');
  expect(desk.put).toMatchObject([{ key, at: desk.clock.now(), title: 'New device' }]);
  expect(desk.state.wakes).toBe(2);
});

test('switches, and whether anybody can be told, say where a detection goes; it is no news later either way', async () => {
  await using desk = openDesk();
  const meet = async (to: typeof everything, isReady: boolean, dst: string) => {
    Object.assign(desk.state, { to, isReady });
    desk.put.length = 0;
    const logged = await desk.news((detections) => detections.threats([contact(device, dst)]));
    return [logged.length, desk.put.length];
  };
  expect(await meet({ chat: true, history: false }, true, '203.0.113.1')).toEqual([0, 1]);
  expect(await meet({ chat: false, history: true }, true, '203.0.113.2')).toEqual([1, 0]);
  expect(await meet(everything, false, '203.0.113.3')).toEqual([1, 0]);
  expect(await meet({ chat: false, history: false }, true, '203.0.113.4')).toEqual([0, 0]);
  for (const last of [1, 2, 3, 4]) {
    expect(await meet(everything, true, `203.0.113.${last}`)).toEqual([0, 0]);
  }
  expect(await meet(everything, true, '203.0.113.5')).toEqual([1, 1]);
  const rows = () => desk.log.db.prepare('SELECT dst, chat_sent AS sent FROM detection ORDER BY id').all();
  await desk.log.db.write((writer) => markChatSent(writer, [desk.put[0]?.key ?? '']));
  const dsts = [2, 3, 5].map((last) => `203.0.113.${last}`);
  const alerts = desk.log.db.prepare('SELECT alert_id FROM detection ORDER BY id').pluck().all();
  expect(desk.joined).toEqual(alerts.map((id) => [id]));
  expect(rows()).toEqual(dsts.map((dst, index) => ({ dst, sent: index === 2 ? 1 : 0 })));
});

test('when there is nothing to tell, no write is waited for and nobody is woken', async () => {
  await using desk = openDesk();
  const release = holdWrites(desk.log.db);
  let isDone = false;
  const done = desk.detections.threats([]).then(() => {
    isDone = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect([isDone, desk.state.wakes]).toEqual([true, 0]);
  await release();
  await done;
});
