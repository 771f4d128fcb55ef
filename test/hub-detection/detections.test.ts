// What is news, to the millisecond: detections on a real database, without routers and without HTTP.
import { expect, test } from 'vitest';
import type { DetectionEntry } from '#contract/detection.ts';
import type { Threat } from '#contract/model.ts';
import { createOutbox } from '#hub/chat/outbox.ts';
import { markChatSent } from '#hub/detection/detection-log.ts';
import { createDetections, type Detections, type NewBeacon, type Raising } from '#hub/detection/detections.ts';
import type { NewDevice } from '#hub/devices/new-device.ts';
import type { Writer } from '#kernel/sqlite.ts';
import { openConnectionLog } from '../support/connection-log.ts';
import { ManualClock } from '../support/manual-clock.ts';

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

function openDesk() {
  const log = openConnectionLog();
  const clock = new ManualClock();
  const logged: DetectionEntry[] = [];
  const outbox = createOutbox(log.db, markChatSent);
  const detections = createDetections({
    db: log.db,
    clock,
    settings: () => ({ threat: everything, newDevice: everything, beacon: everything }),
    chat: { isReady: () => true, cooldownMs: () => cooldownMs, put: outbox.put, wake: () => undefined },
    onLogged: (entry) => logged.push(entry),
  });
  return {
    ...{ log, clock, detections },
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
  expect(await desk.news((detections) => detections.threats([]))).toEqual([
    `10.0.0.1 ${second} 443`,
    `10.0.0.0 ${second} 443`,
  ]);
});

test('a beacon is news once in a week, a new device once in a day', async () => {
  await using desk = openDesk();
  const beacon: NewBeacon = {
    ...{ src: device, dst: listed, dport: 443, proto: 'TCP', threat: null, intervalMs: 20 * minute, obsCount: 9 },
  };
  const found: NewDevice = {
    ...{ deviceId: 'one', address: device, mac: '00:00:5e:00:53:01', vendor: null, dnsName: null, mdnsName: null },
    ...{ firstSeen: desk.clock.now(), probably: null, isFirstLook: false },
  };
  const raise = () =>
    desk.news(
      desk.raised(function* (writer, detections) {
        const beacons = yield* detections.beacons(writer, [beacon, { ...beacon, dport: 444 }]);
        const devices = yield* detections.newDevices(writer, [found, { ...found, address: other, mac: null }]);
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
