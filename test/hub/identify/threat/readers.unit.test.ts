// What the readers of feeds are made of, case by case: tables, times, archives, addresses, ranges and names.
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parseListedAddress, parseListedIp, parseListedName, parseListedRange } from '#hub/identify/threat/address.ts';
import { readCsv } from '#hub/identify/threat/feeds/csv.ts';
import { parseFeodo } from '#hub/identify/threat/feeds/feodo.ts';
import { parseFeedTime } from '#hub/identify/threat/feeds/time.ts';
import { pack, unpack } from '#hub/identify/threat/feeds/unpack.ts';
import { summarizeJudgement } from '#hub/identify/threat/judged.ts';
import { createZip } from '#simulators/feeds/zip.ts';

describe('a table', () => {
  const readRows = (lines: readonly string[]) => {
    const table = readCsv(`${['# a comment', '', '"a", "b"', ...lines].join('\n')}\n`, ['b'], ['c']);
    return 'problem' in table ? table : Array.from(table.rows, (row) => row && [...row]);
  };

  test.each([
    ['1,2', ['2', '']],
    ['"1","2"', ['2', '']],
    [' "1" ,"2"', null],
    ['"1",  "2"\r', ['2', '']],
    ['"1","2, ""two"""', ['2, "two"', '']],
    ['"1",""', ['', '']],
    ['1,', ['', '']],
    ['"1","2', null],
    ['"1","2"x', null],
    ['"1"x"2"', null],
    ['1', null],
    ['1,2,3', null],
  ])('of the line %s', (line, cells) => {
    expect(readRows([line])).toEqual([cells]);
  });

  test('leaves comments and empty lines out', () => {
    expect(readRows(['1,2', '', '\r', '# 3,4', '5,6'])).toEqual([
      ['2', ''],
      ['6', ''],
    ]);
  });

  test.each([
    ['a,b\n1,2', 'it ends in the middle of a line'],
    ['1,2\na,b\n', 'no header with the columns b'],
    ['# nothing\n', 'no header with the columns b'],
    ['', 'no header with the columns b'],
  ])('is none: %j', (text, problem) => {
    expect(readCsv(text, ['b'])).toEqual({ problem });
  });

  test.each([
    ['# END 2 \n\n', 'END 2'],
    ['1,2\n', ''],
    ['1,2\n#\n', ''],
  ])('ends with its trailer: %j', (end, says) => {
    const table = readCsv(`a,b\n${end}`, ['b']);
    expect('trailer' in table && table.trailer).toBe(says);
  });
});

test.each([
  ['2026-11-19', Date.UTC(2026, 10, 19)],
  ['2026-11-19 14:28:39', Date.UTC(2026, 10, 19, 14, 28, 39)],
  ['2026-11-19T14:28:39 UTC', Date.UTC(2026, 10, 19, 14, 28, 39)],
  ['2026-11-19 09:08:07', Date.UTC(2026, 10, 19, 9, 8, 7)],
  ['2026-11-19 14-28:39', Date.UTC(2026, 10, 19)],
  ['2026-11-19 14:28-39', Date.UTC(2026, 10, 19)],
  ['2026-11-19 1x:28:39', Date.UTC(2026, 10, 19)],
  ['2026-11-19 14:x8:39', Date.UTC(2026, 10, 19)],
  ['2026-11-19 14:28:3', Date.UTC(2026, 10, 19)],
  ['2026-11-19x14:28:39', Date.UTC(2026, 10, 19)],
  ['2026/11-19', null],
  ['2026-11/19', null],
  ['202x-11-19', null],
  ['2026-1x-19', null],
  ['2026-11-1:', null],
  ['2026-11-/9', null],
  ['', null],
])('the time %s', (text, at) => {
  expect(parseFeedTime(text)).toBe(at);
});

