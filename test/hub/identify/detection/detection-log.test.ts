// Rows of the detection log on a real database: the words they are written with, and what fills their gaps later.
import { expect, test } from 'vitest';
import type { Threat } from '#contract/model.ts';
import {
  type Detected,
  insertDetection,
  markChatSent,
  readEntry,
  readLabels,
} from '#hub/identify/detection/detection-log.ts';
import { noon, openConnectionLog, seen } from '../../../support/connection-log.ts';

const [src, dst] = ['192.168.1.2', '203.0.113.80'];
const source = { mac: '00:00:5e:00:53:01', vendor: 'Example Works', mdns_name: 'desk.local', dns_name: 'desk.home' };
const known = { srcMac: source.mac, srcVendor: source.vendor, srcMdnsName: 'desk.local', srcDnsName: 'desk.home' };
const place = { country: 'ZZ', city: 'Nowhere', org: 'Example Net' };
const [nobody, nowhere] = [
  { srcMac: null, srcVendor: null, srcMdnsName: null, srcDnsName: null },
  { dstHost: null, country: null, city: null, org: null },
];
const detected: Detected = { type: 'threat', at: noon, src, dst, dport: 443, proto: 'TCP' };
const threat: Threat = {
  ...{ level: 'danger', confidence: 'high', source: 'feed_c2', tag: 'ExampleBot' },
  ...{ matchType: 'ip', matchValue: dst, port: null, url: null },
};

test('words are those of the detection, else those of the dictionaries, else none', async () => {
  await using log = openConnectionLog();
  const words = (change: Partial<Detected> = {}) => readLabels(log.db, { ...detected, ...change });
  expect(words()).toEqual({ ...nobody, ...nowhere });
  await log.record([seen({ src, dst })]);
  expect(words()).toEqual({ ...nobody, ...nowhere });
  const device = { mac: '00:00:5e:00:53:02', vendor: 'Other Works', dnsName: 'pad.home', mdnsName: 'pad.local' };
  const own = { srcMac: device.mac, srcVendor: 'Other Works', srcMdnsName: 'pad.local', srcDnsName: 'pad.home' };
  expect(words({ device })).toEqual({ ...own, ...nowhere });
  await log.describe('source', src, source);
  await log.describe('destination', dst, { host: 'evil.example', ...place });
  const there = { dstHost: 'evil.example', ...place };
  expect(words()).toEqual({ ...known, ...there });
  expect(words({ device })).toEqual({ ...own, ...there });
  const unnamed = { mac: null, vendor: null, dnsName: null, mdnsName: null };
  expect(words({ device: unnamed })).toEqual({ ...known, ...there });
  const { dst: _dst, ...alone } = detected;
  expect(readLabels(log.db, alone)).toEqual({ ...known, ...nowhere });
});

test('a row shows what it was written with; what was learned later fills its gaps', async () => {
  await using log = openConnectionLog();
  await log.record([seen({ src, dst })]);
  const write = (one: Detected, key: string | null) =>
    log.db.write((writer) => insertDetection(writer, one, readLabels(writer, one), key));
  const bare = await write({ type: 'new_device', at: noon, src }, 'first');
  const whole = await write({ ...detected, at: noon + 1, threat, intervalMs: 60_000, obsCount: 9 }, 'second');
  const other = { dst: null, dport: null, proto: null, threatSource: null, threatTag: null, threatConfidence: null };
  const nothing = { ...other, retro: null, alertId: null, alertState: null };
  const first = { id: bare, type: 'new_device', chatSent: 0, src, detectedAt: noon, intervalMs: null, obsCount: null };
  const second = {
    ...{ id: whole, type: 'threat', chatSent: 0, src, detectedAt: noon + 1, intervalMs: 60_000, obsCount: 9 },
    ...{ dst, dport: 443, proto: 'TCP' },
    ...{
      threatSource: 'feed_c2',
      threatTag: 'ExampleBot',
      threatConfidence: 'high',
      retro: null,
      alertId: null,
      alertState: null,
    },
  };
  expect(readEntry(log.db, bare, noon)).toEqual({ ...nobody, ...nowhere, ...nothing, ...first });
  expect(readEntry(log.db, whole, noon)).toEqual({ ...nobody, ...nowhere, ...second });
  await log.describe('source', src, source);
  await log.describe('destination', dst, { host: 'evil.example', ...place });
  expect(readEntry(log.db, bare, noon)).toEqual({ ...known, ...nowhere, ...nothing, ...first });
  expect(readEntry(log.db, whole, noon)).toEqual({ ...known, dstHost: 'evil.example', ...place, ...second });
  const third = await write(detected, null);
  await log.describe('source', src, { ...source, vendor: 'Renamed Works' });
  await log.describe('destination', dst, { org: 'Renamed Net' });
  expect(readEntry(log.db, third, noon)).toMatchObject({ ...known, ...place });
  await log.db.write((writer) => markChatSent(writer, ['second', 'unknown']));
  const sent = [bare, whole, third].map((id) => readEntry(log.db, id, noon).chatSent);
  expect(sent).toEqual([0, 1, 0]);
});
