// vendor_a's readers against every capture, and against damage.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Session } from '#hub/collect/routers/driver.ts';
import { parseLanRoute, parseVendorAConfig, toEncodingLabel } from '#hub/collect/routers/vendor-a/config.ts';
import { parseVendorADhcp } from '#hub/collect/routers/vendor-a/dhcp.ts';
import { parseEnvironment } from '#hub/collect/routers/vendor-a/environment.ts';
import { parseVendorAError } from '#hub/collect/routers/vendor-a/error.ts';
import { createNatDetailReader, type NatDetailOptions } from '#hub/collect/routers/vendor-a/nat.ts';
import { parseVendorAArp, parseVendorANdp } from '#hub/collect/routers/vendor-a/neighbours.ts';
import { parseDescriptorSummary, parseMasqueradeSummary } from '#hub/collect/routers/vendor-a/summary.ts';
import { canonicalIp } from '#kernel/net/address.ts';
import { budget, runs } from '../../../support/property-runs.ts';
import { type Capture, captureClock, captureOf, expectedOf, readBytes, readCapture } from './captures.ts';

const seed = Number(process.hrtime.bigint() % 1_000_000n);
console.info(`vendor_a fuzz seed ${seed}`);

function read(capture: Capture, options?: NatDetailOptions) {
  const reader = createNatDetailReader({ now: captureClock(), ...options });
  for (const line of capture.lines) {
    reader.push(line);
  }
  return reader.end(capture);
}

const withoutIdle = (sessions: readonly Session[]) => sessions.map((session) => ({ ...session, idleSec: null }));

const header = [
  'Reference Descriptor : 1000, Assigned Interface : LAN2(1)',
  '    Port range: 60000-64095, 49152-59999, 44096-49151   1 session.',
];

function readRow(row: string, options?: NatDetailOptions) {
  return read({ lines: [...header, row], noisy: 0, cut: false }, options);
}

