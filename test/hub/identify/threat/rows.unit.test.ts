// Rows of documents: what is kept of them builds the same tables as their text, and those are what a plain reading gives.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BuildTask, buildAll } from '#hub/identify/threat/build-tables.ts';
import { readDocument } from '#hub/identify/threat/documents.ts';
import type { DocumentName } from '#hub/identify/threat/feed-documents.ts';
import { buildDifference } from '#hub/identify/threat/tables/difference.ts';
import { type DocumentRows, openRows, packRows } from '#hub/identify/threat/tables/rows.ts';
import { listIndicators, type Tables } from '#hub/identify/threat/tables/tables.ts';
import { ascending } from '#kernel/columns/counting-order.ts';
import { c2Csv, dropJson, falsePositivesCsv, iocCsv, urlCsv } from '#simulators/feeds/documents.ts';
import { type GivenRows, parseRows } from '#simulators/feeds/listing.ts';

const now = Date.UTC(2026, 10, 19, 15);
const day = 86_400_000;

// Few values, so that documents list the same things.
const ip = fc.tuple(fc.constantFrom(51, 203), fc.integer({ min: 0, max: 3 })).map(([a, d]) => `${a}.0.113.${d}`);
const ip6 = fc.integer({ min: 1, max: 3 }).map((last) => `2001:db8::${last}`);
const name = fc.constantFrom('bad.example', 'a.bad.example', 'x.github.io', 'www.dropbox.com', 'shop.co.uk');
const port = fc.constantFrom(80, 443);
const socket = fc.oneof(ip, ip6).chain((host) => port.map((at) => `${host.includes(':') ? `[${host}]` : host}:${at}`));
const age = fc.constantFrom(0, 3 * day, 7 * day, 8 * day, 30 * day, 31 * day, 400 * day);
const web = fc.tuple(fc.oneof(ip, name), port).map(([host, at]) => `http://${host}:${at}/i`);
const rows: fc.Arbitrary<Required<GivenRows>> = fc.record({
  c2: fc.array(
    fc.record({ ip, port, online: fc.boolean(), lastOnlineAt: age.map((ms) => now - ms), malware: fc.constant('Bot') }),
  ),
  ioc: fc.array(
    fc.oneof(
      fc.record({ value: socket, confidence: fc.constantFrom(40, 60, 100), compromised: fc.boolean() }),
      fc.record({ value: name, type: fc.constant('domain' as const), confidence: fc.constantFrom(60, 100) }),
    ),
  ),
  url: fc.array(fc.record({ url: web, online: fc.boolean(), addedAt: age.map((ms) => now - ms) })),
  drop: fc.array(
    fc.record({ cidr: fc.constantFrom('203.0.113.0/24', '203.0.113.0/31', '51.0.0.0/8', '2001:db8::/32') }),
  ),
  falsePositives: fc.array(
    fc.oneof(
      fc.record({ type: fc.constant('ip' as const), value: fc.oneof(ip, ip6) }),
      fc.record({ type: fc.constant('ip:port' as const), value: socket }),
      fc.record({ type: fc.constant('domain' as const), value: name }),
      fc.record({ type: fc.constant('url' as const), value: web }),
    ),
    { maxLength: 3 },
  ),
});

function writeTexts(given: Required<GivenRows>): [DocumentName, string][] {
  return [
    ['c2', c2Csv(parseRows('c2', given.c2), now)],
    ['ioc_recent', iocCsv(parseRows('ioc', given.ioc), now)],
    ['ioc_full', iocCsv(parseRows('ioc', [...given.ioc].reverse()), now)],
    ['url', urlCsv(parseRows('url', given.url), now)],
    ['drop_v4', dropJson(parseRows('drop', given.drop), now)],
    ['false_positives', falsePositivesCsv(parseRows('falsePositives', given.falsePositives), now)],
  ];
}

