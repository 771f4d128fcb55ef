// A random month of a small network, repeatable from its seed: who talks to whom, and what is known of both.
import type { DestinationFacts, Listing, Sighting, SourceFacts, Verdict, World } from './connection-oracle.ts';
import { createRandom } from './random.ts';

export const monthStart = 1_788_000_000_000 - (1_788_000_000_000 % 3_600_000);
export const monthMs = 30 * 86_400_000;

export interface Dice {
  /** 0…below-1. */
  whole(below: number): number;
  /** Small numbers far more often. */
  skewed(below: number): number;
  chance(of: number): boolean;
  pick<T>(from: readonly T[]): T;
}

export function createDice(seed: number): Dice {
  const random = createRandom(seed);
  const whole = (below: number) => Math.floor(random() * below);
  return {
    whole,
    skewed: (below) => Math.floor(random() ** 3 * below),
    chance: (of) => random() < of,
    pick: (from) => from[whole(from.length)] as (typeof from)[number],
  };
}

const maybe = <T>(dice: Dice, value: T) => (dice.chance(0.3) ? null : value);

const services = [
  ['TCP', 443],
  ['UDP', 443],
  ['TCP', 80],
  ['UDP', 53],
  ['TCP', 44_300],
  ['ICMP', 0],
] as const;

const deviceId = (index: number) => `5d1c6a10-0000-4000-8000-00000000000${index}`;

export function randomWorld(dice: Dice): World {
  const sources = Array.from({ length: 24 }, (_, index): [string, SourceFacts] => [
    index % 6 === 5 ? `fd00::${index.toString(16)}` : `192.168.1.${index + 2}`,
    {
      mac: maybe(dice, `02:00:5e:10:00:${index.toString(16).padStart(2, '0')}`),
      vendor: maybe(dice, dice.pick(['Acme', 'Änderung', 'Umbra'])),
      dns_name: maybe(dice, `Desk-${index}.lan`),
      mdns_name: maybe(dice, `printer_${index}`),
      // Some have several addresses, every sixth is of no device.
      device_id: index % 6 === 0 ? null : deviceId(index % 8),
    },
  ]);
  const destinations = Array.from({ length: 700 }, (_, index): [string, DestinationFacts] => {
    const isPlaced = dice.chance(0.7);
    return [
      index % 9 === 8 ? `2001:db8::${index.toString(16)}` : `203.0.${index % 113}.${index % 250}`,
      {
        host: maybe(dice, `${dice.pick(['www', 'mail', 'cdn%1', 'a_b', 'ntp2', 'video'])}.site${index % 300}.example`),
        country: maybe(dice, dice.pick(['NL', 'JP', 'US', 'DE', 'BR'])),
        org: maybe(dice, dice.pick(['Example Org', 'example cloud', '100% Hosting', 'Ørsted', `Org ${index % 80}`])),
        lat: isPlaced ? (index % 60) - 30 : null,
        lon: isPlaced ? (index % 100) / 2 : null,
        city: isPlaced ? maybe(dice, dice.pick(['Delft', 'Osaka', 'Köln'])) : null,
      },
    ];
  });
  const routers: [string, 'vendor_a' | 'vendor_b'][] = [
    ['vendor-a-1', 'vendor_a'],
    ['vendor-b-2', 'vendor_b'],
  ];
  const listings = randomListings(dice, new Map(destinations), 0.06);
  return { sources: new Map(sources), destinations: new Map(destinations), listings, routers: new Map(routers) };
}

/** Addresses for the parameter `src` of a summary: mostly none, else one or several, of which some come twice or are unknown. */
export function randomSources(dice: Dice, world: World): string[] {
  const known = [...world.sources.keys()];
  const count = dice.pick([0, 0, 0, 0, 1, 1, 2, 5]);
  const sources = Array.from({ length: count }, () => dice.pick(known));
  const more = count === 0 ? [] : dice.pick([[], [], [dice.pick(sources)], ['192.0.2.77']]);
  return [...sources, ...more];
}

/** Some destinations are listed: on every port, or on one, and then mostly less surely on the others. */
export function randomListings(
  dice: Dice,
  destinations: ReadonlyMap<string, unknown>,
  share: number,
): Map<string, Listing> {
  const listed = [...destinations.keys()].filter(() => dice.chance(share));
  return new Map(
    listed.map((dst): [string, Listing] => {
      const threat: Verdict = {
        level: dice.pick(['warn', 'danger']),
        confidence: dice.pick(['low', 'high']),
        source: dice.pick(['feed_c2', 'feed_ioc', 'feed_url', 'feed_drop']),
        tag: maybe(dice, dice.pick(['botnet', '=cmd'])),
        ...{ matchType: 'ip', matchValue: dst, port: null, url: null },
      };
      if (dice.chance(0.5)) {
        return [dst, { threat, port: null, otherwise: null }];
      }
      const [, port] = dice.pick(services);
      const exact: Verdict = { ...threat, level: 'danger', confidence: 'high', port };
      return [dst, { threat: exact, port, otherwise: maybe(dice, { ...threat, level: 'warn', confidence: 'low' }) }];
    }),
  );
}

/** Polls of both routers in the order of time, `perPoll` sightings each. */
export function randomPolls(dice: Dice, world: World, polls: number, perPoll: number): Sighting[][] {
  const [sources, destinations, routers] = [world.sources, world.destinations, world.routers].map((map) => [
    ...map.keys(),
  ]) as [string[], string[], string[]];
  const known = new Set<string>();
  const times = Array.from({ length: polls }, () => monthStart + dice.whole(monthMs)).sort((a, b) => a - b);
  return times.map((at) => {
    const router = dice.pick(routers);
    return Array.from({ length: perPoll }, () => {
      const [proto, dport] = dice.pick(services);
      const flow = {
        src: sources[dice.skewed(sources.length)] as string,
        dst: destinations[dice.skewed(destinations.length)] as string,
        dport,
        proto,
      };
      const key = Object.values(flow).join(' ');
      const startedAt = known.has(key) || dice.chance(0.9) ? at : at - dice.whole(3 * 3_600_000);
      known.add(key);
      return {
        ...flow,
        sport: dice.chance(0.5) ? 1024 + dice.whole(60_000) : null,
        ttl: dice.chance(0.5) ? dice.whole(900) : null,
        ...{ startedAt, at, router },
      };
    });
  });
}