describe('NAT detail', () => {
  const captures: [string, string, string][] = [
    ['synthetic/nat_detail.en.ascii.txt', 'utf-8', 'synthetic/nat_detail.expected.json'],
    ['synthetic/nat_detail.ja.utf8.txt', 'utf-8', 'synthetic/nat_detail.expected.json'],
    ['synthetic/nat_detail.ja.sjis.txt', 'shift_jis', 'synthetic/nat_detail.expected.json'],
    ['synthetic/nat_detail.lan172.en.txt', 'utf-8', 'synthetic/nat_detail.lan172.expected.json'],
    ['synthetic/nat_detail.medium400.en.txt', 'shift_jis', 'synthetic/nat_detail.medium400.expected.json'],
    ['hostile/nat_detail.paged24.en.txt', 'utf-8', 'hostile/nat_detail.paged24.expected.json'],
    ['hostile/nat_detail.paged24.ja.utf8.txt', 'utf-8', 'hostile/nat_detail.paged24.expected.json'],
    ['hostile/nat_detail.paged24.ja.sjis.bin', 'shift_jis', 'hostile/nat_detail.paged24.expected.json'],
    ['hostile/nat_detail.truncated_midrow.txt', 'utf-8', 'hostile/nat_detail.truncated_midrow.expected.json'],
  ];
  test.each(captures)('%s as %s', (file, label, expectedFile) => {
    const table = read(captureOf(`yamaha/${file}`, label));
    const expected = expectedOf(`yamaha/${expectedFile}`);
    expect(withoutIdle(table.sessions)).toEqual(expected.sessions);
    expect(table.staticRows).toBe(expected.static);
    expect(table.complete).toBe(expected.complete);
    expect(table.blocks).toMatchObject([{ descriptor: '1000', interfaceName: 'LAN2(1)' }]);
    expect(table.unparsed.count).toBe(0);
  });

  test('pieces cut inside a character or the pager question change nothing', () => {
    const bytes = readBytes('yamaha/hostile/nat_detail.paged24.ja.sjis.bin');
    const { offsets } = JSON.parse(readBytes('yamaha/hostile/chunking.json').toString('utf8'));
    const expected = expectedOf('yamaha/hostile/nat_detail.paged24.expected.json').sessions;
    expect(withoutIdle(read(readCapture(bytes, 'shift_jis', offsets)).sessions)).toEqual(expected);
    const five = Array.from({ length: Math.floor(bytes.length / 5) }, (_, index) => (index + 1) * 5);
    expect(readCapture(bytes, 'shift_jis', five)).toEqual(readCapture(bytes, 'shift_jis'));
  });

  test('an empty table with its header is complete, no header at all is not', () => {
    const empty = read(captureOf('yamaha/synthetic/nat_detail.empty.en.txt'));
    expect(empty).toMatchObject({ sessions: [], declared: 0, complete: true });
    expect(read({ lines: [], noisy: 0, cut: false }).complete).toBe(false);
  });

  test('several descriptors follow one another', () => {
    const { lines } = captureOf('yamaha/synthetic/nat_detail.en.ascii.txt');
    const second = lines.map((line) =>
      line.replace('1000, Assigned Interface : LAN2(1)', '2147483647, Assigned Interface : PP[01](1)'),
    );
    const table = read({ lines: [...lines, ...second], noisy: 0, cut: false });
    expect(table.blocks.map((block) => block.descriptor)).toEqual(['1000', '2147483647']);
    expect(table).toMatchObject({ declared: 56, staticRows: 8, complete: true });
    expect(table.sessions).toHaveLength(48);
  });

  test('a count a little off is tolerated, a table far shorter than declared is not', () => {
    const { lines } = captureOf('yamaha/synthetic/nat_detail.medium400.en.txt');
    expect(read({ lines: lines.slice(0, -8), noisy: 0, cut: false }).complete).toBe(true);
    expect(read({ lines: lines.slice(0, -9), noisy: 0, cut: false }).complete).toBe(false);
  });

  test('the idle time is what has run off the timer, unless a shorter timer may be running', () => {
    const idle = (row: string, timerSec?: number | null) =>
      readRow(row, timerSec === undefined ? {} : { timerSec }).sessions[0]?.idleSec;
    expect(idle('UDP 192.168.100.2.56143 192.0.2.179.123 60000 281')).toBe(619);
    expect(idle('TCP 192.168.100.2.56143 192.0.2.179.443 60000 900')).toBe(0);
    expect(idle('TCP 192.168.100.2.56143 192.0.2.179.443 60000 60')).toBeNull();
    expect(idle('TCP 192.168.100.2.56143 192.0.2.179.443 60000 61')).toBe(839);
    expect(idle('UDP 192.168.100.2.56143 192.0.2.179.53 60000 10')).toBeNull();
    expect(idle('UDP 192.168.100.2.56143 192.0.2.179.123 60000 10')).toBe(890);
    expect(idle('TCP 192.168.100.2.56143 192.0.2.179.443 60000 3600')).toBeNull();
    expect(idle('UDP 192.168.100.2.56143 192.0.2.179.123 60000 281', 300)).toBe(19);
    expect(idle('UDP 192.168.100.2.56143 192.0.2.179.123 60000 281', null)).toBeNull();
  });

  test('rows of protocols without ports may leave the number out, in any of its forms', () => {
    const rows = [
      'ESP 192.168.100.2.* 198.19.41.101.* * 711',
      'ESP 192.168.100.2 198.19.41.101 * 711',
      'ESP 192.168.100.2 198.19.41.101 711',
      '50 192.168.100.2.* 198.19.41.101.* * 711',
    ];
    for (const row of rows) {
      expect(readRow(row).sessions).toMatchObject([{ sport: null, dport: 0, dst: '198.19.41.101', ttl: 711 }]);
    }
    const icmp = readRow('ICMP 192.168.100.7.14845 198.18.137.100.14845 56892 216');
    expect(icmp.sessions).toMatchObject([{ proto: 'ICMP', sport: 14845, dport: 0 }]);
  });

  test.each([
    'TCP 192.168.100.2.65536 192.0.2.179.443 60000 281',
    'TCP 192.168.100.2.56143 192.0.2.379.443 60000 281',
    'TCP 192.168.100.2.56143 192.0.2.179.* 60000 281',
    'TCP 192.168.100.2.56143 192.0.2.179.443 281',
    'TCP 192.168.100.2.56143 192.0.2.179.443 60000 28l',
    'TCQ 192.168.100.2.56143 192.0.2.179.443 60000 281',
    'TCP 192.168.100.2.443 12.99.443 62005 301',
    'TCP 192.16',
  ])('%s is dropped and the table is incomplete', (row) => {
    const table = readRow(row);
    expect(table.sessions).toEqual([]);
    expect(table.complete).toBe(false);
    expect(table.unparsed).toEqual({ count: 1, samples: [row] });
  });

  test('log lines between the rows are no rows and no damage', () => {
    const { lines } = captureOf('yamaha/synthetic/nat_detail.en.ascii.txt');
    const log = '2026/03/01 12:00:01: [INSPECT] LAN2[out][101100] TCP 192.168.100.3:54874 > 198.51.100.25:443';
    const table = read({ lines: lines.flatMap((line) => [line, log]), noisy: 0, cut: false });
    expect(table).toMatchObject({ complete: true, unparsed: { count: 0 } });
    expect(table.sessions).toHaveLength(24);
  });
});

