// Enrichment as a feature: what local data says of addresses and network cards.
import type { SourceFacts } from '../connections/store/facts.ts';
import type { Base, Feature } from '../feature.ts';
import { isOnlyPublished } from './answers.ts';
import { type Enrichment, startEnrichment } from './enrichment.ts';
import { createHostNames, type HostNames } from './host-names.ts';

export interface EnrichmentFeature extends Enrichment, Omit<Feature, keyof Enrichment> {
  /** LAN hosts by what followed logs said of them. */
  hostNames: HostNames;
  /** What a followed log said of a LAN host, and who made its card. */
  describeHost(address: string): SourceFacts | null;
  /** Whether a client asked for `host` and got `address`: the owner of the address may publish any name. */
  isObserved(address: string, host: string): boolean;
}

export function startEnrichmentFeature({ options, signals, db, clock, log }: Base): EnrichmentFeature {
  const enrichment = startEnrichment({
    db,
    clock,
    log,
    folder: options.enrichmentDir,
    onDiscovered: (addresses) => signals.emit('destinationsDiscovered', addresses),
  });
  const hostNames = createHostNames(clock);
  return {
    ...enrichment,
    hostNames,
    describeHost(address) {
      const { mac, name } = hostNames.get(address) ?? {};
      const vendor = mac ? enrichment.vendorOf(mac) : null;
      return mac === undefined ? null : { mac, vendor, dnsName: name ?? null, mdnsName: null, deviceId: null };
    },
    isObserved: (address, host) => !isOnlyPublished(db, address, host),
    status: () => ({
      enrichmentData: enrichment.state(),
      // Card makers come with the program: nothing is ever fetched.
      features: { 'oui-update': { enabled: false, reason: 'embedded_data' } },
    }),
    settled: () => enrichment.described,
  };
}
