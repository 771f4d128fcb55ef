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
  /** Organisation, else host, else address. The same list for as long as its places keep their meaning; it may name more. */
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

/** Names of targets that are kept however few destinations there are. */
const leastTargets = 1024;

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
  numberOf(key: string, value: string): number;
}

const kept = new WeakMap<Reader, Targets>();

/** Numbers of targets last from one reading to the next, until most of them name nothing any more. */
function targetsOf(reader: Reader, destinations: number): Targets {
  const known = kept.get(reader);
  if (known && known.names.length <= 2 * destinations + leastTargets) {
    return known;
  }
  const names: string[] = [];
  const targets = { names, numberOf: numbering<string>((name) => names.push(name)) };
  kept.set(reader, targets);
  return targets;
}

export function readDestinations(reader: Reader): DestinationWords {
  const rows = reader
    .prepare('SELECT id, address, host, country, org, lat, lon, city FROM destination ORDER BY id')
    .raw()
    .all() as DestinationRow[];
  const room = (rows.at(-1)?.[0] ?? 0) + 1;
  const targets = targetsOf(reader, rows.length);
  const words: DestinationWords = {
    address: new Array<string>(room).fill(''),
    host: new Array<string | null>(room).fill(null),
    country: new Array<string | null>(room).fill(null),
    org: new Array<string | null>(room).fill(null),
    target: new Uint32Array(room),
    place: new Uint32Array(room),
    webApp: new Uint8Array(room),
    targets: targets.names,
    places: [],
  };
  const placeOf = numbering<Place>((place) => words.places.push(place));
  for (const [id, address, host, country, org, lat, lon, city] of rows) {
    const target = org ?? host ?? address;
    words.address[id] = address;
    words.host[id] = host;
    words.country[id] = country;
    words.org[id] = org;
    words.target[id] = targets.numberOf(target, target);
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
