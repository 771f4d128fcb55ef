// Holds the simulated routers to the fixtures: a world frozen at their moment prints the same bytes.
import { describe, expect, test } from 'vitest';
import type { WorldView } from '#simulators/router/model.ts';
import type { Vendor } from '#simulators/router/vendor.ts';
import { vendorA } from '#simulators/router/vendor-a.ts';
import { vendorB } from '#simulators/router/vendor-b.ts';
import {
  expectedOf,
  type FrozenOptions,
  fixture,
  fixtureNames,
  frozenAt,
  frozenHosts,
  frozenTable,
  frozenWorld,
} from '../support/frozen-world.ts';
import { bytesOf, linesOf } from '../support/vendor-dialogue.ts';
import { verifies } from '../support/verifies.ts';

interface Case {
  command: string;
  file: string;
  world: FrozenOptions;
  paged?: true;
}

/** Compares as text first, for a readable difference, then byte for byte. */
async function expectBytes(vendor: Vendor, world: WorldView, { command, file, paged }: Case, privileged = false) {
  const printed = await bytesOf(vendor, world, command, { privileged, ...(paged ? { paged } : {}) });
  expect(printed.toString('latin1')).toBe(fixture(file).toString('latin1'));
}

/** Names of the cases' files in a folder, sorted. */
function namesIn(folder: string, cases: readonly Case[]): readonly string[] {
  const names = cases.map(({ file }) => file).filter((file) => file.startsWith(`${folder}/`));
  return [...new Set(names.map((file) => file.slice(folder.length + 1)))].sort();
}

function syntheticFiles(folder: string, others: readonly string[]): readonly string[] {
  const names = fixtureNames(folder).filter((name) => name.endsWith('.txt'));
  return names.filter((name) => !others.includes(name)).sort();
}

