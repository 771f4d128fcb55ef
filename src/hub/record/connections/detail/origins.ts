// Which source each described field of a connection was taken from, by the order in which the sources count.
import type { FactOrigin } from '#contract/connection-detail.ts';
import type { Connection } from '#contract/model.ts';
import type { LocalOrigins } from '../../../identify/enrichment/embedded/data.ts';
import type { Holder, StoredAnswer } from './query.ts';

interface OriginSources {
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

/** Lists the origin of each field that has a value. */
export function listOrigins({ connection, answers, holder, local, vendors }: OriginSources): FactOrigin[] {
  const findAnswer = (kind: StoredAnswer['kind'], has: (one: StoredAnswer) => boolean): Source | null => {
    const found = answers.find((one) => one.kind === kind && has(one));
    return found ? { from: kind, name: null, version: null, at: found.at } : null;
  };
  /** The local data may have changed since: what it no longer says came from an earlier version. */
  const findLocal = (field: 'country' | 'org' | 'place', isSame: boolean): Source | null => {
    const found = isSame ? local[field] : null;
    return found && { ...found, at: null };
  };
  const hasPlace = (one: StoredAnswer) => one.lat !== null || one.city !== null;
  const describe = (field: FactOrigin['field'], isSet: boolean, ...sources: (Source | null)[]): FactOrigin[] =>
    isSet ? [{ field, ...(sources.find((source) => source !== null) ?? earlier) }] : [];
  const { dstHost, country, org, lat, city, srcMac, srcVendor, srcDnsName, srcMdnsName } = connection;
  const table: Source | null = holder && {
    from: 'router',
    name: holder.routerName ?? holder.routerId,
    version: null,
    at: holder.since,
  };
  const device: Source | null = holder && { from: 'device', name: holder.deviceId, version: null, at: null };
  const maker: Source | null = vendors && { from: 'embedded', ...vendors, at: null };
  const host = (one: StoredAnswer) => one.host === dstHost;
  return [
    ...describe('dstHost', dstHost !== null, findAnswer('dns', host), findAnswer('ptr', host)),
    ...describe(
      'country',
      country !== null,
      findAnswer('rdap', (one) => one.country === country),
      findLocal('country', local.facts.country === country),
      findAnswer('geo', (one) => one.country === country),
    ),
    ...describe(
      'org',
      org !== null,
      findAnswer('rdap', (one) => one.org === org),
      findLocal('org', local.facts.org === org),
      findAnswer('geo', (one) => one.org === org),
    ),
    ...describe(
      'place',
      lat !== null || city !== null,
      findAnswer('geo', hasPlace),
      findLocal('place', local.facts.lat === lat && local.facts.city === city),
    ),
    ...describe('srcMac', srcMac !== null, holder?.mac === srcMac ? table : null),
    ...describe('srcVendor', srcVendor !== null, maker),
    ...describe('srcDnsName', srcDnsName !== null, device),
    ...describe('srcMdnsName', srcMdnsName !== null, device),
  ];
}
