// What an answer states is compared with the facts: what they hold is verified, what they do not hold is not.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findCitations } from '#hub/analyse/ai/citations/citations.ts';
import { buildContext } from '#hub/analyse/insights/context.ts';
import type { Context } from '#hub/analyse/insights/context-shape.ts';
import { worlds } from '../../../support/ai-worlds.ts';
import { verifies } from '../../../support/verifies.ts';

const contexts = worlds.map(({ input }) => buildContext(input));

/** Every value of the facts but the names of their members. */
function listValues(value: unknown): (string | number)[] {
  if (typeof value === 'object' && value !== null) {
    return Object.values(value).flatMap(listValues);
  }
  return typeof value === 'string' || typeof value === 'number' ? [value] : [];
}

/** As people write numbers. */
const spellings: readonly ((value: number) => string)[] = [
  String,
  (value) => value.toLocaleString('en-US', { maximumFractionDigits: 20 }),
  (value) => value.toLocaleString('en-US', { maximumFractionDigits: 20 }).replaceAll(',', '\u202f'),
  (value) => String(value).replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)),
];
const sentences: readonly ((value: string) => string)[] = [
  (value) => `There is “${value}”, twice as often as before.`,
  (value) => `この期間には「${value}」がありました。`,
  (value) => `first line\n- seen: ${value}\n`,
  (value) => `Seen (${value}) here`,
];

/** As many sentences as a test reads at once. */
const paragraph = 150;

verifies('rest.ai-citations.compared', 'every value of the facts in a sentence is verified, at its place', () => {
  fc.assert(
    fc.property(contexts, fc.nat(), (context, seed) => {
      const said = listValues(context).map((value, at) => {
        const sentence = sentences[(seed + at) % sentences.length] ?? String;
        const spelling = spellings[(seed + at * 7) % spellings.length] ?? String;
        return { value, text: sentence(typeof value === 'number' ? spelling(value) : value) };
      });
      for (let first = 0; first < said.length; first += paragraph) {
        const part = said.slice(first, first + paragraph);
        const text = part.map((one) => one.text).join('\n\n');
        const citations = findCitations(text, context);
        expect(citations.filter(({ verified }) => !verified)).toEqual([]);
        expect(citations.map(({ start, end }) => text.slice(start, end))).toEqual(citations.map((one) => one.text));
        let at = 0;
        for (const one of part) {
          const cited = citations.filter(({ start }) => start >= at && start < at + one.text.length);
          expect([one.text, cited.length]).toEqual([one.text, typeof one.value === 'number' ? 1 : cited.length]);
          at += one.text.length + 2;
        }
      }
    }),
    { numRuns: 200 },
  );
});

verifies(
  'rest.ai-citations.made-up',
  'an address, a host name and a number that are not in the facts are not verified',
  () => {
    const made = fc.record({
      v4: fc.nat({ max: 254 }).map((last) => `100.99.98.${last}`),
      v6: fc.integer({ min: 1, max: 0xffff }).map((last) => `3fff:99::${last.toString(16)}`),
      card: fc.nat({ max: 99 }).map((last) => `06:99:99:99:99:${String(last).padStart(2, '0')}`),
      host: fc.nat({ max: 9999 }).map((part) => `made-up-${part}.invalid`),
      number: fc.integer({ min: 100_000_000, max: 999_999_999 }),
    });
    fc.assert(
      fc.property(contexts, made, fc.nat(), (context, { v4, v6, card, host, number }, seed) => {
        const spelling = spellings[seed % spellings.length] ?? String;
        const values = [v4, v6, card, host, spelling(number)];
        const text = values.flatMap((value) => sentences.map((sentence) => sentence(value))).join('\n\n');
        const kinds = ['address', 'address', 'address', 'host', 'number'] as const;
        const expected = values.flatMap((value, at) =>
          sentences.map(() => ({ kind: kinds[at], text: value, verified: false })),
        );
        expect(findCitations(text, context)).toMatchObject(expected);
      }),
      { numRuns: 100 },
    );
  },
);