describe('damage', () => {
  const bytes = readBytes('yamaha/synthetic/nat_detail.en.ascii.txt');
  /** The outer address stands above the rows: it says nothing of whether a row is intact. */
  const rowOf = (session: Session) => JSON.stringify({ ...session, outerAddress: null });
  const clean = new Set(read(readCapture(bytes)).sessions.map(rowOf));
  const row =
    /^\s*(?:[A-Z0-9]+)\s+\d+(?:\.\d+){3}(?:\.(?:\d+|\*))?\s+\d+(?:\.\d+){3}(?:\.(?:\d+|\*))?(?:\s+(?:\d+|\*))?\s+\d+\s*$/;

  test(`a changed byte makes no session of a row that is not wholly intact: ${budget(500, 1500, 'tables')}`, () => {
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, value) => {
        const changed = Buffer.from(bytes);
        changed[at] = value;
        const capture = readCapture(changed);
        const table = read(capture);
        const intact = capture.lines.filter((line) => row.test(line)).length;
        const strange = table.sessions.filter((session) => !clean.has(rowOf(session)));
        expect(strange.length).toBeLessThanOrEqual(1);
        expect(table.sessions.length).toBeLessThanOrEqual(intact);
        if (table.sessions.length < clean.size && table.staticRows < 5) {
          expect(table.complete).toBe(false);
        }
      }),
      { seed, numRuns: runs(500, 1500) },
    );
  });

  test(`any text: no reader throws, and every session is valid: ${budget(200, 500, 'texts')}`, () => {
    const token = fc.oneof(
      fc.constantFrom('TCP', 'UDP', 'ICMP', 'ESP', '*.*.*.*.*', 'static', '*', '255', '999', 'Error:', 'LAN1'),
      fc.ipV4().map((ip) => `${ip}.443`),
      fc.ipV4(),
      fc.ipV6(),
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.nat(99_999).map(String),
    );
    const line = fc.oneof(
      fc.array(token, { maxLength: 7 }).map((tokens) => tokens.join(' ')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        const table = read({ lines, noisy: 0, cut: false });
        for (const session of table.sessions) {
          expect(canonicalIp(session.src)).toBe(session.src);
          expect(canonicalIp(session.dst)).toBe(session.dst);
          expect(Number.isInteger(session.dport) && session.dport >= 0 && session.dport <= 65_535).toBe(true);
          expect(session.idleSec === null || session.idleSec >= 0).toBe(true);
        }
        expect(table.unparsed.samples.length).toBeLessThanOrEqual(5);
        parseVendorAArp(lines);
        parseVendorANdp(lines);
        parseVendorADhcp(lines);
        parseEnvironment(lines);
        parseVendorAConfig(lines);
        parseLanRoute(lines);
        parseDescriptorSummary(lines);
        parseMasqueradeSummary(lines);
        lines.forEach(parseVendorAError);
      }),
      { seed, numRuns: runs(200, 500) },
    );
  });
});

