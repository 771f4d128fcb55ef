// The embedded data, opened: country and organisation of an address, vendor of a MAC.
import { parseAddressKey } from './address-key.ts';
import { type Blob, type DataSource, readBlob } from './column-file.ts';
import { createMacVendors, type MacVendors } from './mac-vendors.ts';
import { createIpv6Ranges, indexIpv4Ranges } from './range-table.ts';
import { createWordList } from './text-column.ts';

export interface AddressWords {
  /** ISO 3166 two-letter code of the registration; of an anycast address an estimate. */
  country: string | null;
  /** Name of the autonomous system that announces it. */
  org: string | null;
}

export interface Dataset extends MacVendors {
  /** Day of the data and the beginning of its digest. */
  readonly version: string;
  readonly builtOn: string;
  readonly sources: readonly DataSource[];
  /** `address` is canonical. */
  find(address: string): AddressWords;
}

const unknown: AddressWords = { country: null, org: null };

/** Opens the data in `file`, holding the event loop for a millisecond at a time. Rejects with a sentence. */
export async function openDataset(file: string): Promise<Dataset> {
  const blob = await readBlob(file);
  const { version, digest, sources } = blob.header;
  const countries = await readWords(blob, 'countries');
  const orgs = await readWords(blob, 'orgs');
  const ipv4 = { country: await readIpv4(blob, 'country4'), org: await readIpv4(blob, 'org4') };
  const ipv6 = { country: await readIpv6(blob, 'country6'), org: await readIpv6(blob, 'org6') };
  const vendors = await readVendors(blob);
  return {
    ...vendors,
    version: `${version}-${digest.slice(0, 8)}`,
    builtOn: version,
    sources,
    find(address) {
      const key = parseAddressKey(address);
      if (!key) {
        return unknown;
      }
      const [country, org] =
        key.family === 4
          ? [ipv4.country.find(key.value), ipv4.org.find(key.value)]
          : [ipv6.country.find(key.high, key.low), ipv6.org.find(key.high, key.low)];
      return country === 0 && org === 0 ? unknown : { country: countries.word(country), org: orgs.word(org) };
    },
  };
}

async function readWords(blob: Blob, name: string) {
  return createWordList(blob.bytes(name), await blob.numbers(`${name}.lengths`));
}

async function readIpv4(blob: Blob, name: string) {
  return indexIpv4Ranges(await blob.numbers(`${name}.starts`), await blob.numbers(`${name}.values`));
}

async function readIpv6(blob: Blob, name: string) {
  const [highs, lows] = [await blob.numbers(`${name}.highs`), await blob.numbers(`${name}.lows`)];
  return createIpv6Ranges(highs, lows, await blob.numbers(`${name}.values`));
}

async function readVendors(blob: Blob): Promise<MacVendors> {
  const read = async (name: string) => ({
    prefixes: await blob.numbers(`${name}.prefixes`),
    vendors: await blob.numbers(`${name}.vendors`),
  });
  const small = await read('vendor36');
  // 36 bits do not fit a column: the last 12 lie in one of their own.
  const last = await blob.numbers('vendor36.lasts');
  const prefixes = Float64Array.from(small.prefixes, (oui, index) => oui * 4096 + (last[index] ?? 0));
  return createMacVendors(
    { large: await read('vendor24'), medium: await read('vendor28'), small: { ...small, prefixes } },
    await readWords(blob, 'vendors'),
  );
}
