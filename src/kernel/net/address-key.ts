// The key that a client is counted by: a host owns a /64 of IPv6, whose addresses count as one.
import ipaddr from 'ipaddr.js';
import { canonicalIp } from './address.ts';

/**
 * The key of the client at `address`: an IPv4 address whole, an IPv4-mapped IPv6 address as IPv4, any other IPv6
 * address as its /64 prefix (`2001:db8:0:1::/64`), without zone. Text that is no address is its own key.
 */
export function clientKey(address: string): string {
  const ip = canonicalIp(address);
  if (ip === null) {
    return address;
  }
  if (!ip.includes(':')) {
    return ip;
  }
  const network = ipaddr.IPv6.parse(ip).parts.slice(0, 4);
  return `${new ipaddr.IPv6([...network, 0, 0, 0, 0]).toRFC5952String()}/64`;
}