test('Feodo Tracker: rows without an address or a port are bad; a server never seen online is a warning that does not age', () => {
  const header = 'dst_ip,dst_port,c2_status,last_online,malware';
  const rows = ['10.0.0.1,1,online,,A', '192.0.2.1,port,online,,B', '"192.0.2.1', '192.0.2.2,80,offline,never,C'];
  const found: object[] = [];
  const parsed = parseFeodo(`${[header, ...rows, '# END 4 entries'].join('\n')}\n`, (one) => found.push(one));
  expect(parsed).toEqual({ rows: 4, bad: 3 });
  expect(found).toMatchObject([{ value: '192.0.2.2', port: 80, exact: 1, loose: 1, freshUntil: null, tag: 'C' }]);
  expect(parseFeodo(`${header}\n`, () => undefined)).toEqual({ problem: 'it has 0 rows, and its end says nothing' });
  expect(parseFeodo('nothing\n', () => undefined)).toEqual({ problem: expect.stringMatching(/^no header with/) });
});

describe('an archive', () => {
  const text = 'x'.repeat(100);
  const whole = () => createZip('a.csv', Buffer.from(text));
  const end = whole().length - 22;
  const directory = whole().readUInt32LE(end + 16);
  const changed = (change: (bytes: Buffer) => void) => {
    const bytes = Buffer.from(whole());
    change(bytes);
    return unpack(bytes, 100);
  };
  const problem = (says: string) => ({ problem: says });

  test.each<[string, (bytes: Buffer) => unknown, string]>([
    ['of two files', (bytes) => bytes.writeUInt16LE(2, end + 10), 'it is no archive of one file'],
    ['without an end', (bytes) => bytes.writeUInt32LE(0, end), 'it is no archive of one file'],
    [
      'whose directory lies elsewhere',
      (bytes) => bytes.writeUInt32LE(directory + 1, end + 16),
      'its archive has no directory',
    ],
    [
      'whose directory lies beyond',
      (bytes) => bytes.writeUInt32LE(0xffff_0000, end + 16),
      'its archive has no directory',
    ],
    ['packed in another way', (bytes) => bytes.writeUInt16LE(12, directory + 10), 'its archive is damaged'],
    ['with another checksum', (bytes) => bytes.writeUInt32LE(1, directory + 16), 'its archive is damaged'],
  ])('%s is none', (_what, change, says) => {
    expect(changed(change)).toEqual(problem(says));
  });

  test('may be stored as it is, and is no longer than the limit', () => {
    const name = Buffer.from('a.csv');
    const packedLength = directory - 30 - name.length;
    const stored = Buffer.concat([
      whole().subarray(0, 30 + name.length),
      Buffer.from(text),
      whole().subarray(directory),
    ]);
    const moved = stored.length - whole().length;
    expect(moved).toBe(text.length - packedLength);
    stored.writeUInt32LE(directory + moved, end + moved + 16);
    stored.writeUInt16LE(0, directory + moved + 10);
    stored.writeUInt32LE(text.length, directory + moved + 20);
    expect(unpack(stored, 100)).toEqual({ text });
    expect(unpack(stored, 99)).toEqual(problem('its archive is damaged'));
    stored.writeUInt16LE(12, directory + moved + 10);
    expect(unpack(stored, 100)).toEqual(problem('its archive is damaged'));
    expect(unpack(whole().subarray(0, 21), 100)).toEqual(problem('it is no archive of one file'));
  });

  test('is told from text by its first bytes, and kept as it is', async () => {
    for (const plain of ['', 'a', 'PK', 'PK\u0003\u0004', '\u001f']) {
      expect(unpack(Buffer.from(plain), 100)).toEqual({ text: plain });
    }
    for (const packed of [whole(), gzipSync(text)]) {
      expect(await pack(packed)).toBe(packed);
    }
    for (const plain of [text, 'Px', 'xK', '\u001fx']) {
      const packed = await pack(Buffer.from(plain));
      expect([...packed.subarray(0, 2)]).toEqual([0x1f, 0x8b]);
      expect(unpack(packed, 100)).toEqual({ text: plain });
    }
  });
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['0.1.2.3', null],
  ['1.0.0.0', '1.0.0.0'],
  ['9.255.255.255', '9.255.255.255'],
  ['10.0.0.0', null],
  ['10.255.255.255', null],
  ['11.0.0.0', '11.0.0.0'],
  ['223.255.255.255', '223.255.255.255'],
  ['224.0.0.0', null],
  ['255.255.255.255', null],
  ['010.1.2.3', null],
  ['192.0.02.1', null],
  ['192.0.0.1', '192.0.0.1'],
  ['[2001:DB8::1]', '2001:db8::1'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1', null],
  ['::1', null],
  ['fe80::1', null],
  ['fd00::1', null],
  ['ff02::1', null],
  ['name.example', null],
])('the listed address %s', (text, ip) => {
  expect(parseListedIp(text)).toBe(ip);
});

test.each([
  ['192.0.2.9/24', '192.0.2.0/24'],
  ['192.0.2.9/32', '192.0.2.9/32'],
  ['51.1.2.3/8', '51.0.0.0/8'],
  ['50.0.0.0/7', null],
  ['192.0.2.9/33', null],
  ['192.0.2.9/', null],
  ['192.0.2.9', null],
  ['192.0.2.9/0024', null],
  ['x192.0.2.9/24', null],
  ['192.0.2.0/24/24', null],
  ['172.0.0.0/8', null],
  ['2600:1::/16', '2600::/16'],
  ['2600::/15', null],
  ['2600::1/128', '2600::1/128'],
  ['2600::1/129', null],
  ['fe80::/16', null],
  ['::ffff:192.0.2.0/24', null],
  ['::ffff:192.0.2.0/120', null],
])('the listed range %s', (text, range) => {
  expect(parseListedRange(text)).toBe(range);
  expect(parseListedAddress(text)).toEqual(
    range === null ? (text === '192.0.2.9' ? { kind: 'ip', value: text } : null) : { kind: 'cidr', value: range },
  );
});

const label = 'a'.repeat(63);
test.each([
  ['Bad.Example.', 'bad.example'],
  ['_dmarc.bad-x.example', '_dmarc.bad-x.example'],
  ['a.b2', 'a.b2'],
  [`${label}.example`, `${label}.example`],
  [`a${label}.example`, null],
  ['example', null],
  ['.example', null],
  ['a..example', null],
  ['-a.example', null],
  ['a-.example', null],
  ['a.example-', null],
  ['a.1example', null],
  ['192.0.2.1', null],
  ['a b.example', null],
  [`${`${label}.`.repeat(3)}${'b'.repeat(61)}`, `${`${label}.`.repeat(3)}${'b'.repeat(61)}`],
  [`${`${label}.`.repeat(3)}${'b'.repeat(62)}`, null],
])('the listed name %s', (text, name) => {
  expect(parseListedName(text)).toBe(name);
});

describe('safe was judged', () => {
  const feed = (name: string, state: string, fetchedAt: number | null = 1) => ({ name, state, fetchedAt }) as never;
  test.each([
    ['by all', [feed('A', 'ok'), feed('B', 'empty')], 'full', null, ''],
    ['without one that is off', [feed('A', 'disabled'), feed('B', 'ok')], 'partial', 'feeds_missing', 'not used: A;'],
    ['without one that never came', [feed('A', 'stale', null)], 'partial', 'feeds_missing', 'not used: A;'],
    ['by old ones', [feed('A', 'stale'), feed('B', 'unauthorised')], 'partial', 'feeds_stale', 'data of A, B is'],
  ])('%s', (_what, feeds, judged, reason, says) => {
    const found = summarizeJudgement({ reason: null, feeds });
    expect([found.judged, found.judgedWhy?.reason ?? null]).toEqual([judged, reason]);
    expect(found.judgedWhy?.message ?? '').toContain(says);
  });
});
