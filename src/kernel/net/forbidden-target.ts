// Targets that requests to configurable addresses never reach: the machine itself, its link, and the services that
// hand a cloud machine its secrets (SSRF protection).
import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { canonicalIp, isLoopback, isPublicIp, unbracketed } from './address.ts';

/** Metadata services of clouds at other addresses than 169.254.169.254. */
const metadata: ReadonlySet<string> = new Set(['100.100.100.200', '168.63.129.16', 'fd00:ec2::254']);
const forbiddenRanges: ReadonlySet<string> = new Set([
  'loopback',
  'linkLocal',
  'unspecified',
  'multicast',
  'broadcast',
]);

/** Whether `host`, an IP literal or a name as in a URL, is forbidden; names are not resolved. */
export function isForbiddenHost(host: string, allowLoopback: boolean): boolean {
  const bare = unbracketed(host).toLowerCase();
  const ip = canonicalIp(bare);
  return ip === null ? !allowLoopback && /(?:^|\.)localhost\.?$/.test(bare) : isForbiddenIp(ip, allowLoopback);
}

/** A name that was resolved to a forbidden address. */
export class ForbiddenTarget extends Error {
  readonly host: string;
  readonly address: string;

  constructor(host: string, address: string) {
    super(`${host} is at ${address}, where the hub sends nothing`);
    this.host = host;
    this.address = address;
  }
}

/** Whether `host`, an IP literal or a name as in a URL, is forbidden or no address of the public Internet; names are not resolved. */
export function isPrivateHost(host: string): boolean {
  const ip = canonicalIp(unbracketed(host));
  return isForbiddenHost(host, false) || (ip !== null && !isPublicIp(ip));
}

/** As `dns.lookup`, for `connect` of a socket; fails with `ForbiddenTarget` when any address of the name is forbidden. */
export function lookupOutside(allowLoopback: boolean): LookupFunction {
  return lookupUnless((address) => isForbiddenHost(address, allowLoopback));
}

/** As `lookupOutside`; also fails for a name with an address in a private network. */
export function lookupPublic(): LookupFunction {
  return lookupUnless(isPrivateHost);
}

function lookupUnless(isForbidden: (address: string) => boolean): LookupFunction {
  return (name, options, done) => {
    lookup(name, { ...options, all: true }, (error, found: LookupAddress[] = []) => {
      const [first] = found;
      const forbidden = found.find(({ address }) => isForbidden(address));
      if (first === undefined) {
        done(error ?? new Error(`${name} has no address`), '');
      } else if (forbidden) {
        done(new ForbiddenTarget(name, forbidden.address), '');
      } else if (options.all) {
        done(null, found);
      } else {
        done(null, first.address, first.family);
      }
    });
  };
}

function isForbiddenIp(ip: string, allowLoopback: boolean): boolean {
  const parsed = ipaddr.parse(ip);
  const range = parsed.range();
  if (range === 'rfc6052') {
    // An IPv4 address behind a translator (RFC 6052 §2.1).
    return isForbiddenIp(parsed.toByteArray().slice(12).join('.'), allowLoopback);
  }
  return metadata.has(ip) || (forbiddenRanges.has(range) && !(allowLoopback && isLoopback(ip)));
}
