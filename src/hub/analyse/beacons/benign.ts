// Benign beacons and the reason: they are listed separately, not hidden.
import type { BeaconConfig, BenignReason } from '#contract/beacons.ts';

export interface Contacted {
  dport: number;
  proto: string;
  host: string | null;
  org: string | null;
}

/** The first reason that holds; null when none does. */
export function findBenignReason(
  { dport, proto, host, org }: Contacted,
  { whitelistDomains, orgAllowlist }: Pick<BeaconConfig, 'whitelistDomains' | 'orgAllowlist'>,
): BenignReason | null {
  if (proto === 'UDP' && dport === 123) {
    return 'time_service';
  }
  const name = host?.toLowerCase().replace(/\.$/, '');
  if (name !== undefined && whitelistDomains.some((domain) => name === domain || name.endsWith(`.${domain}`))) {
    return 'domain';
  }
  const owner = org?.toLowerCase();
  return owner !== undefined && orgAllowlist.some((part) => owner.includes(part.toLowerCase())) ? 'organisation' : null;
}
