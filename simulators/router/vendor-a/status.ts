// vendor_a about itself: login banner, `show environment`, `show config`, `show techinfo`.
import { calendar } from '#kernel/time/clock.ts';
import type { DeviceSettings, WorldView } from '../model.ts';
import { months, twoDigits } from '../text.ts';
import { ipv4Text, networkStart } from '../world/address.ts';
import { defaultTimers } from '../world/timers.ts';
import { memoryLine, modelFacts } from './models.ts';
import { natSummary } from './nat.ts';
import { arpTable } from './tables.ts';
import { getLanguage } from './words.ts';

export function loginBanner({ model, version, macs }: DeviceSettings): readonly string[] {
  const facts = modelFacts(model);
  return [
    '',
    `${model} ${version}`,
    `Copyright (c) ${facts.copyright} Yamaha Corporation. All Rights Reserved.`,
    "To display the software copyright statement, use 'show copyright' command.",
    macs.slice(0, facts.lans).join(', '),
    memoryLine(facts),
  ];
}

/** `show environment`. Load rises with the size of the NAT table. */
export function environment(world: WorldView): readonly string[] {
  const { settings } = world;
  const facts = modelFacts(settings.model);
  const japanese = getLanguage(settings) === 'ja';
  const size = world.nat().length;
  const percent = (base: number, step: number) => Math.min(99, base + Math.floor(size / step));
  const cpu = [percent(4, 800), percent(3, 1000), percent(3, 1000)].map((load) => String(load).padStart(3));
  const memory = percent(31, 2000);
  const shift = world.routerNow() - world.now();
  const up = Math.max(0, Math.floor((world.now() - settings.bootedAt) / 1000));
  const days = Math.floor(up / 86_400);
  const label = japanese
    ? { boot: '起動時刻: ', now: '現在の時刻: ', up: '起動からの経過時間: ', days: '日' }
    : { boot: 'Boot time: ', now: 'Current time: ', up: 'Elapsed time from boot: ', days: 'days' };
  const clock = `${twoDigits(Math.floor((up % 86_400) / 3600))}:${twoDigits(Math.floor((up % 3600) / 60))}:${twoDigits(up % 60)}`;
  return [
    `${settings.model} BootROM Ver. ${facts.bootRom}`,
    `${settings.model} ${settings.version}`,
    `  main:  ${mainBoard(settings)}`,
    `CPU: ${cpu[0]}%(5sec) ${cpu[1]}%(1min) ${cpu[2]}%(5min)    ${japanese ? 'メモリ' : 'Memory'}: ${memory}% used`,
    `${japanese ? 'パケットバッファ' : 'Packet-buffer'}:   0%(small)   0%(middle)   9%(large)   0%(huge) used`,
    japanese ? 'ファームウェア: internal  設定ファイル: config0' : 'Firmware: internal  Config. file: config0',
    `${label.boot}${timeText(settings.bootedAt + shift, settings.clockZoneMs)}`,
    `${label.now}${timeText(world.routerNow(), settings.clockZoneMs)}`,
    `${label.up}${days}${label.days} ${clock}`,
  ];
}

