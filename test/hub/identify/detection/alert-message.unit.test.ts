// What people are told, word by word: each kind of detection, with every fact there is and with none.
import { expect, test } from 'vitest';
import type { Threat } from '#contract/model.ts';
import type { RetroMatch } from '#contract/retro-match.ts';
import { toDetectionEvent } from '#hub/identify/detection/alert-message.ts';
import type { Detected, Labels } from '#hub/identify/detection/detection-log.ts';

const at = 1_790_000_000_000;
const [src, dst] = ['192.168.1.2', '203.0.113.80'];
const none: Labels = {
  ...{ srcMac: null, srcVendor: null, srcMdnsName: null, srcDnsName: null },
  ...{ dstHost: null, country: null, city: null, org: null },
};
const all: Labels = {
  ...{ srcMac: '00:00:5e:00:53:01', srcVendor: 'Example Works', srcMdnsName: 'desk.local', srcDnsName: 'desk.home' },
  ...{ dstHost: 'evil.example', country: 'ZZ', city: 'Nowhere', org: 'Example Net' },
};
const verdict: Threat = {
  ...{ level: 'danger', confidence: 'high', source: 'feed_c2', tag: 'ExampleBot' },
  ...{ matchType: 'ip', matchValue: dst, port: null, url: null },
};

/** The title and the facts, a line each. */
function told(detected: Partial<Detected>, words: Partial<Labels> = {}): string[] {
  const alert = toDetectionEvent('key', { type: 'new_device', at, src, ...detected }, { ...none, ...words });
  expect([alert.key, alert.at]).toEqual(['key', at]);
  return [alert.title, ...alert.facts.map(({ label, value }) => `${label}: ${value}`)];
}

const flow = { dst, dport: 443, proto: 'TCP' };
const where = [`Destination: ${dst}`, 'Service: TCP 443'];
const described = [
  `Device: desk.home ${src}`,
  `Destination: evil.example ${dst}`,
  'Service: TCP 443',
  'Listed by: Feodo Tracker: ExampleBot',
  'Confidence: high',
];
const ends = ['Owner: Example Net, ZZ', 'MAC: 00:00:5e:00:53:01, Example Works'];

test('a threat', () => {
  const bare: Partial<Detected> = { type: 'threat', ...flow, threat: { ...verdict, level: 'warn', tag: null } };
  const [title, listed] = ['Possibly bad destination', ['Listed by: Feodo Tracker', 'Confidence: high']];
  expect(told(bare)).toEqual([title, `Device: ${src}`, ...where, ...listed]);
  expect(told({ ...bare, threat: null })).toEqual([title, `Device: ${src}`, ...where]);
  const whole = told({ type: 'threat', ...flow, threat: verdict }, all);
  expect(whole).toEqual(['Known-bad destination', ...described, ...ends]);
});

test('a retro-match: since when it was contacted, and between which instants it was listed', () => {
  const retro: RetroMatch = {
    ...{ flows: 2, connections: [], firstSeen: at - 259_200_000, lastSeen: at - 1, feed: 'feed_c2', level: 'danger' },
    ...{ cause: 'list', previousAt: at - 7_200_000, listedAt: at, isOngoing: true },
  };
  const match: Partial<Detected> = { type: 'retro_match', ...flow, threat: verdict, retro };
  const seen = ['Contacted: 2026-09-18T14:13:20Z until 2026-09-21T14:13:19Z', 'Connections: 2'];
  const [feed, confidence] = ['Listed by: Feodo Tracker: ExampleBot', 'Confidence: high'];
  const before = [...described.slice(0, 3), ...seen, feed];
  const between = 'Listed: between 2026-09-21T12:13:20Z and 2026-09-21T14:13:20Z';
  const title = 'Contacted before it was listed';
  expect(told(match, all)).toEqual([title, ...before, between, confidence, 'Still active: yes', ...ends]);
  const first: RetroMatch = { ...retro, cause: 'feed_added', previousAt: null, isOngoing: false };
  expect(told({ ...match, retro: first }, all)).toEqual([
    ...[title, ...before, 'Listed: in the first list that the hub loaded, at 2026-09-21T14:13:20Z', confidence],
    ...['Still active: no, no recent contact', ...ends],
  ]);
  const again = told({ ...match, retro: { ...retro, cause: 'settings' } }, all);
  expect(again[0]).toBe('Contacted before its rating changed');
  expect(again).toContain(
    'Listed: since 2026-09-21T14:13:20Z or earlier; new settings or an update changed its rating',
  );
});

test('a new device', () => {
  expect(told({ type: 'new_device' })).toEqual(['New device', `Device: ${src}`]);
  const { dstHost: _dstHost, country: _country, city: _city, org: _org, ...words } = all;
  expect(told({ type: 'new_device' }, words)).toEqual(['New device', `Device: desk.home ${src}`, ends[1]]);
});

test('a beacon', () => {
  const beacon: Partial<Detected> = { type: 'beacon', ...flow, intervalMs: 300_000, obsCount: 9 };
  const every = 'Every: 5 min, seen 9 times';
  expect(told({ ...beacon, threat: null })).toEqual(['Regular beacon', `Device: ${src}`, ...where, every]);
  const whole = told({ ...beacon, threat: verdict }, all);
  expect(whole).toEqual(['Regular beacon to a listed destination', ...described, every, ...ends]);
});

test.each<[words: Partial<Labels>, line: string]>([
  [{ srcDnsName: 'desk.home' }, `Device: desk.home ${src}`],
  [{ srcMdnsName: 'desk.local' }, `Device: desk.local ${src}`],
  [{ dstHost: 'evil.example' }, `Destination: evil.example ${dst}`],
  [{ org: 'Example Net' }, 'Owner: Example Net'],
  [{ country: 'ZZ' }, 'Owner: ZZ'],
  [{ srcMac: '00:00:5e:00:53:01' }, 'MAC: 00:00:5e:00:53:01'],
])('of %j: %s', (words, line) => {
  const lines = told({ type: 'threat', ...flow }, words);
  expect(lines).toContain(line);
  expect(lines.filter((one) => one.startsWith(line.slice(0, line.indexOf(':'))))).toEqual([line]);
});

test('what is known of neither end is not told: a vendor without its MAC, a city', () => {
  expect(told({ type: 'new_device' }, { srcVendor: 'Example Works', city: 'Nowhere' })).toHaveLength(2);
});

test.each([
  ['feed_c2', 'Feodo Tracker'],
  ['feed_ioc', 'ThreatFox'],
  ['feed_url', 'URLhaus'],
  ['feed_drop', 'Spamhaus DROP'],
] as const)('%s is %s', (source, name) => {
  const lines = told({ type: 'threat', ...flow, threat: { ...verdict, source, confidence: 'low' } });
  expect(lines).toEqual(expect.arrayContaining([`Listed by: ${name}: ExampleBot`, 'Confidence: low']));
});

test.each([
  [44_600, '45 s'],
  [119_499, '119 s'],
  [119_500, '2 min'],
  [5_400_000, '90 min'],
  [7_199_499, '120 min'],
  [7_199_500, '2 h'],
  [9_000_000, '2.5 h'],
  [14_400_000, '4 h'],
])('%i ms are %s', (intervalMs, words) => {
  expect(told({ type: 'beacon', intervalMs, obsCount: 8 })).toContain(`Every: ${words}, seen 8 times`);
});
