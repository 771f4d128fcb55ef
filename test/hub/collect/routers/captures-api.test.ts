// Every captured NAT table, replayed by a simulated router over real SSH, polled, recorded, and read back from the API.
import { globSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { Session } from '#hub/collect/routers/driver.ts';
import { root } from '../../../../scripts/sources.ts';
import { type LabRouterOptions, startLab } from '../../../support/lab.ts';
import { verifies } from '../../../support/verifies.ts';
import { expectedOf, readBytes } from './captures.ts';

type Kept = Pick<Session, 'proto' | 'src' | 'dst' | 'dport'> & { idleSec?: number | null };

type Case = [sessions: readonly Kept[], isComplete?: boolean];

const yamaha = (character: 'en.ascii' | 'ja.sjis' | 'ja.utf8'): Omit<LabRouterOptions, 'replay'> => ({
  kind: 'vendor_a',
  settings: { character },
});
const ios = { kind: 'vendor_b', dialect: 'c841m-ios155' } as const;

/** The router that would print this capture. */
function routerOf(file: string): Omit<LabRouterOptions, 'replay'> {
  if (file.startsWith('cisco')) {
    return /iosxe|\.xe/.test(file) ? { kind: 'vendor_b', dialect: 'isr-xe17' } : ios;
  }
  // No router of the simulators prints EUC-JP by its settings.
  return yamaha(/ja\.(?:utf8|euc)/.test(file) ? 'ja.utf8' : file.includes('ja.sjis') ? 'ja.sjis' : 'en.ascii');
}

const sessionsIn = (file: string): readonly Kept[] => expectedOf(`${file}.expected.json`).sessions;
const detail = sessionsIn('yamaha/synthetic/nat_detail');
const detailPaged = sessionsIn('yamaha/hostile/nat_detail.paged24');
const nat = sessionsIn('cisco/synthetic/nat');
const natPaged = sessionsIn('cisco/hostile/nat.paged24');
const icmp = (src: string, dst: string): Kept => ({ proto: 'ICMP', src, dst, dport: 0 });
const ended: Kept[] = [
  { proto: 'TCP', src: '192.168.100.13', dst: '198.18.23.174', dport: 443 },
  { proto: 'UDP', src: '192.168.100.14', dst: '198.18.23.175', dport: 443 },
];

const cases: Record<string, Case> = {
  'yamaha/synthetic/nat_detail.en.ascii.txt': [detail],
  'yamaha/synthetic/nat_detail.ja.utf8.txt': [detail],
  'yamaha/synthetic/nat_detail.ja.sjis.txt': [detail],
  'yamaha/synthetic/nat_detail.empty.en.txt': [[]],
  'yamaha/synthetic/nat_detail.lan172.en.txt': [sessionsIn('yamaha/synthetic/nat_detail.lan172')],
  'yamaha/synthetic/nat_detail.medium400.en.txt': [sessionsIn('yamaha/synthetic/nat_detail.medium400')],
  'yamaha/hostile/nat_detail.paged24.en.txt': [detailPaged],
  'yamaha/hostile/nat_detail.paged24.ja.utf8.txt': [detailPaged],
  'yamaha/hostile/nat_detail.paged24.ja.sjis.bin': [detailPaged],
  'yamaha/hostile/nat_detail.block_end.en.txt': [ended],
  'yamaha/hostile/nat_detail.block_end.ja.euc.txt': [ended],
  'yamaha/hostile/nat_detail.truncated_midrow.txt': [sessionsIn('yamaha/hostile/nat_detail.truncated_midrow'), false],
  'cisco/synthetic/nat.ios.plain.txt': [nat],
  'cisco/synthetic/nat.ios.verbose.txt': [nat],
  'cisco/synthetic/nat.xe.plain.txt': [nat],
  'cisco/synthetic/nat.xe.verbose.txt': [nat],
  'cisco/synthetic/nat.xe17.verbose.txt': [nat],
  'cisco/synthetic/nat.ios.empty.txt': [[]],
  'cisco/synthetic/nat.xe.empty.txt': [[]],
  'cisco/synthetic/nat.ios.lan172.txt': [sessionsIn('cisco/synthetic/nat.ios.lan172')],
  'cisco/synthetic/nat.ios.medium400.verbose.txt': [sessionsIn('cisco/synthetic/nat.ios.medium400')],
  'cisco/hostile/nat.paged24.bs.bin': [natPaged],
  'cisco/hostile/nat.paged24.split_midline.bin': [natPaged],
  'cisco/hostile/nat.syslog_interleaved.txt': [nat],
  'cisco/hostile/nat.verbose.truncated.txt': [nat.slice(0, 12), false],
  'cisco/licensed/nat_translations.ios.plain.mixed.txt': [
    [
      { proto: 'TCP', src: '10.1.0.2', dst: '10.2.0.2', dport: 21 },
      { proto: 'TCP', src: '10.1.0.2', dst: '10.2.0.2', dport: 22 },
      icmp('10.1.0.2', '10.2.0.2'),
    ],
  ],
  'cisco/licensed/nat_translations.iosxe.1.txt': [[]],
  'cisco/licensed/nat_translations.iosxe.3.txt': [[]],
  'cisco/licensed/nat_translations.iosxe.plain.txt': [[]],
  'cisco/licensed/nat_translations.iosxe.vrf.txt': [[]],
  'cisco/licensed/nat_translations.iosxe.vrf_verbose_any.txt': [[], false],
  'cisco/licensed/nat_translations.iosxe17.enhanced_verbose.txt': [[icmp('5.1.1.1', '80.1.1.1')]],
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
  for (const [file, [sessions, complete = true]] of Object.entries(cases)) {
    verifies('sim.router.captures sim.router.replay', file, async () => {
      const options = routerOf(file);
      const replay = { nat: readBytes(file) };
      await using lab = await startLab({ routers: { one: { ...options, replay } } });
      const list = await lab.as.admin.connections.list({ query: {} });
      const keys = list.connections.map(keyOf).sort();
      expect(keys).toEqual([...new Set(sessions.map(keyOf))].sort());
      const [router] = (await lab.as.admin.routers.list({})).routers;
      expect(router).toMatchObject({ state: 'ready', complete });
      expect(lab.routers.one.violations).toEqual([]);
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
  'captured ARP tables give sources a MAC',
  async () => {
    for (const file of ['yamaha/synthetic/arp.en.txt', 'yamaha/synthetic/arp.ja.sjis.txt', 'cisco/synthetic/arp.txt']) {
      const options = routerOf(file);
      const table =
        options.kind === 'vendor_a' ? 'yamaha/synthetic/nat_detail.en.ascii.txt' : 'cisco/synthetic/nat.ios.plain.txt';
      const replay = { nat: readBytes(table), arp: readBytes(file) };
      await using lab = await startLab({ routers: { one: { ...options, replay } } });
      const { connections } = await lab.as.admin.connections.list({
        query: { fSrc: '192.168.100.7', fSrcMode: 'exact' },
      });
      expect(connections.length).toBeGreaterThan(0);
      expect(new Set(connections.map(({ srcMac }) => srcMac))).toEqual(new Set(['00:00:5e:00:53:05']));
    }
  },
);