/** `show config`. Without `secrets`, every password shows as `*`, as the user level sees it. */
export function config(world: WorldView, secrets: boolean): readonly string[] {
  const { settings, credentials } = world;
  const facts = modelFacts(settings.model);
  const { lanAddress, lanPrefix, natDescriptor: nat } = settings;
  const mask = (secret: string) => (secrets ? secret : '*');
  const network = networkStart(lanAddress, lanPrefix);
  const last = ipv4Text(network + 2 ** (32 - lanPrefix) - 2);
  const fixed = world.nat().filter((entry) => entry.fixed);
  const reserved = world.hosts().filter(({ lease }) => lease === 'fixed');
  return [
    `# ${settings.model} ${settings.version}`,
    `# MAC Address : ${settings.macs.slice(0, facts.lans).join(', ')}`,
    `# ${memoryLine(facts)}`,
    `# main:  ${mainBoard(settings)}`,
    `# Reporting Date: ${reportingDate(world)}`,
    `login password ${mask(credentials.password)}`,
    `administrator password ${mask(credentials.enable ?? '')}`,
    `login user ${credentials.user} ${mask(credentials.password)}`,
    `user attribute ${credentials.user} administrator=off connection=ssh`,
    ...[...world.accounts].map(([name, { password }]) => `login user ${name} ${mask(password)}`),
    ...consoleSettings(settings),
    'ip route default gateway dhcp lan2',
    `ip lan1 address ${lanAddress}/${lanPrefix}`,
    'ip lan2 address dhcp',
    `ip lan2 nat descriptor ${nat}`,
    `nat descriptor type ${nat} masquerade`,
    `nat descriptor address outer ${nat} primary`,
    ...timerLines(world),
    ...fixed.map(
      ({ src, proto, sport, outerPort }, index) =>
        `nat descriptor masquerade static ${nat} ${index + 1} ${src} ${proto} ` +
        (outerPort === sport ? sport : `${outerPort}=${sport}`),
    ),
    'dhcp service server',
    `dhcp scope 1 ${ipv4Text(network + 2)}-${last}/${lanPrefix}`,
    ...reserved.map(({ ipv4, mac }) => `dhcp scope bind 1 ${ipv4} ethernet ${mac}`),
    'sshd service on',
    'sshd host key generate *',
    'syslog notice on',
  ];
}

/** Timers that are not as delivered. */
function timerLines({ settings, timers }: WorldView): readonly string[] {
  const set = (['tcp', 'udp', 'icmp'] as const).filter((proto) => timers[proto] !== defaultTimers.vendor_a[proto]);
  return set.map((proto) => `nat descriptor timer ${settings.natDescriptor} protocol=${proto} ${timers[proto]}`);
}

/** `show techinfo`: always English. A short part of the real one: environment, configuration, ARP, NAT summary. */
export function techinfo(world: WorldView): readonly string[] {
  const english: WorldView = Object.create(world, {
    settings: { value: { ...world.settings, character: 'en.ascii' } },
  });
  const section = (command: string, lines: Iterable<string>) => ['', `# ${command}`, ...lines];
  return [
    `# ${world.settings.model} ${world.settings.version}`,
    ...section('show environment', environment(english)),
    ...section('show config', config(world, false)),
    ...section('show arp', arpTable(english)),
    ...section('show nat descriptor address', natSummary(english)),
  ];
}

/** A poller that changes these settings shows up here, and in the owner's saved configuration. */
function consoleSettings({ character, lines, columns, hostName, consoleInfo }: DeviceSettings): readonly string[] {
  return [
    `console character ${character}`,
    ...(columns === 80 ? [] : [`console columns ${columns}`]),
    ...(lines === 24 ? [] : [`console lines ${lines}`]),
    ...(hostName === '' ? [] : [`console prompt "${hostName}"`]),
    ...(consoleInfo ? ['console info on'] : []),
  ];
}

function mainBoard({ model, macs }: DeviceSettings): string {
  const own = macs.slice(0, modelFacts(model).lans);
  const addresses =
    model === 'RTX1300' ? `MAC-Address=${own[0]} - ${own.at(-1)}` : own.map((mac) => `MAC-Address=${mac}`).join(' ');
  return `${model} ver=00 serial=S00000000 ${addresses}`;
}

/** `2026/03/01 12:00:00 +09:00` */
function timeText(at: number, zoneMs: number): string {
  const { year, month, day, hour, minute, second } = calendar(at, zoneMs);
  const zone = Math.abs(Math.round(zoneMs / 60_000));
  const sign = zoneMs < 0 ? '-' : '+';
  const offset = `${sign}${twoDigits(Math.floor(zone / 60))}:${twoDigits(zone % 60)}`;
  return `${year}/${twoDigits(month)}/${twoDigits(day)} ${twoDigits(hour)}:${twoDigits(minute)}:${twoDigits(second)} ${offset}`;
}

function reportingDate(world: WorldView): string {
  const { year, month, day, hour, minute, second } = calendar(world.routerNow(), world.settings.clockZoneMs);
  return `${months[month - 1]} ${day} ${twoDigits(hour)}:${twoDigits(minute)}:${twoDigits(second)} ${year}`;
}
