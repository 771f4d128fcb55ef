// The embedded data: country and organisation of an address, vendor of a MAC.
import { parseAddressKey } from './address-key.ts';
import { type ColumnFile, type DataSource, readColumnFile } from './column-file.ts';
import { createMacVendors, type MacVendors } from './mac-vendors.ts';
import { createIpv6Ranges, indexIpv4Ranges } from './range-table.ts';
import { createTextColumn } from './text-column.ts';

export interface AddressLabels {
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
  find(address: string): AddressLabels;
}

const unknown: AddressLabels = { country: null, org: null };

/** Opens `file` cooperatively, in steps of a millisecond. Rejects with a sentence. */
export async function openDataset(file: string): Promise<Dataset> {
  const columns = await readColumnFile(file);
  const { version, digest, sources } = columns.header;
  const countries = await readTexts(columns, 'countries');
  const orgs = await readTexts(columns, 'orgs');
  const ipv4 = { country: await readIpv4(columns, 'country4'), org: await readIpv4(columns, 'org4') };
  const ipv6 = { country: await readIpv6(columns, 'country6'), org: await readIpv6(columns, 'org6') };
  const vendors = await readVendors(columns);
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
      return country === 0 && org === 0 ? unknown : { country: countries.text(country), org: orgs.text(org) };
    },
  };
}

async function readTexts(columns: ColumnFile, name: string) {
  return createTextColumn(columns.bytes(name), await columns.numbers(`${name}.lengths`));
}

async function readIpv4(columns: ColumnFile, name: string) {
  return indexIpv4Ranges(await columns.numbers(`${name}.starts`), await columns.numbers(`${name}.values`));
}

async function readIpv6(columns: ColumnFile, name: string) {
  const highs = await columns.numbers(`${name}.highs`);
  const lows = await columns.numbers(`${name}.lows`);
  return createIpv6Ranges(highs, lows, await columns.numbers(`${name}.values`));
}

async function readVendors(columns: ColumnFile): Promise<MacVendors> {
  const read = async (name: string) => ({
    prefixes: await columns.numbers(`${name}.prefixes`),
    vendors: await columns.numbers(`${name}.vendors`),
  });
  const small = await read('vendor36');
  // 36 bits do not fit a column: the last 12 have a separate one.
  const last = await columns.numbers('vendor36.lasts');
  const prefixes = Float64Array.from(small.prefixes, (oui, index) => oui * 4096 + (last[index] ?? 0));
  return createMacVendors(
    { large: await read('vendor24'), medium: await read('vendor28'), small: { ...small, prefixes } },
    await readTexts(columns, 'vendors'),
  );
}