test('any text is read without an error, and citations neither overlap nor lie', () => {
  fc.assert(
    fc.property(
      contexts,
      fc.string({ unit: 'binary', maxLength: 500 }),
      fc.string({ maxLength: 500 }),
      (context, one, other) => {
        for (const text of [one, other]) {
          let last = 0;
          for (const { start, end, text: cited } of findCitations(text, context)) {
            expect(start).toBeGreaterThanOrEqual(last);
            expect(end).toBeGreaterThan(start);
            expect(cited).toBe(text.slice(start, end));
            last = end;
          }
        }
      },
    ),
    { numRuns: 300 },
  );
});

const counts = { connections: 1204, devices: 12, destinations: 340, safe: 1190, warn: 9, danger: 5 };
const context: Context = {
  schemaVersion: 3,
  sourceScope: null,
  range: { from: '2026-11-24T09:00:00.000Z', to: '2026-11-25T09:00:00.000Z', hours: 24 },
  previousRange: { from: '2026-11-23T09:00:00.000Z', to: '2026-11-24T09:00:00.000Z', hours: 20 },
  collection: { health: 'ok', enabledRouters: 2, readyRouters: 2, routerKinds: ['vendor_a'] },
  current: counts,
  previous: { connections: 963, devices: 11, destinations: 300, safe: 960, warn: 3, danger: 0 },
  topServices: [{ port: 443, protocol: 'TCP', connections: 800 }],
  topDestinations: [
    { ip: '203.0.113.9', host: 'cdn.shop.example', org: 'Example Net', country: 'JP', connections: 301 },
  ],
  threats: [
    { ip: '2001:db8::9', host: null, connections: 5, level: 'danger', source: 'feed_c2', tag: 'Bot', devices: [] },
  ],
  deviceInventory: {
    ...{ totalKnown: 30, includedActiveInRange: 1, included: 1 },
    devices: [
      {
        ...{ ip: '192.168.1.20', name: 'リビングTV-2', mac: '02:00:00:00:00:2a', vendor: 'Maker', ipv6: null },
        ...{ firstSeen: '2026-11-01T00:00:00.000Z', lastSeen: '2026-11-25T08:00:00.000Z', sources: ['dhcp'] },
        ...{ status: 'active', connections: 77 },
      },
    ],
  },
  limits: { observedPercent: 97.12, previousObservedPercent: 99.5, judged: 'full', judgedWhy: null, shortened: [] },
  privacy: { notSent: [] },
};

/** What is cited of a text: `=` before what is verified, `?` before what is not. */
const marked = (text: string) =>
  findCitations(text, context).map(({ text: cited, verified }) => `${verified ? '=' : '?'}${cited}`);

