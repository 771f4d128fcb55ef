// What lines of followed logs tell, format by format.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDhcpLogReader } from '#hub/collect/data-sources/dhcp-log.ts';
import { createDnsLogReader } from '#hub/collect/data-sources/dns-log.ts';
import type { LineReader } from '#hub/collect/data-sources/findings.ts';
import { createInspectLogReader } from '#hub/collect/data-sources/inspect-log.ts';

const readAll = (reader: LineReader, lines: readonly string[]) => lines.flatMap((line) => reader.read(line) ?? []);

describe('dnsmasq', () => {
  const at = 'Mar  1 12:00:00 dnsmasq[532]:';

  it('gives an address the name that was asked for, whatever aliases lie between', () => {
    const lines = [
      `${at} query[A] www.example.com from 192.168.1.5`,
      `${at} forwarded www.example.com to 192.0.2.53`,
      `${at} reply www.example.com is <CNAME>`,
      `${at} reply www.example.com.cdn.example is <CNAME>`,
      `${at} reply edge7.cdn.example is 203.0.113.5`,
      `${at} reply edge7.cdn.example is 203.0.113.6`,
      `${at} reply other.example is 203.0.113.7`,
    ];
    expect(readAll(createDnsLogReader(), lines)).toEqual([
      { kind: 'name', address: '203.0.113.5', name: 'www.example.com', client: '192.168.1.5' },
      { kind: 'name', address: '203.0.113.6', name: 'www.example.com', client: '192.168.1.5' },
      { kind: 'name', address: '203.0.113.7', name: 'other.example' },
    ]);
  });

  it('names every address of any answers by what was asked for, also between lines that break an answer off', () => {
    const answer = fc.record({
      how: fc.constantFrom('reply', 'cached', 'config', '/etc/hosts', '17 192.168.1.5/50123 reply'),
      aliases: fc.nat(3),
      addresses: fc.integer({ min: 1, max: 3 }),
      breaks: fc.constantFrom(null, 'query[A] other.example from 192.168.1.5', 'reply other.example is NXDOMAIN', 'x'),
    });
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 6 }), (answers) => {
        const reader = createDnsLogReader();
        const lines: string[] = [];
        const expected: object[] = [];
        for (const [nth, { how, aliases, addresses, breaks }] of answers.entries()) {
          const names = Array.from({ length: aliases + 1 }, (_, depth) => `n${depth}.a${nth}.example`);
          lines.push(...names.slice(0, -1).map((name) => `${at} ${how} ${name} is <CNAME>`));
          lines.push(...(breaks === null ? [] : [breaks === 'x' ? 'kernel: eth0 up' : `${at} ${breaks}`]));
          for (let address = 1; address <= addresses; address += 1) {
            lines.push(`${at} ${how} ${names.at(-1)} is 203.0.${nth}.${address}`);
            const name = breaks === null ? names[0] : names.at(-1);
            expected.push({ kind: 'name', address: `203.0.${nth}.${address}`, name });
          }
        }
        expect(readAll(reader, lines)).toEqual(expected);
      }),
    );
  });

  it('reads the form with numbers and clients, and the cache', () => {
    const lines = [
      'Mar  1 12:00:00 dnsmasq[532]: 17 192.168.1.5/50123 reply Files.Example.COM. is 203.0.113.5',
      'Mar  1 12:00:00 dnsmasq[532]: 18 192.168.1.5/50123 cached-stale mail.example is 203.0.113.9',
    ];
    expect(readAll(createDnsLogReader(), lines)).toEqual([
      { kind: 'name', address: '203.0.113.5', name: 'files.example.com' },
      { kind: 'name', address: '203.0.113.9', name: 'mail.example' },
    ]);
  });

  it('knows hosts of the LAN from leases and hosts files', () => {
    const lines = [
      `${at} DHCP 192.168.1.7 is laptop.lan`,
      `${at} /etc/hosts printer.lan is 192.168.1.9`,
      `${at} DHCP tablet.lan is 192.168.1.8`,
    ];
    expect(readAll(createDnsLogReader(), lines)).toEqual([
      { kind: 'host', address: '192.168.1.7', mac: null, name: 'laptop.lan' },
      { kind: 'host', address: '192.168.1.9', mac: null, name: 'printer.lan' },
      { kind: 'host', address: '192.168.1.8', mac: null, name: 'tablet.lan' },
    ]);
  });

  it.each([
    `${at} reply nowhere.example is NXDOMAIN`,
    `${at} reply www.example.com is NODATA-IPv6`,
    `${at} reply www.example.com is 203.0.113.5 and more`,
    `${at} reply localhost is 127.0.0.1`,
    `${at} reply localhost is ::1`,
    `${at} reply nowhere.example is ::`,
    `${at} DHCP 192.168.1.7 is <name>`,
    `${at} reply neither is such`,
    `${at} gravity blocked ads.example is 0.0.0.0`,
    `${at} config ads.example is 0.0.0.0`,
    `${at} reply 203.0.113.5 is host.of.somebody.example`,
    `${at} reply <script>.example is 203.0.113.5`,
    `${at} started, version 2.90 cachesize 150`,
  ])('learns nothing from: %s', (line) => expect(createDnsLogReader().read(line)).toEqual([]));

  it.each(['kernel: eth0 up', 'mydnsmasq[532]: started', 'dnsmasq: started', 'dnsmasq[]: started'])(
    'tells the foreign line %j apart',
    (line) => expect(createDnsLogReader().read(line)).toBeNull(),
  );
});