function readRows(part: DocumentName, text: string): DocumentRows {
  const read = readDocument({ part, packed: Buffer.from(text) });
  if ('problem' in read) {
    throw new Error(`${part}: ${read.problem}`);
  }
  return read.rows;
}

/** As SQLite gives it back. */
function copyPacked({ packed }: DocumentRows): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(packed.length));
  copy.set(packed);
  return copy;
}

function createTask(given: Required<GivenRows>, before: Tables | null = null): BuildTask {
  const documents = writeTexts(given).map(([part, text]) => ({ part, rows: readRows(part, text) }));
  return { documents, allowList: [], dropGrade: 1, now, before };
}

/** Of all arrays in it, at any depth. */
function hashArrays(value: object): string {
  const hash = createHash('sha256');
  for (const [key, one] of Object.entries(value)) {
    const isArray = ArrayBuffer.isView(one);
    hash.update(key).update(isArray ? Buffer.from(one.buffer, one.byteOffset, one.byteLength) : '');
    hash.update(isArray || typeof one !== 'object' || one === null ? String(!isArray && one) : hashArrays(one));
  }
  return hash.digest('hex');
}

const toTexts = (tables: Tables) => [...listIndicators(tables)].map((one) => JSON.stringify(one)).sort();

const runs = { numRuns: 50 };

describe('on random documents', () => {
  test('tables of what is kept are those of the texts', () => {
    fc.assert(
      fc.property(rows, (given) => {
        const task = createTask(given);
        const kept = task.documents.map(({ part, rows: read }) => ({ part, rows: openRows(copyPacked(read)) ?? read }));
        expect(kept.every(({ rows: one }, place) => one !== task.documents[place]?.rows)).toBe(true);
        expect(hashArrays(buildAll({ ...task, documents: kept }))).toBe(hashArrays(buildAll(task)));
      }),
      runs,
    );
  });

  test('each thing that is listed and was not taken back is there once a feed and port, by its gravest line', () => {
    fc.assert(
      fc.property(rows, (given) => {
        const listed = [...listIndicators(buildAll(createTask(given)).listed)];
        const found = listed.map(({ feed, value, port: at, exact }) => `${feed} ${value} ${at} ${exact}`);
        expect(found.sort()).toEqual(naive(given).sort());
      }),
      runs,
    );
  });

  test('the difference of two tables is what only one of them has', () => {
    fc.assert(
      fc.property(rows, rows, (one, other) => {
        const before = buildAll(createTask(one)).listed;
        const { listed, changed } = buildAll(createTask(other, before));
        const [old, fresh] = [new Set(toTexts(before)), new Set(toTexts(listed))];
        // What weighs otherwise differs on both sides, and is told once.
        const only = [...[...old].filter((row) => !fresh.has(row)), ...[...fresh].filter((row) => !old.has(row))];
        const differing = new Set(only.map(toKey));
        expect(new Set(changed ? toTexts(changed).map(toKey) : [])).toEqual(differing);
        expect(toTexts(buildDifference(listed, listed))).toEqual([]);
      }),
      runs,
    );
  });
});

const toKey = (json: string) => {
  const { feed, kind, value, port: at } = JSON.parse(json);
  return `${feed} ${kind} ${value} ${at}`;
};

