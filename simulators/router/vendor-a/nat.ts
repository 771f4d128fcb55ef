// Prints vendor_a's NAT tables: sessions, sessions of each host, and the sizes of session table and port pool.
import type { NatEntry, WorldView } from '../model.ts';
import { findProfile } from '../profiles.ts';
import { getLanguage, padLeft } from './words.ts';

const words = {
  en: {
    type: 'NAT/IP masquerade compatibility type : ',
    descriptor: (number: number, port: string) => `Reference Descriptor : ${number}, Assigned Interface : ${port}`,
    table: 'Masquerade Table',
    outer: 'Outer address: ',
    range: (ranges: string, used: number) => `Port range: ${ranges}   ${used} session.`,
    columns: ['Protocol', 'Inner', 'Dest.', 'Masquerade', 'Type'],
    hosts: '      No.              Inner   Session Count           Limit         Type',
  },
  ja: {
    type: 'NAT/IPマスカレード 動作タイプ : ',
    descriptor: (number: number, port: string) => `参照NATディスクリプタ : ${number}, 適用インタフェース : ${port}`,
    table: 'Masqueradeテーブル',
    outer: '外側アドレス: ',
    range: (ranges: string, used: number) => `ポート範囲: ${ranges}   ${used}個使用中`,
    columns: ['プロトコル', '内側アドレス', '宛先', 'マスカレード', '種別'],
    hosts: '      No.       内側アドレス    セッション数    ホスト毎制限数         種別',
  },
} as const;

/** The interface the descriptor is bound to, as the tables name it. */
export const natInterface = 'LAN2(1)';

/** `show nat descriptor address N detail`: every session, with the seconds left when its row is printed. */
export function* natDetail(world: WorldView): Generator<string> {
  const entries = world.nat();
  const titles = words[getLanguage(world.settings)].columns;
  yield* heading(world, entries.length);
  yield formatRow(titles[0], titles[1], titles[2], titles[3], titles[4]);
  for (const entry of entries) {
    const left = world.ttl(entry);
    if (entry.fixed) {
      yield formatRow(entry.proto.toUpperCase(), formatInner(entry), '*.*.*.*.*', String(entry.outerPort), 'static');
    } else if (left > 0) {
      yield formatRow(
        entry.proto.toUpperCase(),
        formatInner(entry),
        formatDestination(entry),
        formatOuterPort(entry),
        String(Math.ceil(left)),
      );
    }
  }
}

/** `show nat descriptor address N`: sessions per inner address, most first. */
export function* natSummary(world: WorldView): Generator<string> {
  const counts = new Map<string, number>();
  const sessions = world.nat().filter(({ fixed }) => !fixed);
  for (const { src } of sessions) {
    counts.set(src, (counts.get(src) ?? 0) + 1);
  }
  yield* heading(world, sessions.length);
  yield `  -*-${'    -*-'.repeat(10)}`;
  yield words[getLanguage(world.settings)].hosts;
  const limit = padLeft(String(world.settings.tableLimit), 16);
  let number = 0;
  for (const [address, count] of [...counts].sort((one, other) => other[1] - one[1])) {
    number += 1;
    yield `${padLeft(String(number), 8)}${padLeft(address, 20)}${padLeft(String(count), 16)}${limit}         dynamic`;
  }
}

/** `show nat descriptor masquerade session N summary`: newer firmware tells the size of the table without its rows. */
export function sessionSummary(world: WorldView): readonly string[] {
  const { natDescriptor, wanAddress, tableLimit } = world.settings;
  const now = countSessions(world);
  const size = `${String(now).padStart(6)}/${String(tableLimit).padStart(6)}`;
  const peak = String(world.natCounters().peak).padStart(9);
  return [
    'Interface     Desc.Num  Outer address      Current/Max      Peak',
    '------------- --------- --------------- ------------- ---------',
    `${natInterface.padEnd(13)} ${String(natDescriptor).padStart(9)} ${wanAddress.padEnd(15)} ${size} ${peak}`,
  ];
}

/** `show nat descriptor masquerade port N summary`: outer ports in use. Only NAT type 1 has it; here all do. */
export function portSummary(world: WorldView): readonly string[] {
  const { natDescriptor, wanAddress } = world.settings;
  const ranges = findProfile(world.kind, world.settings.profile).outerPorts;
  const all = ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  const ports = world.nat().filter(({ fixed, proto }) => !fixed && hasPorts(proto));
  const used = new Set(ports.map(({ proto, outerPort }) => `${proto} ${outerPort}`)).size;
  const size = `${String(used).padStart(6)}/${String(all).padStart(6)}`;
  return [
    'Interface     Desc.Num  Outer address      Current/Max',
    '------------- --------- --------------- -------------',
    `${natInterface.padEnd(13)} ${String(natDescriptor).padStart(9)} ${wanAddress.padEnd(15)} ${size}`,
  ];
}

/** `used` includes static rows in the detailed table, but not in the summary, as in the fixtures. */
function* heading(world: WorldView, used: number): Generator<string> {
  const { settings } = world;
  const { natType, outerPorts } = findProfile(world.kind, settings.profile);
  const ranges = outerPorts.map(([first, last]) => `${first}-${last}`).join(', ');
  const say = words[getLanguage(settings)];
  yield `${say.type}${natType}`;
  yield say.descriptor(settings.natDescriptor, natInterface);
  yield say.table;
  yield `    ${say.outer}primary/${settings.wanAddress}`;
  yield `    ${say.range(ranges, used)}`;
}

function formatRow(protocol: string, from: string, to: string, port: string, kind: string): string {
  const [one, two, three] = [padLeft(protocol, 10), padLeft(from, 22), padLeft(to, 22)];
  return `${one} ${two} ${three} ${padLeft(port, 12)} ${padLeft(kind, 8)}`;
}

function hasPorts(proto: NatEntry['proto']): boolean {
  return proto === 'tcp' || proto === 'udp';
}

/** ESP and GRE have no ports. ICMP prints its query id as the inner and the outer port, but not at the destination. */
function formatInner({ proto, src, sport }: NatEntry): string {
  return `${src}.${hasPorts(proto) || proto === 'icmp' ? sport : '*'}`;
}

function formatDestination({ proto, dst, dport }: NatEntry): string {
  return `${dst}.${hasPorts(proto) ? dport : '*'}`;
}

function formatOuterPort({ proto, outerPort }: NatEntry): string {
  return hasPorts(proto) || proto === 'icmp' ? String(outerPort) : '*';
}

function countSessions(world: WorldView): number {
  return world.nat().reduce((sum, { fixed }) => sum + (fixed ? 0 : 1), 0);
}