test.each([
  // Numbers, as they are written.
  [
    '1,204 connections, 1 204, 1\u202f204, 1204, １，２０４ and ＋１２',
    ['=1,204', '=1 204', '=1\u202f204', '=1204', '=１，２０４', '=１２'],
  ],
  ['1,205 connections and 1 205', ['?1,205', '?1 205']],
  ['about 1.2k, 0.12万 and 3k', ['=1.2', '=0.12', '?3']],
  ['ports 443,800 on TCP', ['=443', '=800']],
  ['the port 443/TCP and 203.0.113.9:443', ['=443', '=203.0.113.9', '=443']],
  ['port 8443', ['?8443']],
  // What follows from two numbers of the facts.
  ['241 more (+25 %), 25.0%, 25.03 percent, 26%', ['=241', '=25', '=25.0', '=25.03', '?26']],
  ['警告は3倍、検出は14件', ['=3', '=14']],
  ['97 % were observed, 97.1%, 2.9 % were not; 97.9 %', ['=97', '=97.1', '=2.9', '?97.9']],
  ['97 and 97.1, not 97.2 or 96; 100, not 101', ['=97', '=97.1', '?97.2', '?96', '=100', '?101']],
  ['97.5% or 25 more', ['?97.5', '?25']],
  ['1.25x, 1.3 times, 0.80x; not 1.4x, nor 1.25', ['=1.25', '=1.3', '=0.80', '?1.4', '?1.25']],
  ['25% of them went to cdn.shop.example', ['=25', '=cdn.shop.example']],
  // The period and other times.
  ['In 24 hours, 1 day, 24h, 1440 min, 24時間, 1日間', ['=24', '=1', '=24', '=1440', '=24', '=1']],
  ['for 24.4 hours, not 24.6 hours; for 24.4 of them', ['=24.4', '?24.6', '?24.4']],
  ['in the last 48 hours and 8 weeks', ['?48', '?8']],
  ['On 2026-11-24 at 09:30, 2026年11月24日 9時30分, Nov 24, 2026, 24 November, 25日, 5 pm, UTC+9', []],
  // What only numbers things.
  ['1. First\n2) Second\n- 3. Third\n**4.** x\n(5) y\n第6に 7つ目 8位 top 99 #98 step 97', []],
  ['IPv4, IPv6, TLS 1.3, RFC 1918, SHA-256, HTTP/2, Wi-Fi 6, v1.22.3, CVE-2026-1234, 3rd, MP4, feed_c2', []],
  // Addresses and host names.
  ['2001:DB8:0:0::9, [2001:db8::9]:443, 2001:db8::8.', ['=2001:DB8:0:0::9', '=2001:db8::9', '=443', '?2001:db8::8']],
  [
    '192.168.1.20, 192.168.1.20/24, 192.168.1.2, 300.1.2.3',
    ['=192.168.1.20', '=192.168.1.20/24', '?192.168.1.2', '?300.1.2.3'],
  ],
  [
    '02:00:00:00:00:2A, 02-00-00-00-00-2a, 02:00:00:00:00:2b',
    ['=02:00:00:00:00:2A', '=02-00-00-00-00-2a', '?02:00:00:00:00:2b'],
  ],
  [
    '203[.]0[.]113[.]9 and CDN.shop.example. Also shop.example, op.example',
    ['=203[.]0[.]113[.]9', '=CDN.shop.example', '=shop.example', '?op.example'],
  ],
  ['[.]evil.example, a[.]evil[.]example', ['?evil.example', '?a[.]evil[.]example']],
  ['hxxps://cdn.shop[.]example/a/99?b=98 and https://evil.example/77', ['=cdn.shop[.]example', '?evil.example']],
  ['リビングTV-2はcdn.shop.exampleへ、evil.exampleへ', ['=リビングTV-2', '=cdn.shop.example', '?evil.example']],
  ['e.g. the end.The next, i.e. this, U.S. and a.m.', []],
])('%j', (text, expected) => {
  expect(marked(text)).toEqual(expected);
});

test('of more than a thousand statements the first thousand are compared', () => {
  expect(findCitations('77; '.repeat(1001), context)).toHaveLength(1000);
});

test.each([
  [999, '?1'],
  [1000, '=1'],
  [1500, '=1'],
  [1501, '?1'],
])('"1k" may round what has as many digits: of %i connections it is %s', (connections, expected) => {
  const same = { connections, devices: 1, destinations: 1, safe: 1, warn: 0, danger: 0 };
  const small = {
    ...context,
    current: same,
    previous: same,
    topServices: [],
    range: { ...context.range, hours: 1848 },
  };
  const [cited, weeks] = findCitations('1k in 11 weeks', small).map(
    ({ text, verified }) => `${verified ? '=' : '?'}${text}`,
  );
  expect([cited, weeks]).toEqual([expected, '=11']);
});

test('a whole number is compared to its last digit, however large it is', () => {
  const same = { ...counts, connections: 5_000_000_000 };
  const busy = { ...context, current: same, previous: same };
  const cited = findCitations('5,000,000,000, not 5,000,000,003', busy);
  expect(cited.map(({ text, verified }) => [text, verified])).toEqual([
    ['5,000,000,000', true],
    ['5,000,000,003', false],
  ]);
});
