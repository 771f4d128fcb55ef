// Reads vendor_a's `show status dhcp`: who holds which address, and by which name.
import { canonicalIp, canonicalMac } from '#kernel/net/address.ts';
import type { Lease } from '../driver.ts';

const leased = /^\s*(?:Leased address|Reserved address|割り当て中アドレス|予約済みアドレス)\s*[:：]\s*(\S+)\s*$/i;
const ethernet = /^\s*(?:Client ethernet address|クライアントイーサネットアドレス)\s*[:：]\s*(\S+)\s*$/i;
const clientId = /^\s*\((?:type|タイプ)\)\s*(?:Client ID|クライアントID)\s*[:：]\s*\(([\da-f]{2})\)\s*([\da-f ]+)$/i;
const hostName = /^\s*(?:Host Name|ホスト名)\s*[:：]\s*(\S.*)$/i;

/** One entry for each lease that shows a client. A client id of type 01 is a MAC, any other (a DUID is `ff`) is not. */
export function parseVendorADhcp(lines: readonly string[]): Lease[] {
  const leases: Lease[] = [];
  let address: string | null = null;
  for (const line of lines) {
    const [, addressText] = leased.exec(line) ?? [];
    const client = parseClient(line);
    const [, name] = hostName.exec(line) ?? [];
    const last = leases.at(-1);
    if (addressText !== undefined) {
      address = canonicalIp(addressText);
    } else if (client && address !== null) {
      leases.push({ address, ...client, name: null });
    } else if (name !== undefined && last !== undefined && last.address === address) {
      last.name = name.trim();
    }
  }
  return leases;
}

function parseClient(line: string): Pick<Lease, 'mac' | 'clientId'> | null {
  const [, macText] = ethernet.exec(line) ?? [];
  if (macText !== undefined) {
    const mac = canonicalMac(macText);
    return mac === null ? null : { mac, clientId: null };
  }
  const [, type, digits] = clientId.exec(line) ?? [];
  if (type === undefined || digits === undefined) {
    return null;
  }
  const bytes = digits.trim().toLowerCase().split(/\s+/);
  const mac = type === '01' ? canonicalMac(bytes.join(':')) : null;
  return { mac, clientId: mac ? null : [type.toLowerCase(), ...bytes].join(':') };
}
