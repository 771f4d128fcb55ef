// Enrichment as a feature: local data about addresses and network cards.

import type { Base, Feature } from '../../base/feature.ts';
import type { SourceFacts } from '../../record/connections/store/facts.ts';
import { isOnlyPublished } from './answers.ts';
import { type Enrichment, startEnrichment } from './enrichment.ts';
import { createHostNames, type HostNames } from './host-names.ts';

export interface EnrichmentFeature extends Enrichment, Omit<Feature, keyof Enrichment> {
  /** LAN hosts of followed logs. */
  hostNames: HostNames;
  /** Facts of a LAN host from followed logs, with the vendor of its card. */
  describeHost(address: string): SourceFacts | null;
  /** Whether a client resolved `host` to `address`: the owner of the address may publish any name. */
  isObserved(address: string, host: string): boolean;
}

export function startEnrichmentFeature(base: Base): EnrichmentFeature {
  const { db, clock } = base;
  const enrichment = startEnrichment(base);
  const hostNames = createHostNames(clock);
  return {
    ...enrichment,
    hostNames,
    describeHost(address) {
      const { mac, name } = hostNames.get(address) ?? {};
      const vendor = mac ? enrichment.findVendor(mac) : null;
      return mac === undefined ? null : { mac, vendor, dnsName: name ?? null, mdnsName: null, deviceId: null };
    },
    isObserved: (address, host) => !isOnlyPublished(db, address, host),
    status: () => ({
      enrichmentData: enrichment.state(),
      // Vendors are embedded data: nothing is ever fetched.
      features: { 'oui-update': { enabled: false, reason: 'embedded_data' } },
    }),
    settled: () => enrichment.described,
  };
}
