// Writes the container that src/hub/identify/enrichment/embedded/column-file.ts reads.
import { createHash } from 'node:crypto';
import { constants, zstdCompressSync } from 'node:zlib';
import {
  type ColumnFileHeader,
  columnFileFormat,
  columnFileMagic,
  type DataSource,
} from '#hub/identify/enrichment/embedded/column-file.ts';
import { type AddressRange, type Flattened, flatten, numberWords, upperHalves } from './ranges.ts';

/** What goes in. Ranges are ascending; prefixes are hex digits, 6, 7 or 9 of them. */
export interface EnrichmentData {
  /** `YYYY-MM-DD`. */
  version: string;
  sources: readonly DataSource[];
  ipv4: { country: readonly AddressRange[]; org: readonly AddressRange[] };
  ipv6: { country: readonly AddressRange[]; org: readonly AddressRange[] };
  vendors: ReadonlyMap<string, string>;
}

interface Column {
  name: string;
  width: 1 | 2 | 4;
  delta: boolean;
  numbers: ArrayLike<number>;
}

/** The compressed file. `level` is that of zstd. */
export function encodeColumnFile(data: EnrichmentData, level = 19): Buffer {
  const columns = [...addressColumns(data), ...vendorColumns(data.vendors)];
  const payload = Buffer.concat(columns.map(planesOf));
  const header: ColumnFileHeader = {
    format: columnFileFormat,
    version: data.version,
    digest: createHash('sha256').update(payload).digest('hex'),
    sources: [...data.sources],
    columns: columns.map(({ name, width, delta, numbers }) => ({ name, width, delta, count: numbers.length })),
  };
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return zstdCompressSync(Buffer.concat([Buffer.from(columnFileMagic, 'latin1'), length, text, payload]), {
    params: { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_windowLog]: 22 },
  });
}

function addressColumns({ ipv4, ipv6 }: EnrichmentData): Column[] {
  const countries = numberWords([...ipv4.country, ...ipv6.country].map(({ word }) => word));
  const orgs = numberWords([...ipv4.org, ...ipv6.org].map(({ word }) => word));
  return [
    ...wordColumns('countries', [...countries.keys()]),
    ...wordColumns('orgs', [...orgs.keys()]),
    ...ipv4Columns('country4', flatten(ipv4.country, countries)),
    ...ipv4Columns('org4', flatten(ipv4.org, orgs)),
    ...ipv6Columns('country6', flatten(upperHalves(ipv6.country), countries)),
    ...ipv6Columns('org6', flatten(upperHalves(ipv6.org), orgs)),
  ];
}

function ipv4Columns(name: string, { starts, values }: Flattened): Column[] {
  // What follows the last range of the whole space begins behind it.
  const inside = starts.findIndex((start) => start > 0xffff_ffffn);
  const end = inside < 0 ? starts.length : inside;
  return [
    { name: `${name}.starts`, width: 4, delta: true, numbers: starts.slice(0, end).map(Number) },
    { name: `${name}.values`, width: 4, delta: false, numbers: values.slice(0, end) },
  ];
}

function ipv6Columns(name: string, { starts, values }: Flattened): Column[] {
  return [
    { name: `${name}.highs`, width: 4, delta: true, numbers: starts.map((start) => Number(start >> 32n)) },
    { name: `${name}.lows`, width: 4, delta: false, numbers: starts.map((start) => Number(start & 0xffff_ffffn)) },
    { name: `${name}.values`, width: 4, delta: false, numbers: values },
  ];
}

function vendorColumns(vendors: ReadonlyMap<string, string>): Column[] {
  const names = numberWords(vendors.values());
  const sorted = [...vendors].sort(([a], [b]) => (a < b ? -1 : 1));
  const ofLength = (digits: number) => sorted.filter(([prefix]) => prefix.length === digits);
  const column = (name: string, digits: number, delta: boolean, numbers: number[]): Column => ({
    name: `vendor${digits * 4}.${name}`,
    width: 4,
    delta,
    numbers,
  });
  return [
    ...wordColumns('vendors', [...names.keys()]),
    ...[6, 7, 9].flatMap((digits) => {
      const rows = ofLength(digits);
      const read = (from: number, to?: number) => rows.map(([prefix]) => Number.parseInt(prefix.slice(from, to), 16));
      return [
        column('prefixes', digits, true, digits === 9 ? read(0, 6) : read(0)),
        column(
          'vendors',
          digits,
          false,
          rows.map(([, name]) => names.get(name) ?? 0),
        ),
        ...(digits === 9 ? [column('lasts', digits, false, read(6))] : []),
      ];
    }),
  ];
}

function wordColumns(name: string, words: readonly string[]): Column[] {
  const bytes = words.map((word) => Buffer.from(word, 'utf8'));
  return [
    { name, width: 1, delta: false, numbers: Buffer.concat(bytes) },
    { name: `${name}.lengths`, width: 2, delta: false, numbers: bytes.map(({ length }) => length) },
  ];
}

function planesOf({ width, delta, numbers }: Column): Buffer {
  const planes = Buffer.alloc(width * numbers.length);
  let before = 0;
  for (let index = 0; index < numbers.length; index += 1) {
    const number = numbers[index] ?? 0;
    const stored = delta ? (number - before) >>> 0 : number;
    before = number;
    for (let plane = 0; plane < width; plane += 1) {
      planes[plane * numbers.length + index] = (stored >>> (8 * plane)) & 255;
    }
  }
  return planes;
}
