// vendor_b's readers against every capture, and against damage.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseInterfaceBrief, parseNatStatistics, parseVersion } from '#hub/collect/routers/vendor-b/device.ts';
import { parseVendorBDhcp } from '#hub/collect/routers/vendor-b/dhcp.ts';
import { parseVendorBError } from '#hub/collect/routers/vendor-b/error.ts';
import { createTranslationReader, type TranslationOptions } from '#hub/collect/routers/vendor-b/nat.ts';
import { parseVendorBArp, parseVendorBNdp } from '#hub/collect/routers/vendor-b/neighbours.ts';
import { parseNatRow } from '#hub/collect/routers/vendor-b/row.ts';
import { parseAge, parseClock, parseLocalTime } from '#hub/collect/routers/vendor-b/timers.ts';
import { canonicalIp } from '#kernel/net/address.ts';
import { budget, runs } from '../../../support/property-runs.ts';
import { type Capture, captureClock, captureOf, expectedOf, readAt, readBytes, readCapture } from './captures.ts';

const seed = Number(process.hrtime.bigint() % 1_000_000n);
console.info(`vendor_b fuzz seed ${seed}`);

const noon = Date.UTC(2026, 2, 1, 12);

function read(capture: Capture, options: TranslationOptions = { routerNow: () => noon }) {
  const reader = createTranslationReader({ now: captureClock(), ...options });
  for (const line of capture.lines) {
    reader.push(line);
  }
  return reader.end(capture);
}

const readLines = (lines: string[], options?: TranslationOptions) => read({ lines, noisy: 0, cut: false }, options);

/** From one day on, an age is printed in whole hours. */
const asPrinted = (ageSec: number | null) => (ageSec !== null && ageSec >= 86_400 ? ageSec - (ageSec % 3600) : ageSec);