describe('DHCP', () => {
  it.each([
    ['<190>[DHCPD] LAN1(port4) Allocates 192.168.100.4: 00:A0:DE:01:02:03', '192.168.100.4', null],
    ['Mar  1 12:00:00 192.0.2.1 [DHCPD] LAN1(port4) Extends 192.168.100.5: 00:a0:de:01:02:03', '192.168.100.5', null],
    ['Mar  1 dnsmasq-dhcp[9]: DHCPACK(br0) 192.168.1.5 00:a0:de:01:02:03 Laptop', '192.168.1.5', 'laptop'],
    ['Mar  1 dnsmasq-dhcp[952]: 2887 DHCPACK(br0) 192.168.1.6 00:a0:de:01:02:03', '192.168.1.6', null],
    ['Mar  1 dhcpd[714]: DHCPACK on 192.168.1.7 to 00:a0:de:01:02:03 (phone) via eth0', '192.168.1.7', 'phone'],
    ['Mar  1 dhcpd: DHCPACK on 192.168.1.8 to 00:a0:de:01:02:03 via eth0', '192.168.1.8', null],
  ])('%s', (line, address, name) => {
    expect(createDhcpLogReader().read(line)).toEqual([{ kind: 'host', address, mac: '00:a0:de:01:02:03', name }]);
  });

  it.each([
    '[DHCPD] LAN1(port4) Allocates 192.168.100.400: 00:a0:de:01:02:03',
    'dnsmasq-dhcp[9]: DHCPDISCOVER(br0) 00:a0:de:01:02:03',
    'dnsmasq-dhcp[9]: DHCPACK(br0) 192.168.1.5 00:a0:de:01:02:0',
    'dnsmasq-dhcp[9]: DHCPACK(br0) 192.168.1.5 0:::::::::::::::0',
    'dhcpd[714]: DHCPDISCOVER from 00:a0:de:01:02:03 via eth0',
    'dhcpd: DHCPACK on 192.168.1.7 to 00:a0:de:01:02:03 () via eth0',
  ])('learns nothing from: %s', (line) => expect(createDhcpLogReader().read(line)).toEqual([]));

  it.each(['sshd[1]: Accepted', 'mydnsmasq-dhcp[9]: DHCPACK', 'mydhcpd: DHCPACK', 'dhcpd[]: DHCPACK', 'DHCPD: x'])(
    'tells the foreign line %j apart',
    (line) => expect(createDhcpLogReader().read(line)).toBeNull(),
  );
});

