// What may be blocked: public addresses, networks that are not too wide, and names of the Internet.
import type { WithheldReason } from '#contract/block-list.ts';
import { limits } from '#contract/limits.ts';
import { canonicalIp } from '#kernel/net/address.ts';
import { parseListedIp, parseListedName, parseListedRange } from '../address.ts';
import { parseAllowed } from '../feeds/false-positives.ts';
import { parseIpv4Span, parseIpv6Span, type Span } from '../tables/ip-number.ts';

export interface Blocked {
  kind: 'ip' | 'cidr' | 'domain';
  /** Canonical address, `address/length` with its host bits cleared, or a lower-case name. */
  value: string;
}

/** What must work, whatever the list says. */
export interface Protected {
  /** Addresses, networks and names on the allow list of the threat settings. */
  allowList: readonly string[];
  /** Addresses of devices and routers. */
  own: readonly string[];
}

const shortestV4 = 8;
const shortestV6 = 19;
/** NAT64 (RFC 6052, RFC 8215): in such a network it is the way to every IPv4 address. */
const nat64 = parseIpv6Span('64:ff9b::/32');
/** Names that are resolved inside of a network (RFC 6761, RFC 6762, RFC 8375, and what home routers use). */
const ownNames = /\.(?:arpa|local|localhost|internal|lan|home|localdomain)$/;

/** Parses an address, a network or a name; the reason when it may not be blocked. */
export function parseBlocked(text: string): Blocked | { problem: WithheldReason } {
  const name = parseListedName(text);
  if (name !== null) {
    const problem = name.length > limits.blockListName ? 'not_blockable' : 'not_public';
    return problem === 'not_blockable' || ownNames.test(name) ? { problem } : { kind: 'domain', value: name };
  }
  const [, address = text, length] = /^([^/]*)\/(\d{1,3})$/.exec(text) ?? [];
  if (length !== undefined && Number(length) < (isIpv6(text) ? shortestV6 : shortestV4)) {
    return { problem: 'too_wide' };
  }
  const ip = parseListedIp(text);
  const range = ip ?? parseListedRange(text);
  const value = range?.replace(isIpv6(range) ? /\/128$/ : /\/32$/, '') ?? null;
  if (value === null) {
    const isWhole = canonicalIp(address) !== null && Number(length ?? 0) <= (isIpv6(text) ? 128 : 32);
    return { problem: isWhole ? 'not_public' : 'not_blockable' };
  }
  return overlaps(toSpan(value), { isV6: true, ...nat64 })
    ? { problem: 'not_public' }
    : { kind: value.includes('/') ? 'cidr' : 'ip', value };
}

/** Returns a function that says why an entry may not be given out; null: it may. */
export function createProtection({ allowList, own }: Protected): (blocked: Blocked) => WithheldReason | null {
  const allowed = allowList.map(parseAllowed).filter((one) => one !== null);
  const names = allowed.filter(({ kind }) => kind === 'domain').map(({ value }) => value);
  const spans = allowed.filter(({ kind }) => kind !== 'domain').map(({ value }) => toSpan(value));
  const ownSpans = own.map(toSpan);
  return ({ kind, value }) => {
    if (kind === 'domain') {
      return names.some((name) => value === name || value.endsWith(`.${name}`)) ? 'allowed' : null;
    }
    const span = toSpan(value);
    if (spans.some((one) => overlaps(one, span))) {
      return 'allowed';
    }
    return ownSpans.some((one) => overlaps(one, span)) ? 'own_network' : null;
  };
}

/** IPv4, then IPv6, then names; addresses by number, the wider network first. */
export function compareBlocked(a: Blocked, b: Blocked): number {
  if (a.kind === 'domain' || b.kind === 'domain') {
    const byKind = Number(a.kind === 'domain') - Number(b.kind === 'domain');
    return byKind || (a.value < b.value ? -1 : Number(a.value > b.value));
  }
  const [one, other] = [toSpan(a.value), toSpan(b.value)];
  return (
    Number(one.isV6) - Number(other.isV6) ||
    compareNumbers(one.first, other.first) ||
    compareNumbers(other.last, one.last) ||
    compareNumbers(a.value.length, b.value.length)
  );
}

export function isIpv6(value: string): boolean {
  return value.includes(':');
}

type AddressSpan = Span<bigint> & { isV6: boolean };

function toSpan(value: string): AddressSpan {
  if (isIpv6(value)) {
    return { isV6: true, ...parseIpv6Span(value) };
  }
  const { first, last } = parseIpv4Span(value);
  return { isV6: false, first: BigInt(first), last: BigInt(last) };
}

function overlaps(a: AddressSpan, b: AddressSpan): boolean {
  return a.isV6 === b.isV6 && a.first <= b.last && b.first <= a.last;
}

function compareNumbers<N extends bigint | number>(a: N, b: N): number {
  return a < b ? -1 : Number(a > b);
}
