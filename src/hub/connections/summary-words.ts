// The dictionaries as the summary needs them: whole, by id, and what destinations have in common as numbers.
import type { Reader } from '#kernel/sqlite.ts';
import { webAppNumberOf } from './app-guess.ts';

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

export interface DestinationWords {
  /** By destination id, up to the largest. */
  address: string[];
  host: (string | null)[];
  country: (string | null)[];
  org: (string | null)[];
  /** What each is called where addresses do not matter, as a place in `targets`. */
  target: Uint32Array;
  /** Where it is: a place in `places` plus one; 0 where unknown. */
  place: Uint32Array;
  /** What its flows to web ports are for: a place in `apps`. */
  webApp: Uint8Array;
  /** Organisation, else host, else address. */
  targets: string[];
  /** Everything that is shown of a place. */
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

export function readDestinations(reader: Reader): DestinationWords {
  const rows = reader
    .prepare('SELECT id, address, host, country, org, lat, lon, city FROM destination ORDER BY id')
    .raw()
    .all() as DestinationRow[];
  const room = (rows.at(-1)?.[0] ?? 0) + 1;
  const words: DestinationWords = {
    address: new Array<string>(room).fill(''),
    host: new Array<string | null>(room).fill(null),
    country: new Array<string | null>(room).fill(null),
    org: new Array<string | null>(room).fill(null),
    target: new Uint32Array(room),
    place: new Uint32Array(room),
    webApp: new Uint8Array(room),
    targets: [],
    places: [],
  };
  const targetOf = numbering<string>((key) => words.targets.push(key));
  const placeOf = numbering<Place>((place) => words.places.push(place));
  for (const [id, address, host, country, org, lat, lon, city] of rows) {
    const target = org ?? host ?? address;
    words.address[id] = address;
    words.host[id] = host;
    words.country[id] = country;
    words.org[id] = org;
    words.target[id] = targetOf(target, target);
    words.webApp[id] = webAppNumberOf(host);
    if (lat !== null && lon !== null) {
      const key = `${org ?? ''}|${country ?? ''}|${city ?? ''}|${lat}|${lon}`;
      words.place[id] = placeOf(key, { key, org, country, city, lat, lon }) + 1;
    }
  }
  return words;
}

/** Numbers keys in order; `first` is told what goes with each new one. */
function numbering<T>(first: (value: T) => void): (key: string, value: T) => number {
  const numbers = new Map<string, number>();
  return (key, value) => {
    const known = numbers.get(key);
    if (known !== undefined) {
      return known;
    }
    numbers.set(key, numbers.size);
    first(value);
    return numbers.size - 1;
  };
}
