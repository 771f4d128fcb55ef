// The documents for Agents: when they are made anew, what is in them, and which tags stand for them.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDocuments } from '#hub/collect/agents/documents.ts';
import type { Indicator } from '#hub/identify/threat/indicator.ts';
import { type ReadyJson, readJsonText } from '#kernel/http/ready-body.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const { signal } = new AbortController();

function openDocuments(indicators: readonly Indicator[] = []) {
  const clock = new ManualClock();
  const state = { available: true, version: '1', fetchedAt: 1000 as number | null };
  const counts = { reads: 0, builds: 0 };
  const places = { entries: [['192.0.2.1', 1, 2, 'NL', null]] as unknown[] };
  const documents = createDocuments({
    clock,
    readers: {
      reads: {
        async ask() {
          counts.reads += 1;
          return { bytes: Buffer.from(JSON.stringify(places)) };
        },
      },
    } as never,
    threat: {
      state: () => state,
      indicators() {
        counts.builds += 1;
        return indicators;
      },
    },
  });
  const get = async (which: 'geo' | 'threats', ifNoneMatch?: string) => {
    const answer = await documents[which](ifNoneMatch, signal);
    const { ETag: tag = '' } = answer.headers ?? {};
    const body = 'bytes' in answer ? JSON.parse(readJsonText(answer as ReadyJson<unknown>)) : null;
    return { tag, body };
  };
  return { clock, state, counts, places, get };
}

test('places are read again after a minute, and keep their tag and their date while they are the same', async () => {
  const { clock, counts, places, get } = openDocuments();
  const first = await get('geo');
  expect(first).toEqual({
    tag: expect.stringMatching(/^W\/"[0-9a-f]{32}"$/),
    body: { schemaVersion: 1, generatedAt: new Date(clock.now()).toISOString(), ...places },
  });
  await clock.advance(59_999);
  expect([await get('geo'), counts.reads]).toEqual([first, 1]);
  await clock.advance(1);
  expect([await get('geo'), counts.reads]).toEqual([first, 2]);
  // What was the same is fresh for another minute.
  await clock.advance(59_999);
  expect([await get('geo'), counts.reads]).toEqual([first, 2]);
  places.entries.push(['192.0.2.2', 3, 4, 'NL', null]);
  await clock.advance(1);
  const second = await get('geo', first.tag);
  expect(second.body).toEqual({ schemaVersion: 1, generatedAt: new Date(clock.now()).toISOString(), ...places });
  expect(second.tag).not.toBe(first.tag);
  // The clock was put back: nobody knows how old it is.
  clock.put(clock.now() - 1);
  await get('geo');
  expect(counts.reads).toBe(4);
});

test('indicators are collected again when their state has changed, and at no other time', async () => {
  const { clock, state, counts, get } = openDocuments();
  const first = await get('threats');
  await clock.advance(3_600_000);
  expect([await get('threats'), counts.builds]).toEqual([first, 1]);
  state.version = '2';
  // Made anew, of the same content: the tag tells the content, not when it was made.
  expect([(await get('threats')).tag, counts.builds]).toEqual([first.tag, 2]);
  state.fetchedAt = 2000;
  const later = await get('threats');
  expect([later.body.fetchedAt, later.tag === first.tag, counts.builds]).toEqual([
    '1970-01-01T00:00:02.000Z',
    false,
    3,
  ]);
  state.fetchedAt = null;
  expect([(await get('threats')).body.fetchedAt, counts.builds]).toEqual([null, 4]);
  Object.assign(state, { available: false, fetchedAt: 2000 });
  const without = await get('threats');
  expect(without.body).toMatchObject({ available: false, fetchedAt: null, ips: [], domains: [], cidrs: [] });
  expect(counts.builds).toBe(4);
});

const indicator: fc.Arbitrary<Indicator> = fc.record({
  feed: fc.constantFrom('feed_c2', 'feed_ioc'),
  kind: fc.constant('ip' as const),
  value: fc.constantFrom('192.0.2.1', '192.0.2.2', '192.0.2.3'),
  port: fc.constant(0),
  exact: fc.constantFrom(0, 1, 2),
  loose: fc.constant(0),
  tag: fc.constantFrom('', 'botnet'),
  url: fc.constant(''),
});

test('each value and feed has one row, with the highest confidence of those that are listed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(indicator, { maxLength: 12 }), async (indicators) => {
      const best = new Map<string, Indicator>();
      for (const one of indicators) {
        const key = `${one.value} ${one.feed}`;
        best.set(key, (best.get(key)?.exact ?? -1) >= one.exact ? (best.get(key) as Indicator) : one);
      }
      const rows = [...best.values()].map(({ value, feed, tag, exact }) => [
        ...[value, feed, tag || null, exact === 2 ? 'high' : 'low'],
      ]);
      const { body } = await openDocuments(indicators).get('threats');
      expect(body.ips).toEqual(rows);
    }),
  );
  const kinds = ['ip', 'domain', 'cidr'] as const;
  const one = { feed: 'feed_c2', port: 0, exact: 2, loose: 0, tag: '', url: '' } as const;
  const many = Array.from({ length: 3000 }, (_, at) => ({ ...one, kind: kinds[at % 3] ?? 'ip', value: `v${at}` }));
  const { get } = openDocuments(many);
  const turns = { count: 0 };
  const count = () => {
    turns.count += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const { body } = await get('threats');
  clearImmediate(next);
  expect([body.ips.length, body.domains.length, body.cidrs.length]).toEqual([1000, 1000, 1000]);
  // Others have a turn after every 2,000 of the indicators, and of the rows made from them.
  expect(turns.count).toBe(3);
});

test.each([
  ['*', true],
  [' * ', true],
  ['TAG', true],
  ['W/TAG', true],
  ['"other", W/TAG', true],
  ['W/"other" , TAG ', true],
  ['"other"', false],
  ['', false],
  ['xW/TAG', false],
  // The weakness stands before the quotes.
  ['"W/BARE', false],
  ['*, "other"', false],
])('If-None-Match %s', async (header, isListed) => {
  const { get } = openDocuments();
  const opaque = (await get('geo')).tag.replace('W/', '');
  const { body } = await get('geo', header.replace('TAG', opaque).replace('BARE', opaque.slice(1)));
  expect(body === null).toBe(isListed);
});