describe('vendor_a', () => {
  const small = frozenTable('vendor_a', expectedOf('yamaha/synthetic/nat_detail.expected.json'));
  const medium = frozenTable('vendor_a', expectedOf('yamaha/synthetic/nat_detail.medium400.expected.json'));
  const lan172 = frozenTable('vendor_a', expectedOf('yamaha/synthetic/nat_detail.lan172.expected.json'));
  const hosts = frozenHosts('vendor_a');
  const speaks = (character: 'en.ascii' | 'ja.sjis' | 'ja.euc' | 'ja.utf8') => ({ character });
  const en = speaks('en.ascii');
  const detail = 'show nat descriptor address 1000 detail';
  const s = 'yamaha/synthetic';

  const cases: readonly Case[] = [
    { command: detail, file: `${s}/nat_detail.en.ascii.txt`, world: { nat: small, settings: en } },
    { command: detail, file: `${s}/nat_detail.ja.sjis.txt`, world: { nat: small, settings: speaks('ja.sjis') } },
    { command: detail, file: `${s}/nat_detail.ja.utf8.txt`, world: { nat: small, settings: speaks('ja.utf8') } },
    { command: detail, file: `${s}/nat_detail.empty.en.txt`, world: { settings: en } },
    { command: detail, file: `${s}/nat_detail.lan172.en.txt`, world: { nat: lan172, settings: en } },
    { command: detail, file: `${s}/nat_detail.medium400.en.txt`, world: { nat: medium, settings: en } },
    {
      command: 'show nat descriptor address 1000',
      file: `${s}/nat_summary.en.txt`,
      world: { nat: medium, settings: { ...en, tableLimit: 250_000 } },
    },
    {
      command: 'show nat descriptor address',
      file: `${s}/nat_summary.ja.sjis.txt`,
      world: { nat: medium, settings: { ...speaks('ja.sjis'), tableLimit: 250_000 } },
    },
    {
      command: 'show nat descriptor masquerade session 1000 summary',
      file: `${s}/session_summary.en.txt`,
      world: { nat: small, settings: en, counters: { peak: 3001 } },
    },
    { command: 'show arp', file: `${s}/arp.en.txt`, world: { hosts, settings: en } },
    { command: 'show arp', file: `${s}/arp.ja.sjis.txt`, world: { hosts, settings: speaks('ja.sjis') } },
    { command: 'show ipv6 neighbor cache', file: `${s}/ndp.en.txt`, world: { hosts, settings: en } },
    // A DUID line is longer than 80 columns; the files have it whole, as wider consoles print it.
    { command: 'show status dhcp', file: `${s}/dhcp.en.txt`, world: { hosts, settings: { ...en, columns: 120 } } },
    { command: 'show status dhcp', file: `${s}/dhcp.ja.sjis.txt`, world: { hosts, settings: { columns: 120 } } },
    { command: 'show environment', file: `${s}/environment.en.wrap80.txt`, world: { nat: small, settings: en } },
    { command: 'show environment', file: `${s}/environment.ja.sjis.txt`, world: { nat: small } },
    {
      command: detail,
      file: 'yamaha/hostile/nat_detail.paged24.en.txt',
      world: { nat: medium, settings: en },
      paged: true,
    },
    { command: detail, file: 'yamaha/hostile/nat_detail.paged24.ja.sjis.bin', world: { nat: medium }, paged: true },
    {
      command: detail,
      file: 'yamaha/hostile/nat_detail.paged24.ja.utf8.txt',
      world: { nat: medium, settings: speaks('ja.utf8') },
      paged: true,
    },
  ];
  for (const one of cases) {
    verifies('sim.router.vendor-a-tables', `${one.command} prints ${one.file}`, async () => {
      await expectBytes(vendorA, frozenWorld('vendor_a', one.world), one);
    });
  }

  test('every synthetic file is held to, but for those that are not the answer of one command', () => {
    // Log lines as syslog sends them; the configuration has a test of its own.
    const others = ['config.user_level.txt', 'syslog.txt'];
    expect(namesIn(s, cases)).toEqual(syntheticFiles(s, others));
  });

  test('show config at user level is config.user_level.txt, but for the column of one hard wrap', async () => {
    const oneMapping = frozenTable('vendor_a', { lan: '192.168.100.1', dynamic: 0, static: 1, sessions: [] }, 1);
    const world = frozenWorld('vendor_a', { nat: oneMapping, settings: { lines: 'infinity' } });
    // The file breaks the line of the main board after 81 columns, one more than `console columns 80` allows.
    const whole = (text: string) => text.replace(/(MAC-Ad[a-z]*)\r\n/i, '$1');
    const printed = await bytesOf(vendorA, world, 'show config');
    expect(whole(printed.toString('latin1'))).toBe(
      whole(fixture('yamaha/synthetic/config.user_level.txt').toString('latin1')),
    );
    expect(printed.toString('latin1')).toContain('00:a0:de:00:00:01 MAC-Addre\r\nss=00:a0:de:00:00:02');
  });

  test('EUC-JP says the same as UTF-8', async () => {
    const print = async (character: 'ja.euc' | 'ja.utf8') =>
      bytesOf(vendorA, frozenWorld('vendor_a', { nat: small, settings: speaks(character) }), detail);
    const inEuc = new TextDecoder('euc-jp', { fatal: true }).decode(await print('ja.euc'));
    expect(inEuc).toBe((await print('ja.utf8')).toString('utf8'));
  });

  test('show ip route has the columns of the capture', () => {
    const captured = fixture('yamaha/licensed/show_ip_route.txt').toString('utf8').split('\n');
    const printed = linesOf(vendorA, frozenWorld('vendor_a', { settings: en }), 'show ip route');
    expect(printed[0]).toBe(captured[0]);
    expect(printed).toContain(captured.find((line) => line.includes('LAN1')));
  });
});

