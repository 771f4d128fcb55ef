// Reads what vendor_b says about itself: version and model, NAT statistics, interfaces.
import { canonicalIp } from '#kernel/net/address.ts';

export function parseVersion(lines: readonly string[]) {
  const text = lines.join('\n');
  return {
    /** Such as `C841M-4X-JSEC/K9`; `''` when not shown. */
    model: /^[Cc]isco (\S+) .*with\b/m.exec(text)?.[1] ?? '',
    /** Such as `15.5(3)M9`; `''` when not shown. */
    version: /\bVersion ([^\s,]+)/.exec(text)?.[1] ?? '',
    hostName: /^(\S+) uptime is /m.exec(text)?.[1] ?? '',
    /** The text names the operating system this driver is written for. */
    isExpectedOs: lines.some((line) => /^\s*Cisco (?:IOS|Internetwork Operating System)/.test(line)),
  };
}

export interface NatStatistics {
  /** Entries in the table, static ones included; `null` when not shown. */
  total: number | null;
  inside: string[];
  outside: string[];
  /** The configured limit and its use, where one is set. */
  limit: { max: number; used: number } | null;
}

/** Interface lists stand behind their label or, comma separated, on the indented lines after it. */
export function parseNatStatistics(lines: readonly string[]): NatStatistics {
  const statistics: NatStatistics = { total: null, inside: [], outside: [], limit: null };
  let list: string[] | null = null;
  for (const line of lines) {
    const total = /^\s*Total (?:active )?translations:\s*(\d{1,9})/.exec(line);
    const limit = /max entry: max allowed (\d{1,9}), used (\d{1,9})/.exec(line);
    const label = /^\s*(Inside|Outside) interfaces:(.*)$/.exec(line);
    if (label) {
      list = label[1] === 'Inside' ? statistics.inside : statistics.outside;
      list.push(...names(label[2] ?? ''));
    } else if (list && /^\s+\S/.test(line) && !line.includes(':')) {
      list.push(...names(line));
    } else {
      list = null;
    }
    if (total) {
      statistics.total = Number(total[1]);
    }
    if (limit && Number(limit[1]) > 0) {
      statistics.limit = { max: Number(limit[1]), used: Number(limit[2]) };
    }
  }
  return statistics;
}

function names(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== '');
}

export interface InterfaceAddress {
  interfaceName: string;
  address: string;
}

/** Reads `show ip interface brief`: the interfaces that have an address. */
export function parseInterfaceBrief(lines: readonly string[]): InterfaceAddress[] {
  const found: InterfaceAddress[] = [];
  for (const line of lines) {
    const [interfaceName = '', text = '', ok = ''] = line.trim().split(/\s+/);
    const address = canonicalIp(text);
    if (address && /^(?:YES|NO)$/.test(ok)) {
      found.push({ interfaceName, address });
    }
  }
  return found;
}