/** Feed, value, port and grade of every entry, from the simulator's rows alone. */
function naive({ c2, ioc, url, drop, falsePositives }: Required<GivenRows>): string[] {
  const back = new Set(falsePositives.map(({ value }) => value));
  const grades = new Map<string, number>();
  const list = (feed: string, value: string, at: number, grade: number, address = '') => {
    const full = value.includes(':') ? `[${value}]:${at}` : `${value}:${at}`;
    if (feed === 'feed_drop' || ![value, full, address].some((one) => back.has(one))) {
      const key = `${feed} ${value} ${at}`;
      grades.set(key, Math.max(grades.get(key) ?? 0, grade));
    }
  };
  const ofMany = (value: string) => value === 'x.github.io' || value === 'www.dropbox.com';
  for (const { ip: value, port: at, online, lastOnlineAt = 0 } of c2) {
    // Feodo Tracker prints the day.
    const age = now - Math.floor(lastOnlineAt / day) * day;
    list('feed_c2', value, at, online || age <= 30 * day ? 2 : 1);
  }
  for (const { value, type, confidence = 100, compromised } of ioc.filter((one) => (one.confidence ?? 100) >= 50)) {
    const isSure = confidence >= 75 && !compromised && !ofMany(value);
    const [, host = '', at = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(value) ?? [];
    list('feed_ioc', type === 'domain' ? value : host, type === 'domain' ? 0 : Number(at), isSure ? 2 : 1);
  }
  for (const { url: address, online, addedAt = 0 } of url) {
    const { hostname, port: at } = new URL(address.replace(':80/', ':8000/'));
    const isName = !/^[\d.]+$/.test(hostname);
    const isFresh = online && now - addedAt <= 7 * day;
    const grade = isName ? (ofMany(hostname) ? 1 : 2) : isFresh ? 2 : 1;
    list('feed_url', hostname, isName ? 0 : at === '8000' ? 80 : Number(at), grade, address);
  }
  for (const { cidr } of drop) {
    list('feed_drop', cidr, 0, 1);
  }
  return [...grades].map(([key, grade]) => `${key} ${grade}`);
}

test('what is no packed rows is none: cut off, too long, of another layout, nothing', () => {
  const { packed } = packRows([
    { feed: 'feed_ioc', kind: 'domain', value: 'größe.example', port: 0, exact: 2, loose: 1, tag: 'ß', url: '' },
  ]);
  const whole = (bytes: Uint8Array) => openRows(copyPacked({ packed: bytes } as DocumentRows));
  expect(whole(packed)?.texts.bytes.length).toBeGreaterThan(0);
  const other = new Uint8Array(packed);
  other[0] = (other[0] ?? 0) + 1;
  for (const bytes of [packed.subarray(0, -1), Buffer.concat([packed, Buffer.alloc(4)]), other, new Uint8Array(0)]) {
    expect(whole(new Uint8Array(bytes))).toBeNull();
  }
});

test('numbers are put in order as they are by comparing them, equal ones as they came', () => {
  const number = fc.oneof(fc.integer({ min: 0, max: 0xffff_ffff }), fc.constantFrom(0, 1, 0xffff, 0x1_0000));
  fc.assert(
    fc.property(fc.array(number), (numbers) => {
      const places = numbers.map((_, place) => place).sort((a, b) => (numbers[a] ?? 0) - (numbers[b] ?? 0) || a - b);
      expect([...ascending(Uint32Array.from(numbers))]).toEqual(places);
    }),
  );
});

test('what readers make of documents is what is kept as theirs: raise `readers` in upkeep.ts when this changes', () => {
  const given: Required<GivenRows> = {
    c2: [
      { ip: '203.0.113.44', port: 443 },
      { ip: '203.0.113.45', port: 80, online: false, lastOnlineAt: now },
    ],
    ioc: [
      { value: '203.0.113.77:8443' },
      { value: 'x.github.io', type: 'domain' },
      { value: 'bad.example', type: 'domain' },
    ],
    url: [
      { url: 'http://203.0.113.1:81/i', addedAt: now - day },
      { url: 'https://files.bad.example/i', addedAt: now },
    ],
    drop: [{ cidr: '192.0.2.0/24' }, { cidr: '2001:db8::/32' }],
    falsePositives: [{ type: 'url', value: 'http://a.example/' }, { value: '203.0.113.9' }],
  };
  const hash = createHash('sha256');
  for (const [part, text] of writeTexts(given)) {
    hash.update(readRows(part, text).packed);
  }
  expect(hash.digest('hex').slice(0, 16)).toBe('475b54dd0e39c2b1');
});
