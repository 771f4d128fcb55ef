// Reads vendor_b's `show ip dhcp binding`: who holds which address. It shows no host names.
import { canonicalIp, canonicalMac } from '#kernel/net/address.ts';
import type { Lease } from '../driver.ts';

const row = /^(\S+)\s+([\da-f]{2,}(?:\.[\da-f]{1,4})*\.?)(?:\s|$)/i;
const more = /^\s+([\da-f]{1,4}(?:\.[\da-f]{1,4})*\.?)\s*$/i;

/**
 * Rows are `address client-id expiration type`; a long id ends with a dot and goes on in the next line. An id of `01` and
 * six bytes, or six bytes alone, is a MAC; `ff…` is a DUID.
 */
export function parseVendorBDhcp(lines: readonly string[]): Lease[] {
  const found: { address: string; id: string; isOpen: boolean }[] = [];
  for (const line of lines) {
    const [, addressText = '', id = ''] = row.exec(line) ?? [];
    const address = canonicalIp(addressText);
    const last = found.at(-1);
    const [, rest] = more.exec(line) ?? [];
    if (address) {
      found.push({ address, id, isOpen: id.endsWith('.') });
    } else if (rest !== undefined && last?.isOpen) {
      last.id += rest;
      last.isOpen = rest.endsWith('.');
    }
  }
  return found.map(({ address, id }) => ({
    address,
    ...parseClient(id.replaceAll('.', '').toLowerCase()),
    name: null,
  }));
}

function parseClient(digits: string): Pick<Lease, 'mac' | 'clientId'> {
  const mac = canonicalMac(digits.length === 14 && digits.startsWith('01') ? digits.slice(2) : digits);
  return { mac, clientId: mac ? null : (digits.match(/..?/g) ?? []).join(':') };
}