describe('translations', () => {
  const base = 'synthetic/nat.expected.json';
  const captures: [string, string, boolean][] = [
    ['synthetic/nat.ios.plain.txt', base, false],
    ['synthetic/nat.xe.plain.txt', base, false],
    ['synthetic/nat.ios.verbose.txt', base, true],
    ['synthetic/nat.xe.verbose.txt', base, true],
    ['synthetic/nat.xe17.verbose.txt', base, true],
    ['hostile/nat.syslog_interleaved.txt', base, false],
    ['synthetic/nat.ios.lan172.txt', 'synthetic/nat.ios.lan172.expected.json', false],
    ['synthetic/nat.ios.medium400.verbose.txt', 'synthetic/nat.ios.medium400.expected.json', true],
    ['hostile/nat.paged24.bs.bin', 'hostile/nat.paged24.expected.json', true],
    ['hostile/nat.paged24.split_midline.bin', 'hostile/nat.paged24.expected.json', false],
  ];
  test.each(captures)('%s', (file, expectedFile, isVerbose) => {
    const table = read(captureOf(`cisco/${file}`));
    const expected = expectedOf(`cisco/${expectedFile}`);
    const plain = expected.sessions.map((session) => ({ ...session, ttl: null, ageSec: null, idleSec: null }));
    // Times of the router's own clock are as good as the instant they are read at.
    const times = table.absoluteTimes ? { printedFrom: readAt } : {};
    const printed = expected.sessions.map((session) => ({ ...session, ageSec: asPrinted(session.ageSec), ...times }));
    expect(table.sessions).toEqual(isVerbose ? printed : plain);
    expect(table).toMatchObject({ complete: true, staticRows: expected.static, unparsed: { count: 0 }, merged: false });
  });

  test('a table cut in mid-output is incomplete and its last row is no session', () => {
    const capture = captureOf('cisco/hostile/nat.verbose.truncated.txt');
    expect(capture.cut).toBe(true);
    const table = read(capture);
    expect(table.complete).toBe(false);
    const whole = expectedOf('cisco/synthetic/nat.expected.json').sessions.map((session) => session.dst);
    expect(whole).toEqual(expect.arrayContaining(table.sessions.map((session) => session.dst)));
  });

  test('a last row that ends otherwise than the ones before it is incomplete, even behind a prompt', () => {
    const { lines } = captureOf('cisco/synthetic/nat.ios.verbose.txt');
    expect(readLines(lines).complete).toBe(true);
    expect(readLines([...lines.slice(0, -1), 'extended, use_count: 0, entry-id: 4']).complete).toBe(false);
    for (const missing of [1, 2, 3]) {
      expect(readLines(lines.slice(0, -missing)).complete).toBe(false);
    }
  });

  test('the total at the end is exact, the one of the statistics is not', () => {
    const { lines } = captureOf('cisco/synthetic/nat.xe.plain.txt');
    expect(readLines(lines.filter((line) => !line.includes('192.0.2.8:53'))).complete).toBe(false);
    const plain = captureOf('cisco/synthetic/nat.ios.plain.txt').lines;
    expect(readLines(plain, { expected: 34 })).toMatchObject({ complete: true, declared: 34 });
    expect(readLines(plain, { expected: 35 }).complete).toBe(false);
    expect(readLines(plain).declared).toBeNull();
  });

  test('empty tables', () => {
    const empty = { sessions: [], complete: true, unparsed: { count: 0 } };
    expect(read(captureOf('cisco/synthetic/nat.xe.empty.txt'))).toMatchObject({ ...empty, declared: 0 });
    expect(read(captureOf('cisco/synthetic/nat.ios.empty.txt'))).toMatchObject({ ...empty, declared: null });
  });

  test.each([
    ['nat_translations.ios.plain.mixed.txt', 4, 2, true],
    ['nat_translations.iosxe.1.txt', 0, 2, true],
    ['nat_translations.iosxe.plain.txt', 0, 3, true],
    ['nat_translations.iosxe.3.txt', 0, 3, true],
    ['nat_translations.iosxe.vrf.txt', 0, 7, true],
    ['nat_translations.iosxe17.enhanced_verbose.txt', null, null, true],
  ])('published capture %s', (file, sessions, statics, complete) => {
    const capture = captureOf(`cisco/licensed/${file}`);
    const text = readBytes(`cisco/licensed/${file}`).toString('utf8');
    const lines = capture.cut ? [...capture.lines, text.slice(text.lastIndexOf('\n') + 1)] : capture.lines;
    const table = readLines(lines);
    expect(table.complete).toBe(complete);
    expect(table.unparsed.samples).toEqual([]);
    if (sessions !== null) {
      expect([table.sessions.length, table.staticRows]).toEqual([sessions, statics]);
    }
  });

  test('the numbers of ICMP rows are query ids: kept for the source, never a port', () => {
    const table = readLines(['icmp 10.9.0.0:513     10.1.0.2:512     10.2.0.2:512        10.2.0.2:513']);
    expect(table.sessions).toMatchObject([{ proto: 'ICMP', src: '10.1.0.2', sport: 512, dst: '10.2.0.2', dport: 0 }]);
  });

  test('the newest dialect: a session with its times, beside static rows', () => {
    const { lines } = captureOf('cisco/licensed/nat_translations.iosxe17.enhanced_verbose.txt');
    const table = readLines(lines, { routerNow: () => Date.UTC(2025, 11, 18, 7, 41, 12) });
    expect(table.sessions[0]).toMatchObject({
      proto: 'ICMP',
      src: '5.1.1.1',
      dst: '80.1.1.1',
      ttl: 59,
      ageSec: 10,
      idleSec: 10,
    });
    const early = readLines(lines, { routerNow: () => Date.UTC(2000, 0, 1) });
    expect(early.sessions[0]).toMatchObject({ ageSec: 0, idleSec: 0 });
    expect(readLines(lines, {}).sessions[0]).toMatchObject({ ttl: 59, ageSec: null, idleSec: null });
  });

  test('outside-only records of a VRF are no sessions, malformed ones are counted', () => {
    const table = read(captureOf('cisco/licensed/nat_translations.iosxe.vrf_verbose_any.txt'));
    expect(table).toMatchObject({ sessions: [], complete: false });
    expect(table.staticRows).toBeGreaterThan(0);
    expect(table.unparsed.count).toBeGreaterThan(0);
    expect(table.unparsed.samples[0]).toContain('120.1.211');
  });

  test('the VRF of a listing, or of a record, is kept', () => {
    const row = 'tcp 203.0.113.24:60178 192.168.100.2:54434 203.0.113.86:1883 203.0.113.86:1883';
    expect(readLines([row], { vrf: 'blue' }).sessions).toMatchObject([{ vrf: 'blue' }]);
    const record = readLines([row, '    Group_id:0   vrf: genie', '    Format(H:M:S) Time-left :0:1:38']);
    expect(record.sessions).toMatchObject([{ vrf: 'genie', ttl: 98 }]);
    const over = readLines([row, '    Format(H:M:S) Time-left :0:0:-1']);
    expect(over.sessions).toMatchObject([{ ttl: 0 }]);
  });

  test.each([
    ['create 00:02:00, use 00:00:20 timeout:300000, flags:', 280],
    ['create 00:02:00, use 00:00:20 timeout:300999, left 00:04:00, flags:', 240],
    ['create 00:06:00, use 00:05:01 timeout:300000, flags:', 0],
    ['create 00:02:00, use never timeout:300000, flags:', null],
    ['create 00:02:00, use 00:00:20 timeout:0, flags:', null],
    ['create 00:02:00, use 00:00:20, flags:', null],
  ])('%s: %j s remain', (line, ttl) => {
    const row = 'udp 203.0.113.24:60178 192.168.100.2:54434 203.0.113.86:1883 203.0.113.86:1883';
    expect(readLines([row, `    ${line}`]).sessions).toMatchObject([
      { ageSec: line.includes('00:06') ? 360 : 120, ttl },
    ]);
  });

  test.each([
    ['the first two', 'icmp 209.165.200.227:69192.168.1.3:69 209.165.201.14:69 209.165.201.14:69'],
    ['two and two', 'udp 209.165.200.227:1024192.168.1.3:1024 209.165.201.14:53209.165.201.14:53'],
    ['three', 'tcp 209.165.200.227:1024192.168.100.103:1024209.165.201.140:443 209.165.201.140:443'],
    ['all four', 'tcp 209.165.200.227:1024192.168.100.103:1024209.165.201.140:443209.165.201.140:443'],
    ['the protocol too', 'icmp209.165.200.227:69 192.168.1.3:69 209.165.201.14:69 209.165.201.14:69'],
    ['cells without ports', '--- 209.165.200.227192.168.100.103 --- ---'],
    ['one with a port, one without', 'gre 209.165.200.227192.168.100.103:0 209.165.201.14:0 209.165.201.14:0'],
    ['an address and the dashes of a static mapping', 'tcp 209.165.200.227:443 192.168.100.103:44300--- ---'],
    ['the dashes and an address', '---209.165.200.227 192.168.100.103 --- ---'],
  ])('cells run together are seen as what they are: %s', (_which, line) => {
    const table = readLines([line]);
    expect(table).toMatchObject({ merged: true, complete: false, sessions: [], unparsed: { count: 1 } });
  });

  test.each([
    'tcp 203.0.113.24:60178 192.168.100.2:54434 203.0.113.86:1883 203.0.113.86.1883',
    'tcp 203.0.113.24:60178 192.168.100.2:54434 203.0.113.86:1883 203.0.113.86',
    'tcp 203.0.113.24:60178 192.168.100.2:54434 203.0.113.86:1883 203.0.113.',
    'tcp 203.0.113.24:60178 192.168.100.2:54434 203.0.113.86:18832 03.0.113.86:1883',
  ])('%s is damage, not cells run together', (line) => {
    expect(readLines([line])).toMatchObject({ sessions: [], complete: false, merged: false });
  });

  test.each([
    'tcp 203.0.113.24:60178 192.168.100.2:54434 203.0.113.86:1883 203.0.113.86',
    'tcp 203.0.113.24:60178 192.168.100.2:54434 203.0.113.86:1883 203.0.113.86:70000',
    'tcp 203.0.113.24:60178 192.168.100.2:54434 203.0.113.86:1883',
    'tcq 203.0.113.24:60178 192.168.100.2:54434 203.0.113.86:1883 203.0.113.86:1883',
    'tcp 203.0.113.24:60178 192.168.100.2:54434 203.0.113.386:1883 203.0.113.86:1883',
    'tcp 203.0.1',
  ])('%s is dropped and the table is incomplete', (row) => {
    expect(readLines([row])).toMatchObject({ sessions: [], complete: false, unparsed: { count: 1, samples: [row] } });
  });
});

