// vendor_a's neighbour, lease, route and login tables as text.
import { calendar } from '#kernel/time/clock.ts';
import type { Host, WorldView } from '../model.ts';
import { twoDigits } from '../text.ts';
import { ipv4Text, networkStart } from '../world/address.ts';
import { getLanguage, padLeft } from './words.ts';

const arpLifeSeconds = 1200;

/** The world does not follow neighbour states; every one appears in turn, so that a reader meets all of them. */
const neighbourStates = ['REACHABLE', 'STALE', 'STALE', 'DELAY', 'PROBE'] as const;

/** `show arp`. The count line states how many rows follow. */
export function arpTable(world: WorldView): readonly string[] {
  const japanese = getLanguage(world.settings) === 'ja';
  const rows = world.hosts().flatMap((host) => {
    const left = arpLifeSeconds - Math.floor((world.now() - host.arpAt) / 1000);
    if (host.lease !== 'fixed' && left <= 0) {
      return [];
    }
    const port = `LAN1(port${host.port})`.padEnd(15);
    return [`${port}${host.ipv4.padEnd(18)}${host.mac} ${host.lease === 'fixed' ? 'permanent' : left}`];
  });
  return [
    japanese ? `カウント数: ${rows.length}` : `Count: ${rows.length}`,
    japanese
      ? 'インタフェース IPアドレス        MACアドレス       TTL(秒)'
      : 'Interface      IP address        MAC address       TTL(second)',
    ...rows,
  ];
}

/** `show ipv6 neighbor cache`: all addresses of the LAN hosts, and the provider's router on LAN2. */
export function neighbourCache(world: WorldView): readonly string[] {
  const japanese = getLanguage(world.settings) === 'ja';
  const row = (address: string, mac: string, port: string, state: string) =>
    `${address.padEnd(41)}${mac} ${port}      ${state}`;
  const rows = world
    .hosts()
    .flatMap(({ ipv6, mac }, index) =>
      ipv6.map((address) => row(address, mac, 'LAN1', neighbourStates[index % neighbourStates.length] ?? 'STALE')),
    );
  return [
    japanese
      ? 'IPv6アドレス                             MACアドレス       インタフェース 状態'
      : 'IPv6 Address                             MAC Address       Interface State',
    ...rows,
    row('fe80::1', world.settings.macs[0] ?? '00:00:00:00:00:00', 'LAN2', 'STALE'),
  ];
}

const leaseWords = {
  en: {
    scope: 'DHCP Scope number: 1',
    network: '      Network address: ',
    reserved: '        Reserved address: ',
    leased: '          Leased address: ',
    ethernet: ' Client ethernet address: ',
    clientId: '        (type) Client ID: ',
    name: '               Host Name: ',
    left: '         Remaining lease: ',
    units: ['days ', 'hours ', 'min. ', 'secs.'],
    totals: ['All', 'Except', 'Leased', 'Usable'],
    totalColumns: 20,
  },
  ja: {
    scope: 'DHCPスコープ番号: 1',
    network: '   ネットワークアドレス: ',
    reserved: '         予約済みアドレス: ',
    leased: '               割り当て中アドレス: ',
    ethernet: ' クライアントイーサネットアドレス: ',
    clientId: '        (タイプ) クライアントID: ',
    name: '                         ホスト名: ',
    left: '                     リース残時間: ',
    units: ['日 ', '時間 ', '分 ', '秒'],
    totals: ['全アドレス数', '除外アドレス数', '割り当て中アドレス数', '利用可能アドレス数'],
    totalColumns: 34,
  },
} as const;