describe('vendor_b', () => {
  const of = (name: string) => frozenTable('vendor_b', expectedOf(`cisco/synthetic/${name}.expected.json`));
  const small = of('nat');
  const hosts = frozenHosts('vendor_b');
  const lan = { lanAddress: '192.168.100.1', wanAddress: '203.0.113.24' };
  const ios: FrozenOptions = { profile: 'c841m-ios155', settings: lan, nat: small };
  const xe16: FrozenOptions = { ...ios, profile: 'isr-xe16' };
  const xe17: FrozenOptions = { ...ios, profile: 'isr-xe17' };
  const old: FrozenOptions = { ...ios, profile: 'ios12-legacy' };
  const plain = 'show ip nat translations';
  const verbose = 'show ip nat translations verbose';
  const minuteMs = 60_000;
  const s = 'cisco/synthetic';

  const cases: readonly Case[] = [
    { command: plain, file: `${s}/nat.ios.plain.txt`, world: ios },
    { command: plain, file: `${s}/nat.ios.plain.txt`, world: old },
    { command: verbose, file: `${s}/nat.ios.verbose.txt`, world: ios },
    { command: verbose, file: `${s}/nat.ios.medium400.verbose.txt`, world: { ...ios, nat: of('nat.ios.medium400') } },
    { command: plain, file: `${s}/nat.ios.lan172.txt`, world: { ...ios, nat: of('nat.ios.lan172') } },
    { command: plain, file: `${s}/nat.ios.empty.txt`, world: { profile: 'c841m-ios155' } },
    { command: plain, file: `${s}/nat.xe.plain.txt`, world: xe16 },
    { command: plain, file: `${s}/nat.xe.plain.txt`, world: xe17 },
    { command: verbose, file: `${s}/nat.xe.verbose.txt`, world: xe16 },
    { command: verbose, file: `${s}/nat.xe17.verbose.txt`, world: xe17 },
    { command: verbose, file: `${s}/nat.xe.empty.txt`, world: { profile: 'isr-xe16' } },
    {
      command: 'show ip nat statistics',
      file: `${s}/nat_statistics.txt`,
      world: {
        ...ios,
        counters: {
          peak: 841 - 5,
          peakAt: frozenAt - (2 * 24 + 3) * 60 * minuteMs,
          hits: 18_532_291,
          punted: 427_518,
          expired: 501_204,
        },
      },
    },
    {
      command: 'show ip arp',
      file: `${s}/arp.txt`,
      world: { ...ios, hosts, settings: { ...lan, bootedAt: frozenAt - 12 * minuteMs } },
    },
    { command: 'show ipv6 neighbors', file: `${s}/ipv6_neighbors.txt`, world: { ...ios, hosts } },
    { command: 'show ip interface brief', file: `${s}/ip_interface_brief.txt`, world: ios },
    { command: 'show ip dhcp binding', file: `${s}/dhcp_binding.txt`, world: { ...ios, hosts: hosts.slice(1) } },
    {
      command: 'show version',
      file: `${s}/version.c841m.txt`,
      world: {
        ...ios,
        settings: { ...lan, bootedAt: frozenAt - ((23 * 24 + 4) * 60 + 11) * minuteMs },
      },
    },
  ];
  for (const one of cases) {
    verifies('sim.router.vendor-b-tables', `${one.command} prints ${one.file} on ${one.world.profile}`, async () => {
      await expectBytes(vendorB, frozenWorld('vendor_b', one.world), one, true);
    });
  }

  test('every synthetic file is held to, but for the log lines', () => {
    expect(namesIn(s, cases)).toEqual(syntheticFiles(s, ['syslog.txt']));
  });

  test('with the pager on, the rows between the page marks are the same', async () => {
    const nat = of('nat.ios.medium400');
    const world = frozenWorld('vendor_b', { ...ios, nat });
    const { text, erase } = vendorB.pager(world, vendorB.newLogin('monitor', world));
    const printed = await bytesOf(vendorB, world, verbose, { privileged: true, paged: true });
    const pages = printed.toString('latin1').split(text + erase);
    expect(pages.slice(0, -1).map((page) => page.split('\r\n').length - 1)).toEqual(pages.slice(1).map(() => 23));
    // The file's first page is one row shorter than the others, so the marks stand one row higher there.
    const captured = fixture('cisco/hostile/nat.paged24.bs.bin').toString('latin1');
    expect(captured).toContain(text + erase);
    expect(pages.join('')).toBe(captured.replaceAll(text + erase, ''));
  });

  test('a VRF listing has the cells of the capture', () => {
    const captured = fixture('cisco/licensed/nat_translations.iosxe.vrf.txt').toString('utf8');
    const cells = (lines: readonly string[]) =>
      lines.filter((line) => line.startsWith('---')).map((line) => line.trim().split(/\s+/));
    const rows = cells(captured.split('\n'));
    const template = small.entries[4];
    const entries = rows.map(([, outerAddress = '', src = ''], index) => ({
      ...template,
      ...(template ?? expect.fail('the fixture has a one-to-one mapping')),
      id: index,
      outerAddress,
      src,
      vrf: 'abc',
    }));
    const world = frozenWorld('vendor_b', { ...ios, nat: { entries, timers: new Map() } });
    expect(cells(linesOf(vendorB, world, `${plain} vrf abc`, true))).toEqual(rows);
    expect(linesOf(vendorB, world, `${plain} vrf other`, true)).toEqual([]);
  });

  test('show users has the columns of the capture', () => {
    const users = [{ user: 'arm', from: '1.2.3.4', privileged: true, self: true }];
    const printed = linesOf(vendorB, frozenWorld('vendor_b', { ...ios, users }), 'show users');
    const captured = fixture('cisco/licensed/show_users.ios.txt').toString('utf8').split('\n');
    expect(printed.map((line) => line.trimEnd())).toEqual(captured.slice(0, printed.length).map((l) => l.trimEnd()));
  });
});
