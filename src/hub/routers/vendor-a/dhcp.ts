// Reads vendor_a's `show status dhcp`: which host name belongs to which MAC. Leases without a name are left out.
import { canonicalIp, canonicalMac } from '#kernel/address.ts';

export interface DhcpName {
  mac: string;
  address: string;
  name: string;
}

const leased = /^\s*(?:Leased address|Reserved address|割り当て中アドレス|予約済みアドレス)\s*[:：]\s*(\S+)\s*$/i;
const ethernet = /^\s*(?:Client ethernet address|クライアントイーサネットアドレス)\s*[:：]\s*(\S+)\s*$/i;
const clientId = /^\s*\((?:type|タイプ)\)\s*(?:Client ID|クライアントID)\s*[:：]\s*\(([\da-f]{2})\)\s*([\da-f ]+)$/i;
const hostName = /^\s*(?:Host Name|ホスト名)\s*[:：]\s*(\S.*?)\s*$/i;

/** One entry for each lease that shows a MAC (a client id of type 01 is one, a DUID is not) and a name. */
export function parseVendorADhcp(lines: readonly string[]): DhcpName[] {
  const names: DhcpName[] = [];
  let address: string | null = null;
  let mac: string | null = null;
  for (const line of lines) {
    const lease = leased.exec(line);
    const client = ethernet.exec(line);
    const id = clientId.exec(line);
    const name = hostName.exec(line);
    if (lease) {
      address = canonicalIp(lease[1] ?? '');
      mac = null;
    } else if (client) {
      mac = canonicalMac(client[1] ?? '');
    } else if (id) {
      mac = id[1] === '01' ? canonicalMac((id[2] ?? '').trim().split(/\s+/).join(':')) : null;
    } else if (name?.[1] && address && mac) {
      names.push({ mac, address, name: name[1] });
    }
  }
  return names;
}
