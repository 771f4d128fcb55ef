// What is replaced in the output of routers: every form in which they print addresses, MACs, names and secrets.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { anonymiseTexts } from '#capture/anonymise.ts';
import { findLeaks } from '#capture/leaks.ts';
import { root } from '../../scripts/sources.ts';

function replaced(text: string, words = { names: ['edge-rtr1'], secrets: ['s3cret-word'] }, isCut = false) {
  const { texts, replacements } = anonymiseTexts([{ bytes: Buffer.from(text, 'latin1'), isCut }], words);
  return { text: texts[0]?.toString('latin1') ?? '', replacements };
}

/** Text → what must not be in it any more. */
const cases: Record<string, readonly [text: string, gone: readonly string[]]> = {
  'an address with a port behind a colon': ['tcp 203.0.113.24:60178 x', ['203.0.113.24']],
  'an address with a port behind a dot': [
    'TCP  192.168.100.23.50211  203.0.113.80.443  312',
    ['192.168.100.23', '203.0.113.80'],
  ],
  'cells that run into each other': ['tcp 203.0.113.24:1024192.168.100.2:1024', ['203.0.113.24', '192.168.100.2']],
  'IPv6 in capitals': ['2001:DB8:100:0:12CF:1EDE:FA75:B7C4   97', ['2001:DB8:100:0:12CF:1EDE:FA75:B7C4']],
  'IPv6 with its zone': ['fe80::200:5eff:fe00:5300%LAN1', ['5eff:fe00:5300']],
  'a MAC with colons': ['00:00:5e:00:53:1a permanent', ['00:53:1a']],
  'a MAC with dots': ['0000.5e00.531a  ARPA', ['5e00.531a']],
  'a client behind its lease': [
    '192.168.100.3       0100.005e.0053.01       Mar 02',
    ['192.168.100.3', '005e.0053.01'],
  ],
  'a client that goes on': [
    '192.168.100.5       ff5e00.5303.0001.\r\n                    2b4c.0000.5e00.5303',
    ['5e00.5303'],
  ],
  'a client behind its label': ['(type) Client ID: (01) 00 00 5e 00 53 02', ['00 53 02']],
  'a host name': ['               Host Name: laptop-01\r\n', ['laptop-01']],
  'a host name in Shift_JIS': ['\x83\x7a\x83\x58\x83\x67\x96\xbc: \x83\x76\x83\x8a\r\n', ['\x83\x76\x83\x8a']],
  'the name of the router': ['edge-rtr1 uptime is 3 weeks\r\nedge-rtr1#', ['edge-rtr1']],
  'a serial number': ['main:  RTX1210 ver=00 serial=S00A12345 MAC', ['S00A12345']],
  'the serial number of a board': ['Processor board ID FGL1234X5YZ', ['FGL1234X5YZ']],
  'a user in the log': [
    '%SYS-5-CONFIG_I: Configured from console by alice on vty0 (192.0.2.7)',
    ['alice', '192.0.2.7'],
  ],
  'a secret that the router echoes': ['% s3cret-word: Access denied', ['s3cret-word']],
  'a token that the console breaks': [`${'serial=S0 '.padEnd(70, '-')}203.0.113.\r\n240 more`, ['203.0.113.\r\n240']],
  'a token that the console breaks at the end of a page': [
    `${'-'.repeat(70)}203.0.113.\r\n---more---\r          \r240 more`,
    ['203.0.113.', '240 more'],
  ],
  'a client behind the erased question of a pager': [
    ' --More-- \b\b\b\b          \b\b\b\b192.168.100.3   0100.005e.0053.01   Mar 02',
    ['0100.005e.0053.01', '192.168.100.3'],
  ],
  'IPv6 and MACs that run into the next cell': [
    'fe80::12ab:9GigabitEthernet0 0000.5e00.531aVlan1 00:00:5e:00:53:1bARPA',
    ['12ab:9', '5e00.531a', '00:53:1b'],
  ],
  'IPv6 that ends in the form of IPv4': ['2001:db8:99:88::198.51.100.7 x', ['db8:99:88', '198.51.100.7']],
};

