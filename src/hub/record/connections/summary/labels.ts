// The labels of a summary: both dictionaries by id, with targets and locations as numbers.
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { guessWebApp } from './app-guess.ts';

export interface SourceRow {
  id: number;
  src: string;
  srcMac: string | null;
  srcVendor: string | null;
  srcDnsName: string | null;
  srcMdnsName: string | null;
}

export interface Place {
  key: string;
  org: string | null;
  country: string | null;
  city: string | null;
  lat: number;
  lon: number;
}

export interface DestinationLabels {
  /** By destination id, up to the largest. */
  address: string[];
  host: (string | null)[];
  country: (string | null)[];
  org: (string | null)[];
  /** Index of its country in `countries` plus one; 0 where unknown. */
  countryNumber: Uint16Array;
  /** Index of its target in `targets`. */
  target: Uint32Array;
  /** Index of its location in `places` plus one; 0 where unknown. */
  place: Uint32Array;
  /** Index in `apps` of the guess for its flows to web ports. */
  webApp: Uint8Array;
  /** Organisation, else host, else address. Numbers stay valid from one call to the next; the list may hold unused names. */
  targets: string[];
  countries: string[];
  /** Locations on the map. */
  places: Place[];
}

export function readSources(reader: Reader): ReadonlyMap<number, SourceRow> {
  const rows = reader
    .prepare(
      `SELECT id, address AS src, mac AS srcMac, vendor AS srcVendor, dns_name AS srcDnsName,
           mdns_name AS srcMdnsName FROM source`,
    )
    .all() as SourceRow[];
  return new Map(rows.map((row) => [row.id, row]));
}

/** Unused targets that are tolerated in any case. */
const minTargets = 1024;

type DestinationRow = [
  id: number,
  address: string,
  host: string | null,
  country: string | null,
  org: string | null,
  lat: number | null,
  lon: number | null,
  city: string | null,
];

interface Targets {
  names: string[];
  intern(key: string, value: string): number;
}

function createTargets(): Targets {
  const names: string[] = [];
  return { names, intern: createInterner<string>((name) => names.push(name)) };
}

/** Returns the targets of the last call, until most of them are unused. */
function getTargets(reader: Reader, destinations: number): Targets {
  const cache = reader.attached('targets', createTargets);
  return cache.names.length <= 2 * destinations + minTargets ? cache : Object.assign(cache, createTargets());
}

export function readDestinations(reader: Reader): DestinationLabels {
  const rows = reader
    .prepare('SELECT id, address, host, country, org, lat, lon, city FROM destination ORDER BY id')
    .raw()
    .all() as DestinationRow[];
  const capacity = (rows.at(-1)?.[0] ?? 0) + 1;
  const targets = getTargets(reader, rows.length);
  const labels: DestinationLabels = {
    address: new Array<string>(capacity).fill(''),
    host: new Array<string | null>(capacity).fill(null),
    country: new Array<string | null>(capacity).fill(null),
    org: new Array<string | null>(capacity).fill(null),
    countryNumber: new Uint16Array(capacity),
    target: new Uint32Array(capacity),
    place: new Uint32Array(capacity),
    webApp: new Uint8Array(capacity),
    targets: targets.names,
    countries: [],
    places: [],
  };
  const internPlace = createInterner<Place>((place) => labels.places.push(place));
  const internCountry = createInterner<string>((country) => labels.countries.push(country));
  for (const [id, address, host, country, org, lat, lon, city] of rows) {
    const target = org ?? host ?? address;
    labels.address[id] = address;
    labels.host[id] = host;
    labels.country[id] = country;
    labels.org[id] = org;
    labels.countryNumber[id] = country === null ? 0 : internCountry(country, country) + 1;
    labels.target[id] = targets.intern(target, target);
    labels.webApp[id] = guessWebApp(host);
    if (lat !== null && lon !== null) {
      const key = `${org ?? ''}|${country ?? ''}|${city ?? ''}|${lat}|${lon}`;
      labels.place[id] = internPlace(key, { key, org, country, city, lat, lon }) + 1;
    }
  }
  return labels;
}

/** Numbers keys in order of appearance; `onNew` is called with the value of each new one. */
function createInterner<T>(onNew: (value: T) => void): (key: string, value: T) => number {
  const numbers = new Map<string, number>();
  return (key, value) => {
    const known = numbers.get(key);
    if (known !== undefined) {
      return known;
    }
    numbers.set(key, numbers.size);
    onNew(value);
    return numbers.size - 1;
  };
}