describe('damage', () => {
  const bytes = readBytes('cisco/synthetic/nat.xe.verbose.txt');
  const keys = (lines: string[]) =>
    readLines(lines).sessions.map(
      (session) => `${session.proto} ${session.src} ${session.sport} ${session.dst} ${session.dport}`,
    );
  const clean = new Set(keys(readCapture(bytes).lines));
  const cell = String.raw`\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?`;
  const row = new RegExp(String.raw`^\s*[a-z0-9]+(?:\s+${cell}){4}\s*$`, 'i');

  test(`a changed byte makes no session of a row that is not wholly intact: ${budget(500, 1500, 'tables')}`, () => {
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, value) => {
        const changed = Buffer.from(bytes);
        changed[at] = value;
        const capture = readCapture(changed);
        const table = read(capture);
        expect(keys(capture.lines).filter((key) => !clean.has(key)).length).toBeLessThanOrEqual(1);
        expect(table.sessions.length).toBeLessThanOrEqual(capture.lines.filter((line) => row.test(line)).length);
        if (table.sessions.length < clean.size && table.staticRows < 6) {
          expect(table.complete).toBe(false);
        }
      }),
      { seed, numRuns: runs(500, 1500) },
    );
  });

  test(`any text: no reader throws, and every session is valid: ${budget(200, 500, 'texts')}`, () => {
    const token = fc.oneof(
      fc.constantFrom(
        'tcp',
        'udp',
        'icmp',
        'esp',
        'any',
        '---',
        '--',
        'create',
        'use',
        '12:00:00',
        '%',
        'vrf:',
        'Internet',
      ),
      fc.tuple(fc.ipV4(), fc.nat(70_000)).map(([ip, port]) => `${ip}:${port}`),
      fc.ipV4(),
      fc.ipV6(),
      fc.string({ unit: 'binary', maxLength: 8 }),
    );
    const line = fc.oneof(
      fc.array(token, { maxLength: 7 }).map((tokens) => tokens.join(' ')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        for (const session of readLines(lines).sessions) {
          expect(canonicalIp(session.src)).toBe(session.src);
          expect(canonicalIp(session.dst)).toBe(session.dst);
          expect(Number.isInteger(session.dport) && session.dport >= 0 && session.dport <= 65_535).toBe(true);
        }
        parseVendorBArp(lines);
        parseVendorBNdp(lines);
        parseVendorBDhcp(lines);
        parseNatStatistics(lines);
        parseInterfaceBrief(lines);
        parseVersion(lines);
        parseClock(lines);
        lines.forEach(parseVendorBError);
        lines.forEach(parseNatRow);
      }),
      { seed, numRuns: runs(200, 500) },
    );
  });
});