test('names are told apart by all of their letters, however many there are', () => {
  const names = Array.from({ length: 80 }, (_, at) => `Host Name: ${'ghijklmnop'[at % 10]}${'qrstuvwx'[at % 8]}yz`);
  expect(replaced(names.join('\r\n')).replacements).toHaveLength(new Set(names).size);
});

test('addresses that fill a whole range cannot be anonymised, and that is said', () => {
  const table = Array.from({ length: 100 }, (_, at) => `192.168.${Math.floor(at / 10)}.${at % 10}`).join('\r\n');
  expect(() => replaced(table)).toThrow(
    /cannot be anonymised: its addresses fill whole ranges.*; capture a router with/,
  );
});

test('what stands behind a name does not belong to it', () => {
  expect(replaced('vrf alice-net.).,\r\n').replacements).toMatchObject([{ kind: 'name', from: 'alice-net' }]);
});

test('a console may be wider than 80 columns', () => {
  const row = `${'udp 203.0.113.24:60178'.padEnd(120, ' ')}192.168.100.25`;
  const broken = `${row.slice(0, 132)}\r\n${row.slice(132)}`;
  expect(replaced(broken).replacements.map(({ from }) => from)).toEqual(['192.168.100.25', '203.0.113.24']);
});

/** Log lines as both vendors print them, the last one as wide as a console that breaks it. */
const logLines = [
  '2026/03/01 12:00:00: LAN2: link up',
  '[DHCPD] LAN1(port4) link up',
  '*Mar  1 12:00:03.221: %LINK-3-UPDOWN: Interface Vlan1, changed state',
  '00:01:22: %LINK-3-UPDOWN: Interface Vlan1, changed state',
  '000123: .Mar  1 2026 12:00:03.221 JST: %LINK-3-UPDOWN: Interface Vlan1, changed state',
  `2026/03/01 12:00:00: [INSPECT] LAN2[out] ${'-'.repeat(60)}`,
];

/** Rows of both vendors with the originals in them. */
const rows: readonly (readonly [row: string, originals: readonly string[]])[] = [
  [
    '       TCP     192.168.100.25.54434       203.0.113.86.443        60178      615',
    ['192.168.100.25', '203.0.113.86'],
  ],
  ['tcp 203.0.113.24:60178 192.168.100.25:54434 203.0.113.86:443', ['203.0.113.24', '192.168.100.25']],
  ['Internet  192.168.100.25          5   0000.5e00.531a  ARPA   Vlan1', ['192.168.100.25', '0000.5e00.531a']],
  ['2001:db8:12:34:5678:9abc:def0:1234     3 0000.5e00.531a  REACH Vl1', ['2001:db8:12:34:5678:9abc:def0:1234']],
];

/** What the console of vendor_a shows of the line; the hub asks vendor_b not to break any. */
const breakLine = (line: string) => (line.includes('%LINK') ? line : line.replace(/.{80}(?=.)/g, '$&\r\n'));

test.each(rows)('a log line anywhere inside of "%s" hides no original', (row, originals) => {
  for (const original of originals) {
    for (let length = 1; length <= original.length; length += 1) {
      const at = row.indexOf(original) + length;
      const [start, rest] = [row.slice(0, at), row.slice(at)];
      // A line as wide as the console does not show whether the next one belongs to it.
      for (const log of logLines.filter((one) => ![one.length, start.length + one.length].includes(80))) {
        for (const text of [`${breakLine(start + log)}\r\n${rest}`, `${start}\r\n${breakLine(log)}\r\n${rest}`]) {
          const after = replaced(text);
          expect(
            after.replacements.map(({ from }) => from),
            text,
          ).toContain(original);
          expect(after.text).toHaveLength(text.length);
          expect(after.text.replaceAll('\r\n', '')).toContain(log);
        }
      }
    }
  }
});