/** `show status dhcp`, or with `short` its summary: one line per address. */
export function dhcpStatus(world: WorldView, short: boolean): readonly string[] {
  const { lanAddress, lanPrefix } = world.settings;
  const say = leaseWords[getLanguage(world.settings)];
  const reserved = world.hosts().filter(({ lease }) => lease === 'fixed');
  const leased = world.hosts().filter(({ lease, leaseUntil }) => lease === 'dynamic' && leaseUntil > world.now());
  const head = [say.scope, `${say.network}${ipv4Text(networkStart(lanAddress, lanPrefix))}`];
  const all = 2 ** (32 - lanPrefix) - 3;
  const totals = [all, reserved.length, leased.length, all - reserved.length - leased.length];
  const tail = say.totals.map((label, index) => `${padLeft(label, say.totalColumns)}: ${totals[index]}`);
  const client = ({ clientId, mac }: Host) =>
    clientId === null ? `${say.ethernet}${mac}` : `${say.clientId}${clientIdText(clientId)}`;
  if (short) {
    return [...head, ...[...reserved, ...leased].map(({ ipv4, mac }) => `${ipv4.padEnd(18)}${mac}`), ...tail];
  }
  return [
    ...head,
    ...reserved.flatMap((host) => [`${say.reserved}${host.ipv4}`, client(host)]),
    ...leased.flatMap((host) => [
      `${say.leased}${host.ipv4}`,
      client(host),
      ...(host.name === null ? [] : [`${say.name}${host.name}`]),
      `${say.left}${durationText(Math.floor((host.leaseUntil - world.now()) / 1000), say.units)}`,
    ]),
    ...tail,
  ];
}

/** `(01) 00 00 5e …`: the first byte of the identifier is its type. */
function clientIdText(clientId: string): string {
  const [type, ...bytes] = clientId.replaceAll(/[^0-9a-f]/gi, '').match(/../g) ?? [];
  return `(${type}) ${bytes.join(' ')}`;
}

function durationText(seconds: number, units: readonly [string, string, string, string]): string {
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor((seconds % 86_400) / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const short = `${hours}${units[1]}${minutes}${units[2]}${seconds % 60}${units[3]}`;
  return days > 0 ? `${days}${units[0]}${short}` : short;
}

/** `show ip route`: the implicit LAN1 route names the router's own address as its gateway. */
export function routeTable(world: WorldView): readonly string[] {
  const { lanAddress, lanPrefix, wanAddress } = world.settings;
  const lan = `${ipv4Text(networkStart(lanAddress, lanPrefix))}/${lanPrefix}`;
  const wan = ipv4Text(networkStart(wanAddress, 24));
  const row = (to: string, gateway: string, port: string, kind: string) =>
    `${to.padEnd(20)}${gateway.padEnd(16)}${port.padStart(11)}${kind.padStart(10)}  `;
  return [
    getLanguage(world.settings) === 'ja'
      ? '宛先ネットワーク    ゲートウェイ     インタフェース  種別  付加情報'
      : 'Destination         Gateway          Interface       Kind  Additional Info.',
    row('default', ipv4Text(networkStart(wanAddress, 24) + 1), 'LAN2(DHCP)', 'static'),
    row(lan, lanAddress, 'LAN1', 'implicit'),
    row(`${wan}/24`, wanAddress, 'LAN2', 'implicit'),
  ];
}

/** `show status user`: `*` is the asking login, `+` an administrator. Column layout not verified on hardware. */
export function userTable(world: WorldView): readonly string[] {
  const { year, month, day, hour, minute } = calendar(world.routerNow(), world.settings.clockZoneMs);
  const japanese = getLanguage(world.settings) === 'ja';
  return [
    `${year}/${twoDigits(month)}/${twoDigits(day)} ${twoDigits(hour)}:${twoDigits(minute)}`,
    japanese ? '(*: 自分自身のユーザ情報, +: 管理者モード)' : '(*: self, +: administrator)',
    ...world
      .users()
      .map(
        ({ user, from, privileged, self }) =>
          `${self ? '*' : ' '}${privileged ? '+' : ' '} ${user.padEnd(32)} ssh  ${from}`,
      ),
  ];
}

/** `show ipv6 connection`: dynamic filters are off on this router, so there is never a session. */
export function ipv6Connections(world: WorldView): readonly string[] {
  return [getLanguage(world.settings) === 'ja' ? 'セッション数: 0' : 'Session count: 0'];
}
