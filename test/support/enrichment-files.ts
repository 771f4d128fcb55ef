// Small enrichment data for a test, written as the build script writes the real one.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { encodeColumnFile, type EnrichmentData as FileData } from '../../scripts/enrichment/encode.ts';
import type { AddressRange } from '../../scripts/enrichment/ranges.ts';

/** Ranges as `first-last` → word, vendors as prefix → name. */
export interface EnrichmentData {
  version: string;
  countries: Record<string, string>;
  orgs: Record<string, string>;
  vendors: Record<string, string>;
}

/** Writes `enrichment.bin.zst` into a folder of its own below `folder`, and returns that. */
export function writeEnrichment(folder: string, data: Partial<EnrichmentData> = {}): string {
  const own = path.join(folder, 'enrichment');
  mkdirSync(own, { recursive: true });
  writeFileSync(path.join(own, 'enrichment.bin.zst'), encodeEnrichment(data));
  return own;
}

export function encodeEnrichment({ version, countries, orgs, vendors }: Partial<EnrichmentData>): Buffer {
  const source = {
    name: 'synthetic',
    version: '1',
    licence: 'none',
    attribution: 'Made for a test',
    url: 'https://data.example/',
  };
  const data: FileData = {
    version: version ?? '2026-01-01',
    sources: [source],
    ipv4: { country: ranges(countries, 4), org: ranges(orgs, 4) },
    ipv6: { country: ranges(countries, 6), org: ranges(orgs, 6) },
    vendors: new Map(Object.entries(vendors ?? {})),
  };
  return encodeColumnFile(data, 1);
}

function ranges(words: Record<string, string> = {}, family: 4 | 6): AddressRange[] {
  return Object.entries(words)
    .filter(([range]) => range.includes(':') === (family === 6))
    .map(([range, word]) => {
      const [first = '', last = first] = range.split('-');
      return { first: toNumber(first), last: toNumber(last), word };
    })
    .sort((a, b) => (a.first < b.first ? -1 : 1));
}

function toNumber(address: string): bigint {
  if (!address.includes(':')) {
    return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  }
  const [left = '', right = ''] = address.split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const missing = address.includes('::') ? 8 - groups(left).length - groups(right).length : 0;
  const all = [...groups(left), ...Array.from({ length: missing }, () => '0'), ...groups(right)];
  return all.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}
