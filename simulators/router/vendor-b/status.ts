// vendor_b about itself: version, clock, load, configuration, and the header of time-stamped prompts.

import type { WorldView } from '../model.ts';
import { ipv4Text, networkStart } from '../world/address.ts';
import { getDialect, getPlatform, type Port } from './platforms.ts';
import { clockText, routerTime, uptimeText } from './time.ts';

/** From power-on until the router has read its clock and counts itself restarted. */
const restartMs = 12_000;

export function version(world: WorldView): readonly string[] {
  const { settings } = world;
  const platform = getPlatform(settings);
  const isXe = getDialect(settings).startsWith('xe');
  return [
    platform.software(settings.version),
    'Technical Support: http://www.cisco.com/techsupport',
    ...(isXe ? ['', `IOS XE Version: ${settings.version}`] : []),
    '',
    platform.rom,
    '',
    `${settings.hostName} uptime is ${uptimeText(world.now() - settings.bootedAt)}`,
    'System returned to ROM by power-on',
    `System restarted at ${clockText(world, routerTime(world, settings.bootedAt + restartMs), false)}`,
    `System image file is "${platform.image}"`,
    'Last reload type: Normal Reload',
    '',
    ...platform.hardware,
    '',
    'Configuration register is 0x2102',
  ];
}

/** `show clock`; a star says that the clock was never set. */
export function clock(world: WorldView): readonly string[] {
  return [`${world.settings.clockSet ? '' : '*'}${clockText(world, world.routerNow(), true)}`];
}

/** Load in percent; it rises with the size of the table. */
function load(world: WorldView) {
  const size = world.nat().length;
  const percent = (base: number, step: number) => Math.min(99, base + Math.floor(size / step));
  return { five: percent(14, 700), interrupt: percent(1, 5000), minute: percent(11, 900) };
}

/** `show processes cpu`: the summary and the processes that matter here. */
export function processes(world: WorldView): readonly string[] {
  const { five, interrupt, minute } = load(world);
  const row = (id: number, name: string, recent: number) =>
    `${String(id).padStart(4)} ${'1042'.padStart(11)} ${'20931'.padStart(10)} ${'49'.padStart(10)} ` +
    `${recent.toFixed(2).padStart(5)}% ${recent.toFixed(2).padStart(5)}% ${recent.toFixed(2).padStart(5)}%   0 ${name}`;
  return [
    `CPU utilization for five seconds: ${five}%/${interrupt}%; one minute: ${minute}%; five minutes: ${minute}%`,
    ' PID Runtime(ms)     Invoked      uSecs   5Sec   1Min   5Min TTY Process',
    row(1, 'Chunk Manager', 0),
    row(112, 'IP Input', five / 4),
    row(241, 'SSH Process', five / 2),
    row(263, 'IP NAT Ager', five / 8),
  ];
}

/** What `terminal exec prompt timestamp` puts before every output. */
export function timestampHeader(world: WorldView): readonly string[] {
  const { five, interrupt, minute } = load(world);
  const time = clockText(world, world.routerNow(), true);
  return [
    `Load for five secs: ${five}%/${interrupt}%; one minute: ${minute}%; five minutes: ${minute}%`,
    world.settings.clockSet ? `Time source is NTP, ${time}` : `No time source, *${time}`,
    '',
  ];
}

/** `show running-config`, privilege 15 only. The secrets are stand-ins of the usual shape, not hashes of anything. */
export function runningConfig(world: WorldView): readonly string[] {
  const { settings, credentials } = world;
  const { ports } = getPlatform(settings);
  const wan = ports.find(({ role }) => role === 'wan')?.name ?? 'GigabitEthernet0';
  const secret = '5 $1$0000$0000000000000000000000';
  const network = ipv4Text(networkStart(settings.lanAddress, settings.lanPrefix));
  const mask = ipv4Text((2 ** 32 - 2 ** (32 - settings.lanPrefix)) >>> 0);
  const addressed: Partial<Record<Port['role'], readonly string[]>> = {
    lan: [` ip address ${settings.lanAddress} ${mask}`, ' ip nat inside'],
    'second-lan': [' ip address 172.16.20.1 255.255.255.0', ' ip nat inside'],
    wan: [' ip address dhcp', ' ip nat outside'],
    shut: [' no ip address', ' shutdown'],
  };
  const interfaces = ports
    .filter(({ role }) => role !== 'nvi')
    .flatMap(({ name, role }) => [`interface ${name}`, ...(addressed[role] ?? [' no ip address']), '!']);
  const mappings = world.nat().flatMap((entry) => {
    if (!entry.fixed) {
      return [];
    }
    return entry.outerAddress === undefined
      ? [`ip nat inside source static ${entry.proto} ${entry.src} ${entry.sport} interface ${wan} ${entry.outerPort}`]
      : [`ip nat inside source static ${entry.src} ${entry.outerAddress}`];
  });
  const head = ['!', `version ${settings.version.replace(/^0*(\d+)\.0*(\d+).*$/, '$1.$2')}`];
  const body = [
    'service timestamps log datetime msec',
    '!',
    `hostname ${settings.hostName}`,
    '!',
    ...(credentials.enable === null ? [] : [`enable secret ${secret}`, '!']),
    `username ${credentials.user} privilege ${credentials.privileged ? 15 : 1} secret ${secret}`,
    '!',
    ...interfaces,
    ...mappings,
    `ip nat inside source list 1 interface ${wan} overload`,
    `access-list 1 permit ${network} ${ipv4Text(2 ** (32 - settings.lanPrefix) - 1)}`,
    '!',
    'line vty 0 4',
    ' exec-timeout 10 0',
    ' transport input ssh',
    '!',
    'end',
    '',
  ];
  const size = [...head, ...body].reduce((sum, line) => sum + line.length + 1, 0);
  return ['Building configuration...', '', `Current configuration : ${size} bytes`, ...head, ...body];
}