describe('the other answers', () => {
  test.each([
    ['en', 'utf-8'],
    ['ja.sjis', 'shift_jis'],
  ])('ARP, NAT summary in %s', (language, label) => {
    const arp = parseVendorAArp(captureOf(`yamaha/synthetic/arp.${language}.txt`, label).lines);
    expect(arp).toMatchObject({ declared: 7, unparsed: { count: 0 } });
    expect(arp.neighbours).toHaveLength(7);
    expect(arp.neighbours[0]).toEqual({
      address: '192.168.100.2',
      mac: '00:00:5e:00:53:00',
      interfaceName: 'LAN1(port1)',
      heardSec: null,
      isOwn: false,
    });
    expect(arp.neighbours[1]).toMatchObject({ mac: '00:00:5e:00:53:01', heardSec: 185 });
    const summary = parseDescriptorSummary(captureOf(`yamaha/synthetic/nat_summary.${language}.txt`, label).lines);
    expect(summary).toEqual([{ descriptor: '1000', interfaceName: 'LAN2(1)', sessions: 400 }]);
  });

  test('IPv6 neighbours of every interface, also with the address on its own line', () => {
    const { lines } = captureOf('yamaha/synthetic/ndp.en.txt');
    const table = parseVendorANdp(lines);
    expect(table.neighbours).toHaveLength(22);
    expect(table.unparsed.count).toBe(0);
    const outside = { address: 'fe80::1', mac: '00:a0:de:00:00:01', interfaceName: 'LAN2' };
    expect(table.neighbours.at(-1)).toEqual({ ...outside, heardSec: null, isOwn: false });
    expect(table.neighbours[0]).toMatchObject({ heardSec: 0 });
    const wrapped = lines.flatMap((line) => (line.startsWith('2001') ? line.split(/ (.*)/s).slice(0, 2) : [line]));
    expect(parseVendorANdp(wrapped)).toEqual(table);
    expect(parseVendorANdp(['fe80::9  00:00:00:00:00:00'])).toMatchObject({ neighbours: [], unparsed: { count: 1 } });
    for (const mac of ['-', '00:00:00:00:00:00']) {
      const unresolved = parseVendorANdp([`fe80::9  ${mac}  LAN1 INCOMPLETE`]);
      expect(unresolved).toMatchObject({ neighbours: [], unparsed: { count: 0 } });
    }
  });

  test.each([
    ['dhcp.en.txt', 'utf-8'],
    ['dhcp.ja.sjis.txt', 'shift_jis'],
  ])('%s: leases by MAC or DUID, with their names', (file, label) => {
    const leases = parseVendorADhcp(captureOf(`yamaha/synthetic/${file}`, label).lines);
    const duid = 'ff:5e:00:53:04:00:01:00:01:2b:4c:00:00:00:00:5e:00:53:04';
    expect(leases).toEqual([
      { address: '192.168.100.2', mac: '00:00:5e:00:53:00', clientId: null, name: null },
      { address: '192.168.100.3', mac: '00:00:5e:00:53:01', clientId: null, name: 'printer' },
      { address: '192.168.100.4', mac: '00:00:5e:00:53:02', clientId: null, name: 'tv-living' },
      { address: '192.168.100.5', mac: '00:00:5e:00:53:03', clientId: null, name: null },
      { address: '192.168.100.6', mac: null, clientId: duid, name: 'phone-b' },
      { address: '192.168.100.7', mac: '00:00:5e:00:53:05', clientId: null, name: 'laptop-01' },
      { address: '192.168.100.8', mac: '00:00:5e:00:53:06', clientId: null, name: null },
    ]);
  });

  test('paged DHCP output keeps its labels whole', () => {
    const names = parseVendorADhcp(captureOf('yamaha/hostile/dhcp.paged24.ja.utf8.txt').lines);
    const console = { address: '192.168.100.12', mac: '00:00:5e:00:53:0a', clientId: null, name: 'console' };
    expect(names).toContainEqual(console);
  });

  test.each([
    ['synthetic/environment.en.wrap80.txt', 'utf-8', 'RTX1210', 'Rev.14.01.42'],
    ['synthetic/environment.ja.sjis.txt', 'shift_jis', 'RTX1210', 'Rev.14.01.42'],
    ['hostile/environment.wrap80_everything.txt', 'utf-8', 'RTX1210', 'Rev.14.01.42'],
    ['licensed/show_environment.rtx1200.wrap80.txt', 'utf-8', 'RTX1200', 'Rev.10.01.71'],
  ])('%s', (file, label, model, version) => {
    const environment = parseEnvironment(captureOf(`yamaha/${file}`, label).lines);
    expect(environment).toMatchObject({ model, version });
    expect(environment.macs).toHaveLength(3);
    expect(environment.clockAt).toBe(model === 'RTX1210' ? Date.UTC(2026, 2, 1, 3) : Date.UTC(2021, 0, 30, 0, 44, 53));
  });

  test('the configuration at user level', () => {
    const config = parseVendorAConfig(captureOf('yamaha/synthetic/config.user_level.txt').lines);
    expect(config).toEqual({
      character: 'ja.sjis',
      columns: null,
      lines: 'infinity',
      descriptors: [{ descriptor: '1000', interfaceName: 'LAN2' }],
      lanIp: '192.168.100.1',
      timers: new Map(),
    });
    const timers = parseVendorAConfig([
      'nat descriptor timer 1 300',
      'nat descriptor timer 2 600',
      'nat descriptor timer 2 protocol=udp port=domain 30',
      'ip lan1 address dhcp',
    ]);
    expect([...timers.timers]).toEqual([
      ['1', 300],
      ['2', null],
    ]);
    expect(timers.lanIp).toBeNull();
    expect(parseLanRoute(captureOf('yamaha/licensed/show_ip_route.txt').lines)).toBe('192.168.100.1');
    expect(['en.ascii', 'ja.utf8', 'ja.euc', 'sjis'].map((name) => toEncodingLabel(name, 'RTX1210'))).toEqual([
      'utf-8',
      'utf-8',
      'euc-jp',
      'shift_jis',
    ]);
    expect([toEncodingLabel(null, 'RTX1210'), toEncodingLabel(null, 'vRX')]).toEqual(['shift_jis', 'utf-8']);
  });

  test('errors in both languages, with either colon', () => {
    const classes = (lines: string[]) => lines.map(parseVendorAError);
    const english = captureOf('yamaha/hostile/errors.en.txt').lines;
    const japanese = captureOf('yamaha/hostile/errors.ja.sjis.txt', 'shift_jis').lines;
    const expected = ['unknown_command', 'unknown_command', 'privilege', 'syntax', 'password', 'syntax'];
    expect(classes(english)).toEqual([...expected, 'restricted']);
    expect(classes(japanese)).toEqual(expected);
    expect(classes(japanese.map((line) => line.replace(':', '：')))).toEqual(expected);
    expect(classes(['TCP 192.168.100.2.443', 'Error: something new'])).toEqual([null, 'other']);
  });

  test('how full the table is', () => {
    expect(parseMasqueradeSummary(captureOf('yamaha/synthetic/session_summary.en.txt').lines)).toEqual([
      { interfaceName: 'LAN2(1)', descriptor: '1000', outer: '203.0.113.24', current: 24, max: 65_534, peak: 3001 },
    ]);
  });
});
