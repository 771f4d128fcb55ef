// Which source each described field of a connection was taken from, by the order in which the sources count.
import type { FactOrigin } from '#contract/connection-detail.ts';
import type { Connection } from '#contract/model.ts';
import type { LocalOrigins } from '../../../identify/enrichment/embedded/data.ts';
import type { Holder, StoredAnswer } from './query.ts';

interface Known {
  connection: Connection;
  answers: readonly StoredAnswer[];
  holder: Holder | null;
  /** What the local data says of the destination. */
  local: LocalOrigins;
  /** The data that makers of network cards are read from. */
  vendors: { name: string; version: string } | null;
}

type Source = Omit<FactOrigin, 'field'>;

const earlier: Source = { from: 'earlier', name: null, version: null, at: null };

/** Fields without a value have no origin. */
export function originsOf({ connection, answers, holder, local, vendors }: Known): FactOrigin[] {
  const answer = (kind: StoredAnswer['kind'], has: (one: StoredAnswer) => boolean): Source | null => {
    const found = answers.find((one) => one.kind === kind && has(one));
    return found ? { from: kind, name: null, version: null, at: found.at } : null;
  };
  /** The local data may have changed since; what it does not say any more came from an earlier one. */
  const inData = (field: 'country' | 'org' | 'place', isSame: boolean): Source | null => {
    const found = isSame ? local[field] : null;
    return found && { ...found, at: null };
  };
  const hasPlace = (one: StoredAnswer) => one.lat !== null || one.city !== null;
  const of = (field: FactOrigin['field'], isSet: boolean, ...sources: (Source | null)[]): FactOrigin[] =>
    isSet ? [{ field, ...(sources.find((source) => source !== null) ?? earlier) }] : [];
  const { dstHost, country, org, lat, city, srcMac, srcVendor, srcDnsName, srcMdnsName } = connection;
  const table: Source | null = holder && {
    ...{ from: 'router', name: holder.routerName ?? holder.routerId, version: null, at: holder.since },
  };
  const device: Source | null = holder && { from: 'device', name: holder.deviceId, version: null, at: null };
  const maker: Source | null = vendors && { from: 'embedded', ...vendors, at: null };
  const host = (one: StoredAnswer) => one.host === dstHost;
  return [
    ...of('dstHost', dstHost !== null, answer('dns', host), answer('ptr', host)),
    ...of(
      'country',
      country !== null,
      answer('rdap', (one) => one.country === country),
      inData('country', local.facts.country === country),
      answer('geo', (one) => one.country === country),
    ),
    ...of(
      'org',
      org !== null,
      answer('rdap', (one) => one.org === org),
      inData('org', local.facts.org === org),
      answer('geo', (one) => one.org === org),
    ),
    ...of(
      'place',
      lat !== null || city !== null,
      answer('geo', hasPlace),
      inData('place', local.facts.lat === lat && local.facts.city === city),
    ),
    ...of('srcMac', srcMac !== null, holder?.mac === srcMac ? table : null),
    ...of('srcVendor', srcVendor !== null, maker),
    ...of('srcDnsName', srcDnsName !== null, device),
    ...of('srcMdnsName', srcMdnsName !== null, device),
  ];
}