describe('what identifies somebody is gone, and the text is as long as before', () => {
  test.each(Object.entries(cases))('%s', (_what, [text, gone]) => {
    const after = replaced(text);
    expect(after.text).toHaveLength(text.length);
    expect(after.text.replaceAll(/[^\s.:]/g, 'x')).toBe(text.replaceAll(/[^\s.:]/g, 'x'));
    for (const original of gone) {
      expect(after.text).not.toContain(original);
    }
  });

  test.each([
    ['tcp 203.0.113.24:443 ', '198.51.100.7', 8],
    ['ndp ', '2001:db8:12:34:5678:9abc:def0:1234', 7],
    ['arp ', '0000.5e00.531a', 8],
    ['arp ', '00:00:5e:00:53:1a', 10],
    ['192.0.2.7  ', '0100.005e.0053.01', 8],
    ['syslog of ', 'edge-rtr1', 3],
    ['% ', 's3cret-word', 4],
  ])('an answer was cut anywhere in what follows "%s": %s', (before, original, shortest) => {
    for (let length = shortest; length < original.length; length += 1) {
      const beginning = original.slice(0, length);
      const { text } = replaced(before + beginning, undefined, true);
      expect(text).toHaveLength(before.length + length);
      expect(text.slice(-length)).not.toBe(beginning);
    }
  });

  test('a time of day at which an answer was cut stays', () => {
    expect(replaced('create: 02/20/26 12:34:5', undefined, true).text).toBe('create: 02/20/26 12:34:5');
  });
});

test.each([
  'Cisco IOS Software, Version 15.5(3)M9, RELEASE SOFTWARE (fc1)',
  'RTX1210 Rev.14.01.42 (Fri Jul  5 11:17:45 2024)',
  '*12:00:00.123 JST Sun Mar 1 2026',
  '  create: 02/20/26 12:00:00, use: 03/01/26 11:55:00, timeout: 00:00:00',
  'ip route 0.0.0.0 255.255.255.0 224.0.0.251 127.0.0.1 ::1 ff02::1 0000.0000.0000 ffff.ffff.ffff',
  'nat descriptor timer 1000 900',
])('%s stays', (text) => expect(replaced(text).text).toBe(text));

test('no original of any fixture is left, also for the scan that everybody runs before the bundle is kept', () => {
  const files = globSync('{yamaha,cisco}/{synthetic,hostile,licensed}/*.{txt,bin}', {
    cwd: path.join(root, 'fixtures/routers'),
  });
  const originals = files.map((name) => ({
    name,
    bytes: readFileSync(path.join(root, 'fixtures/routers', name)),
    isCut: false,
  }));
  const { texts, replacements, words } = anonymiseTexts(originals, { names: [], secrets: [] });
  expect(replacements.length).toBeGreaterThan(500);
  const after = files.map((name, at) => ({ name, bytes: texts[at] ?? Buffer.of() }));
  expect(findLeaks(after, replacements, words)).toEqual([]);
  expect(findLeaks(originals, replacements, words).length).toBeGreaterThan(40);
  const whole = Buffer.concat(texts).toString('latin1');
  for (const { from, kind } of replacements.filter(({ kind }) => kind !== 'name')) {
    const edge = kind === 'address' ? '[\\d.]' : '[\\da-f.:]';
    expect(new RegExp(`(?<!${edge})${RegExp.escape(from)}(?!\\d)`).exec(whole)?.[0]).toBeUndefined();
  }
});

test('a short password is replaced where it is a word, and no table with it', () => {
  const { text } = replaced('Password was abc\r\ntcp 192.0.2.7 abcd', { names: [], secrets: ['abc', 'tc'] });
  expect(text).toMatch(/^Password was \*{3}\r\ntcp [\d.]+ abcd$/);
  const numeric = { names: [], secrets: ['1234'] };
  expect(replaced('Password was 1234\r\nleft 12 34 port 51234', numeric).text).toBe(
    'Password was ****\r\nleft 12 34 port 51234',
  );
  const table = { name: 'a.txt', bytes: Buffer.from('left 12 34 port 51234') };
  expect(findLeaks([table], [], numeric)).toEqual([]);
  const broken = { name: 'b.txt', bytes: Buffer.from('% s3cret\r\n-word') };
  expect(findLeaks([broken], [], { names: [], secrets: ['s3cret-word'] })).toEqual(['b.txt holds a secret']);
});

test('a host whose name is a number changes no number of a table', () => {
  expect(replaced('Host Name: 443\r\ntcp left 443', { names: [], secrets: [] }).text).toBe(
    'Host Name: 443\r\ntcp left 443',
  );
});

test('a text of very many lines is no matter of the stack', () => {
  const text = `tcp 203.0.113.24:60178\r\n${`${'-'.repeat(85)}\r\n`.repeat(150_000)}`;
  expect(replaced(text).replacements).toHaveLength(1);
});