describe('packet inspection', () => {
  const yamaha = '[INSPECT] LAN2[out][101100] TCP 192.168.100.3:54874 > 198.51.100.25:443 (2026/03/01 11:58:42)';
  const session = {
    kind: 'session',
    sender: null,
    proto: 'TCP',
    src: '192.168.100.3',
    sport: 54_874,
    dst: '198.51.100.25',
    dport: 443,
    durationMs: null,
  };

  it.each([
    [`<189>${yamaha}`, {}],
    [`Mar  1 11:59:42 192.0.2.1 ${yamaha}`, { sender: '192.0.2.1', durationMs: 60_000 }],
    [`<189>Mar  1 11:58:42 rtx ${yamaha}`, { sender: 'rtx', durationMs: 0 }],
    [`Mar  1 11:59:42  ${yamaha}`, { durationMs: 60_000 }],
    [`Mar  1 11:58:00 rtx ${yamaha}`, { sender: 'rtx' }],
    [`<5>Mar 2 11:58:42   rtx  ${yamaha}`, { sender: 'rtx', durationMs: 86_400_000 }],
    [`Mar  2 11:58:43 rtx ${yamaha}`, { sender: 'rtx' }],
    [`Mar 11 11:58:42 rtx ${yamaha.replace('03/01', '03/10')}`, { sender: 'rtx', durationMs: 86_400_000 }],
    [`Foo 31 11:58:43 rtx ${yamaha.replace('03/01', '12/31')}`, { sender: 'rtx' }],
    [`<1234>rtx ${yamaha}`, { sender: '<1234>rtx' }],
    [`<>Mar  1 11:59:42 rtx ${yamaha}`, {}],
    [`one Mar  1 11:59:42 rtx ${yamaha}`, {}],
    [yamaha.replace(':54874', ':65535').replace(':443', ':65535'), { sport: 65_535, dport: 65_535 }],
    [yamaha.replace('TCP', 'UDP'), { proto: 'UDP' }],
  ])('%s', (line, more) => expect(createInspectLogReader().read(line)).toEqual([{ ...session, ...more }]));

  it('reads IPv6, whose port stands behind a dot', () => {
    const line = '[INSPECT] PP[01][out][31] UDP 2001:db8:1::5.56609 > 2001:DB8:2::9.443 (2026/09/06 12:33:02)';
    expect(createInspectLogReader().read(line)).toMatchObject([
      { proto: 'UDP', src: '2001:db8:1::5', sport: 56_609, dst: '2001:db8:2::9', dport: 443 },
    ]);
  });

  it('counts over the turn of the year', () => {
    const line = 'Jan  1 00:00:30 rtx [INSPECT] LAN2[out][1] TCP 10.0.0.3:1 > 198.51.100.25:443 (2026/12/31 23:59:30)';
    expect(createInspectLogReader().read(line)).toMatchObject([{ durationMs: 60_000 }]);
  });

  it.each([
    yamaha.slice(0, 60),
    ...[
      ['[out]', '[in]'],
      ['192.168.100.3', '192.168.100.300'],
      ['198.51.100.25', '198.51.100.256'],
      ...['XTCP', 'TCPX', 'ICMP'].map((proto) => ['TCP', proto]),
      ...['', '65536', '054874'].map((port) => ['54874', port]),
      ...['', '65536', '000443'].map((port) => ['443', port]),
    ].map(([from = '', to = '']) => yamaha.replace(from, to)),
  ])('learns nothing from: %s', (line) => expect(createInspectLogReader().read(line)).toEqual([]));

  it('reads server names of the EVE log of Suricata', () => {
    const event = { event_type: 'tls', src_ip: '192.168.1.5', dest_ip: '203.0.113.5', tls: { sni: 'Shop.Example' } };
    const read = (value: unknown) => createInspectLogReader().read(JSON.stringify(value));
    expect(read(event)).toEqual([
      { kind: 'name', address: '203.0.113.5', name: 'shop.example', client: '192.168.1.5' },
    ]);
    expect(read({ ...event, event_type: 'flow' })).toEqual([]);
    expect(read({ ...event, tls: {} })).toEqual([]);
    expect(read({ ...event, tls: { sni: '<script>' } })).toEqual([]);
    expect(read({ ...event, dest_ip: '192.168.1.9' })).toEqual([]);
    expect(read({ ...event, dest_ip: 'nowhere' })).toEqual([]);
    expect(read({ kind: 'other' })).toBeNull();
    expect(read([event])).toBeNull();
    expect(createInspectLogReader().read('{"cut')).toBeNull();
  });
});

describe('any line', () => {
  it.each([
    ['dns', createDnsLogReader],
    ['dhcp', createDhcpLogReader],
    ['inspect', createInspectLogReader],
  ])('does not break the %s reader', (_name, create) => {
    const words = fc.constantFrom(
      'dnsmasq[1]: ',
      'reply ',
      ' is ',
      '[INSPECT] ',
      '[DHCPD] ',
      '203.0.113.5',
      '{"',
      ' > ',
    );
    const line = fc.array(fc.oneof(words, fc.string()), { maxLength: 12 }).map((parts) => parts.join(''));
    const reader = create();
    fc.assert(fc.property(line, (text) => void reader.read(text)));
  });
});
