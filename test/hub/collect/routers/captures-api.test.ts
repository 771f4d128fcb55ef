// Every captured NAT table, replayed by a simulated router over real SSH, polled, recorded, and read back from the API.
import { globSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { Session } from '#hub/collect/routers/driver.ts';
import type { RouterOptions } from '#simulators/router/router.ts';
import { root } from '../../../../scripts/sources.ts';
import { startLab } from '../../../support/lab.ts';
import { verifies } from '../../../support/verifies.ts';
import { expectedOf, readBytes } from './captures.ts';

type Table = 'nat' | 'arp' | 'ndp';
type Kept = Pick<Session, 'proto' | 'src' | 'dst' | 'dport'> & { idleSec?: number | null };

interface Case {
  options: Omit<RouterOptions, 'replay'>;
  sessions: readonly Kept[];
  complete: boolean;
}

const yamaha = (character: 'en.ascii' | 'ja.sjis' | 'ja.utf8'): Case['options'] => ({
  kind: 'vendor_a',
  settings: { character },
});
const ios: Case['options'] = { kind: 'vendor_b', profile: 'c841m-ios155' };
const xe: Case['options'] = { kind: 'vendor_b', profile: 'isr-xe17' };
const icmp = (src: string, dst: string): Kept => ({ proto: 'ICMP', src, dst, dport: 0 });

function fromExpected(options: Case['options'], file: string, complete = true): Case {
  return { options, sessions: expectedOf(file).sessions, complete };
}

const detail = 'yamaha/synthetic/nat_detail.expected.json';
const paged = 'yamaha/hostile/nat_detail.paged24.expected.json';
const nat = 'cisco/synthetic/nat.expected.json';
const natPaged = 'cisco/hostile/nat.paged24.expected.json';
const ended = {
  sessions: [
    { proto: 'TCP', src: '192.168.100.13', dst: '198.18.23.174', dport: 443 },
    { proto: 'UDP', src: '192.168.100.14', dst: '198.18.23.175', dport: 443 },
  ],
  complete: true,
};
const none = { sessions: [], complete: true };

const cases: Record<string, Case> = {
  'yamaha/synthetic/nat_detail.en.ascii.txt': fromExpected(yamaha('en.ascii'), detail),
  'yamaha/synthetic/nat_detail.ja.utf8.txt': fromExpected(yamaha('ja.utf8'), detail),
  'yamaha/synthetic/nat_detail.ja.sjis.txt': fromExpected(yamaha('ja.sjis'), detail),
  'yamaha/synthetic/nat_detail.empty.en.txt': { options: yamaha('en.ascii'), ...none },
  'yamaha/synthetic/nat_detail.lan172.en.txt': fromExpected(
    yamaha('en.ascii'),
    'yamaha/synthetic/nat_detail.lan172.expected.json',
  ),
  'yamaha/synthetic/nat_detail.medium400.en.txt': fromExpected(
    yamaha('en.ascii'),
    'yamaha/synthetic/nat_detail.medium400.expected.json',
  ),
  'yamaha/hostile/nat_detail.paged24.en.txt': fromExpected(yamaha('en.ascii'), paged),
  'yamaha/hostile/nat_detail.paged24.ja.utf8.txt': fromExpected(yamaha('ja.utf8'), paged),
  'yamaha/hostile/nat_detail.paged24.ja.sjis.bin': fromExpected(yamaha('ja.sjis'), paged),
  'yamaha/hostile/nat_detail.block_end.en.txt': { options: yamaha('en.ascii'), ...ended },
  'yamaha/hostile/nat_detail.block_end.ja.euc.txt': { options: yamaha('ja.utf8'), ...ended },
  'yamaha/hostile/nat_detail.truncated_midrow.txt': fromExpected(
    yamaha('en.ascii'),
    'yamaha/hostile/nat_detail.truncated_midrow.expected.json',
    false,
  ),
  'cisco/synthetic/nat.ios.plain.txt': fromExpected(ios, nat),
  'cisco/synthetic/nat.ios.verbose.txt': fromExpected(ios, nat),
  'cisco/synthetic/nat.xe.plain.txt': fromExpected(xe, nat),
  'cisco/synthetic/nat.xe.verbose.txt': fromExpected(xe, nat),
  'cisco/synthetic/nat.xe17.verbose.txt': fromExpected(xe, nat),
  'cisco/synthetic/nat.ios.empty.txt': { options: ios, ...none },
  'cisco/synthetic/nat.xe.empty.txt': { options: xe, ...none },
  'cisco/synthetic/nat.ios.lan172.txt': fromExpected(ios, 'cisco/synthetic/nat.ios.lan172.expected.json'),
  'cisco/synthetic/nat.ios.medium400.verbose.txt': fromExpected(ios, 'cisco/synthetic/nat.ios.medium400.expected.json'),
  'cisco/hostile/nat.paged24.bs.bin': fromExpected(ios, natPaged),
  'cisco/hostile/nat.paged24.split_midline.bin': fromExpected(ios, natPaged),
  'cisco/hostile/nat.syslog_interleaved.txt': fromExpected(ios, nat),
  'cisco/hostile/nat.verbose.truncated.txt': {
    options: ios,
    sessions: expectedOf(nat).sessions.slice(0, 12),
    complete: false,
  },
  'cisco/licensed/nat_translations.ios.plain.mixed.txt': {
    options: ios,
    sessions: [
      { proto: 'TCP', src: '10.1.0.2', dst: '10.2.0.2', dport: 21 },
      { proto: 'TCP', src: '10.1.0.2', dst: '10.2.0.2', dport: 22 },
      icmp('10.1.0.2', '10.2.0.2'),
    ],
    complete: true,
  },
  'cisco/licensed/nat_translations.iosxe.1.txt': { options: xe, ...none },
  'cisco/licensed/nat_translations.iosxe.3.txt': { options: xe, ...none },
  'cisco/licensed/nat_translations.iosxe.plain.txt': { options: xe, ...none },
  'cisco/licensed/nat_translations.iosxe.vrf.txt': { options: xe, ...none },
  'cisco/licensed/nat_translations.iosxe.vrf_verbose_any.txt': { options: xe, sessions: [], complete: false },
  'cisco/licensed/nat_translations.iosxe17.enhanced_verbose.txt': {
    options: xe,
    sessions: [icmp('5.1.1.1', '80.1.1.1')],
    complete: true,
  },
};

/** Captures that are no NAT session table: totals, limits, summaries, refusals. */
const noTables = /nat_summary|nat_limits|nat_statistics|total\.txt|verbose_rejected|expected\.json/;

const keyOf = ({ proto, src, dst, dport }: Kept) => `${proto} ${src} ${dst} ${dport}`;

verifies('sim.router.captures', 'no captured NAT table is left out', () => {
  const files = globSync('{yamaha,cisco}/{synthetic,hostile,licensed}/nat*', {
    cwd: path.join(root, 'fixtures/routers'),
  });
  expect(files.filter((file) => !noTables.test(file)).sort()).toEqual(Object.keys(cases).sort());
});

describe('a captured NAT table reaches the API', () => {
  for (const [file, { options, sessions, complete }] of Object.entries(cases)) {
    verifies('sim.router.captures sim.router.replay', file, async () => {
      const replay: Partial<Record<Table, Uint8Array>> = { nat: readBytes(file) };
      await using lab = await startLab({ routers: { one: { ...options, replay } } });
      const list = await lab.as.admin.connections.list({ query: {} });
      const keys = list.connections.map(keyOf).sort();
      expect(keys).toEqual([...new Set(sessions.map(keyOf))].sort());
      const [router] = (await lab.as.admin.routers.list({})).routers;
      expect(router).toMatchObject({ state: 'ready', complete });
      expect(lab.routers.one.control.violations).toEqual([]);
      const timed = file.includes('verbose') && options.kind === 'vendor_b' && !file.includes('licensed');
      for (const session of timed ? sessions : []) {
        const row = list.connections.find((connection) => keyOf(connection) === keyOf(session));
        expect(row?.lastSeen).toBeGreaterThanOrEqual(lab.clock.now() - (session.idleSec ?? 0) * 1000);
      }
    });
  }
});

verifies(
  'sim.router.captures rest.connections.field-source-mac',
  'captured ARP tables give the sources their MAC',
  async () => {
    const arp: [string, RouterOptions][] = [
      ['yamaha/synthetic/arp.en.txt', yamaha('en.ascii')],
      ['yamaha/synthetic/arp.ja.sjis.txt', yamaha('ja.sjis')],
      ['cisco/synthetic/arp.txt', ios],
    ];
    for (const [file, options] of arp) {
      const table =
        options.kind === 'vendor_a' ? 'yamaha/synthetic/nat_detail.en.ascii.txt' : 'cisco/synthetic/nat.ios.plain.txt';
      const character = options.kind === 'vendor_a' ? { character: options.settings?.character ?? 'en.ascii' } : {};
      const replay = { nat: readBytes(table), arp: readBytes(file) };
      await using lab = await startLab({ routers: { one: { ...options, settings: { ...character }, replay } } });
      const { connections } = await lab.as.admin.connections.list({
        query: { fSrc: '192.168.100.7', fSrcMode: 'exact' },
      });
      expect(connections.length).toBeGreaterThan(0);
      expect(new Set(connections.map(({ srcMac }) => srcMac))).toEqual(new Set(['00:00:5e:00:53:05']));
    }
  },
);
