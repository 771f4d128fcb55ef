// Reads the few lines of vendor_a's configuration a poller needs; nothing here changes it.
import { canonicalIp } from '#kernel/net/address.ts';

export interface VendorAConfig {
  /** `console character`: `ja.sjis`, `ja.euc`, `ja.utf8`, `en.ascii`, or the older `sjis`, `euc`, `ascii`. */
  character: string | null;
  columns: number | null;
  lines: string | null;
  /** NAT descriptors bound to an interface, then those only defined. */
  descriptors: { descriptor: string; interfaceName: string }[];
  /** Address of LAN1 without its prefix length. */
  lanIp: string | null;
  /** Idle timer of each descriptor in seconds; `null` where it differs by protocol or port. */
  timers: Map<string, number | null>;
}

export function parseVendorAConfig(lines: readonly string[]): VendorAConfig {
  const config: VendorAConfig = {
    character: null,
    columns: null,
    lines: null,
    descriptors: [],
    lanIp: null,
    timers: new Map(),
  };
  const defined: string[] = [];
  for (const line of lines) {
    readLine(line.trim(), config, defined);
  }
  for (const descriptor of defined) {
    if (!config.descriptors.some((known) => known.descriptor === descriptor)) {
      config.descriptors.push({ descriptor, interfaceName: '' });
    }
  }
  return config;
}

function readLine(line: string, config: VendorAConfig, defined: string[]): void {
  const setting = /^console (character|columns|lines) ([a-z][a-z0-9.]{1,9}|\d{1,4})$/.exec(line);
  if (setting?.[1] === 'character') {
    config.character = setting[2] ?? null;
  } else if (setting?.[1] === 'columns') {
    config.columns = Number(setting[2]) || null;
  } else if (setting?.[1] === 'lines') {
    config.lines = setting[2] ?? null;
  }
  const bound = /^ip (\S+) nat descriptor ((?:\d{1,10}\s*)+)/.exec(line);
  for (const descriptor of bound?.[2]?.trim().split(/\s+/) ?? []) {
    config.descriptors.push({ descriptor, interfaceName: (bound?.[1] ?? '').toUpperCase() });
  }
  const type = /^nat descriptor type (\d{1,10}) /.exec(line);
  if (type?.[1]) {
    defined.push(type[1]);
  }
  const lan = /^ip lan1 address (\d[\d.]*)(?:\/\S+)?/.exec(line);
  if (lan?.[1]) {
    config.lanIp = canonicalIp(lan[1]);
  }
  const timer = /^nat descriptor timer (\d{1,10}) (.+)$/.exec(line);
  if (timer?.[1]) {
    const seconds = /^\d+$/.test(timer[2] ?? '') && config.timers.get(timer[1]) !== null ? Number(timer[2]) : null;
    config.timers.set(timer[1], seconds);
  }
}

/** The router's own address on LAN1 in `show ip route`: the gateway column of the implicit LAN1 route. */
export function parseLanRoute(lines: readonly string[]): string | null {
  for (const line of lines) {
    const [, gateway = '', interfaceName = '', kind = ''] = line.trim().split(/\s+/);
    if (interfaceName === 'LAN1' && kind === 'implicit') {
      return canonicalIp(gateway);
    }
  }
  return null;
}

/** WHATWG label of a `console character` value; an absent one means the default, which is Shift_JIS but on vRX UTF-8. */
export function toEncodingLabel(character: string | null, model: string): string {
  switch (character) {
    case 'ja.utf8':
    case 'en.ascii':
    case 'ascii':
      return 'utf-8';
    case 'ja.euc':
    case 'euc':
      return 'euc-jp';
    case null:
      return /^vRX/i.test(model) ? 'utf-8' : 'shift_jis';
    default:
      return 'shift_jis';
  }
}