describe('the other answers', () => {
  test.each([
    ['synthetic/arp.txt', 9, 0],
    ['licensed/show_arp.ios.txt', 4, 0],
    ['licensed/show_arp.exclude_incomplete.txt', 8, 0],
  ])('ARP %s', (file, count, unparsed) => {
    const table = parseVendorBArp(captureOf(`cisco/${file}`).lines);
    expect(table.neighbours).toHaveLength(count);
    expect(table.unparsed.count).toBe(unparsed);
  });

  test.each([
    ['synthetic/ipv6_neighbors.txt', 21],
    ['licensed/show_ipv6_neighbors.ios.txt', 9],
    ['licensed/show_ipv6_neighbors.empty.txt', 0],
  ])('IPv6 neighbours %s', (file, count) => {
    const table = parseVendorBNdp(captureOf(`cisco/${file}`).lines);
    expect(table.neighbours).toHaveLength(count);
    expect(table.unparsed.count).toBe(0);
  });

  test('IPv6 neighbours are canonical', () => {
    const { neighbours } = parseVendorBNdp(captureOf('cisco/licensed/show_ipv6_neighbors.long.txt').lines);
    expect(neighbours.length).toBeGreaterThan(20);
    expect(neighbours[0]).toEqual({
      address: '2001:45:45:915::13',
      mac: '00:1b:54:aa:f0:48',
      interfaceName: 'Gi3/0/0.915',
      heardSec: expect.any(Number),
      isOwn: false,
    });
  });

  test('an ARP row says how long ago its host was heard, and which address is the router itself', () => {
    const [own, first] = parseVendorBArp(captureOf('cisco/synthetic/arp.txt').lines).neighbours;
    expect(own).toMatchObject({ address: '192.168.100.1', isOwn: true, heardSec: null });
    expect(first).toMatchObject({ address: '192.168.100.2', isOwn: false, heardSec: 97 * 60 });
  });

  test('DHCP bindings: a MAC behind its type byte, a DUID over two lines', () => {
    const leases = parseVendorBDhcp(captureOf('cisco/synthetic/dhcp_binding.txt').lines);
    expect(leases.map(({ mac }) => mac)).toEqual(
      ['01', '02', null, '04', '05', null].map((end) => end && `00:00:5e:00:53:${end}`),
    );
    const duid = 'ff:5e:00:53:03:00:01:00:01:2b:4c:00:00:00:00:5e:00:53:03';
    expect(leases[2]).toEqual({ address: '192.168.100.5', mac: null, clientId: duid, name: null });
    expect(parseVendorBDhcp(captureOf('cisco/licensed/show_ip_dhcp_binding.ios.txt').lines)).toMatchObject([
      { address: '10.100.88.26', mac: 'aa:aa:aa:aa:aa:aa' },
      { address: '10.100.88.197', mac: 'dd:dd:dd:dd:dd:dd' },
    ]);
  });

  test('NAT statistics with interfaces beside their label or below it', () => {
    const of = (file: string) => parseNatStatistics(captureOf(`cisco/${file}`).lines);
    expect(of('synthetic/nat_statistics.txt')).toEqual({
      total: 29,
      outside: ['GigabitEthernet0/4'],
      inside: ['Vlan1', 'Vlan20'],
      limit: null,
    });
    expect(of('licensed/nat_statistics.ios.1.txt')).toMatchObject({
      total: 2,
      outside: ['Serial0'],
      inside: ['Ethernet1'],
    });
    expect(of('licensed/nat_statistics.ios.2.txt')).toEqual({ total: 0, outside: [], inside: [], limit: null });
    expect(of('licensed/nat_statistics.iosxe.3.txt')).toMatchObject({ total: 1, inside: ['FastEthernet0/0'] });
    expect(parseNatStatistics(['max entry: max allowed 2000, used 2000, missed 7']).limit).toEqual({
      max: 2000,
      used: 2000,
    });
  });

  test.each([
    ['synthetic/version.c841m.txt', 'C841M-4X-JSEC/K9', '15.5(3)M9', 'edge-rtr1'],
    ['licensed/show_version.c1900.txt', 'CISCO1941/K9', '15.1(4)M8', 'C1900'],
    ['licensed/show_version.iosv.txt', 'IOSv', '15.6(3)M2', 'N95_1'],
    ['licensed/show_version.2.txt', 'ASR1001', '15.3(2)S1', 'my_device'],
  ])('version %s', (file, model, version, hostName) => {
    const lines = captureOf(`cisco/${file}`).lines;
    expect(parseVersion(lines)).toEqual({ model, version, hostName, isExpectedOs: true });
  });

  test('interfaces with an address', () => {
    expect(parseInterfaceBrief(captureOf('cisco/synthetic/ip_interface_brief.txt').lines)).toEqual([
      { interfaceName: 'GigabitEthernet0/4', address: '203.0.113.24' },
      { interfaceName: 'NVI0', address: '203.0.113.24' },
      { interfaceName: 'Vlan1', address: '192.168.100.1' },
      { interfaceName: 'Vlan20', address: '172.16.20.1' },
    ]);
  });

  test('times', () => {
    expect(['00:31:42', '1d02h', '2w3d', '1y23w', 'never', '1:2', ''].map(parseAge)).toEqual([
      1902,
      93_600,
      1_468_800,
      45_446_400,
      null,
      null,
      null,
    ]);
    expect(parseLocalTime('02/15/12 11:38:01')).toBe(Date.UTC(2012, 1, 15, 11, 38, 1));
    expect(parseClock(['*12:00:00.123 JST Sun Mar 1 2026'])).toEqual({ localAt: noon, isSet: false });
    expect(parseClock(['Load for five secs: 1%', '.12:00:00.001 UTC Sun Mar 1 2026'])).toEqual({
      localAt: noon,
      isSet: true,
    });
    expect(parseClock(['12 o clock'])).toBeNull();
  });

  test('refusals', () => {
    const classes = captureOf('cisco/hostile/errors.txt').lines.map(parseVendorBError);
    expect(classes.filter((name) => name !== null)).toEqual([
      'not_accepted',
      'not_accepted',
      'incomplete',
      'unknown_command',
      'password',
      'password',
      'password',
      'password',
      'password',
      'password',
      'password',
      'authorization',
      'authorization',
    ]);
    const rejected = captureOf('cisco/hostile/nat.verbose_rejected.txt').lines;
    expect(rejected.map(parseVendorBError)).toContain('not_accepted');
    expect(parseVendorBError('tcp 203.0.113.24:443 192.168.100.2:443 --- ---')).toBeNull();
  });
});
