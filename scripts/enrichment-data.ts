// `npm run enrichment-data -- SOURCES OUT`: makes the embedded enrichment data from the npm packages installed in SOURCES.
//
//   mkdir SOURCES && cd SOURCES && npm init -y
//   npm install --ignore-scripts @ip-location-db/asn @ip-location-db/geo-whois-asn-country oui-data
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { encodeColumnFile } from './enrichment/encode.ts';
import type { AddressRange } from './enrichment/ranges.ts';

const manifest = z.object({ version: z.string(), license: z.string() });

function packageOf(sources: string, name: string) {
  const folder = path.join(sources, 'node_modules', name);
  const { version, license } = manifest.parse(JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')));
  return { folder, name, version, license };
}

/** Rows `first,last,…,"word"`; networks that are not public are left out. */
function readRanges(file: string, wordOf: (rest: string) => string): AddressRange[] {
  const ranges: AddressRange[] = [];
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [, first = '', last = '', rest = ''] = /^([^,]+),([^,]+),(.*)$/.exec(line) ?? [];
    const word = wordOf(rest);
    if (word !== '' && isPublic(first)) {
      ranges.push({ first: numberOf(first), last: numberOf(last), word });
    }
  }
  return ranges;
}

function isPublic(address: string): boolean {
  return ipaddr.parse(address).range() === 'unicast';
}

function numberOf(address: string): bigint {
  return BigInt(`0x${Buffer.from(ipaddr.parse(address).toByteArray()).toString('hex')}`);
}

const countryOf = (rest: string) => (/^[A-Z]{2}$/.test(rest) ? rest : '');

/** The organisation behind the number, quoted where it holds a comma. */
function orgOf(rest: string): string {
  const text = rest.slice(rest.indexOf(',') + 1);
  const name = text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text;
  return name.trim().replace(/\s+/g, ' ').slice(0, 120);
}

/** The vendor is the first line of what is registered; the rest is its postal address. */
function readVendors(file: string): Map<string, string> {
  const all = z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(file, 'utf8')));
  return new Map(
    Object.entries(all).map(([prefix, text]) => [
      prefix.toLowerCase(),
      (text.split('\n')[0] ?? '').trim().replace(/\s+/g, ' ').slice(0, 120),
    ]),
  );
}

/** Package versions end in `YYYYMMDDHH`. */
function dayOf(version: string): string {
  const [, year, month, day] = /\.(\d{4})(\d\d)(\d\d)\d\d$/.exec(version) ?? [];
  if (!year || !month || !day) {
    throw new Error(`the version ${version} tells no day`);
  }
  return `${year}-${month}-${day}`;
}

function build(sources: string) {
  const asn = packageOf(sources, '@ip-location-db/asn');
  const country = packageOf(sources, '@ip-location-db/geo-whois-asn-country');
  const oui = packageOf(sources, 'oui-data');
  const read = (name: string, folder: string, wordOf: (rest: string) => string) => ({
    ipv4: readRanges(path.join(folder, `${name}-ipv4.csv`), wordOf),
    ipv6: readRanges(path.join(folder, `${name}-ipv6.csv`), wordOf),
  });
  const countries = read('geo-whois-asn-country', country.folder, countryOf);
  const orgs = read('asn', asn.folder, orgOf);
  return encodeColumnFile({
    version: dayOf(country.version),
    sources: [
      {
        name: country.name,
        version: country.version,
        licence: 'CC0-1.0; statistics of the NRO CC-BY-4.0',
        attribution: 'Countries of addresses: Number Resource Organization (NRO), collected by ip-location-db',
        url: 'https://www.nro.net/',
      },
      {
        name: asn.name,
        version: asn.version,
        licence: 'CC-BY-4.0',
        attribution: 'Organisations of addresses: IP Geolocation by DB-IP, modified by ip-location-db',
        url: 'https://db-ip.com/',
      },
      {
        name: asn.name,
        version: asn.version,
        licence: 'CC-BY-4.0',
        attribution: 'Networks of organisations: RouteViews project, modified by ip-location-db',
        url: 'https://www.routeviews.org/',
      },
      {
        name: oui.name,
        version: oui.version,
        licence: oui.license,
        attribution: 'Makers of network cards: IEEE Registration Authority, collected by oui-data',
        url: 'https://standards.ieee.org/products-programs/regauth/',
      },
    ],
    ipv4: { country: countries.ipv4, org: orgs.ipv4 },
    ipv6: { country: countries.ipv6, org: orgs.ipv6 },
    vendors: readVendors(path.join(oui.folder, 'index.json')),
  });
}

const [sources, out] = process.argv.slice(2);
if (sources === undefined || out === undefined) {
  console.error('usage: npm run enrichment-data -- SOURCES OUT');
  process.exitCode = 2;
} else {
  const file = build(sources);
  writeFileSync(out, file);
  console.log(`${out}: ${file.length} bytes`);
}
