// The path of connections over several routers, against what the simulators know: seeded worlds of every kind.
import { describe, expect, test } from 'vitest';
import type { ConnectionPath } from '#contract/path.ts';
import { createRandom, type Random } from '#simulators/support/random.ts';
import { type Lab, type LabRouterOptions, startLab } from '../../../support/lab.ts';
import { budget, runs } from '../../../support/property-runs.ts';
import { connectThrough, type TrueHop } from '../../../support/router-series.ts';

type Place = 'r0' | 'r1' | 'r2';
const places = ['r0', 'r1', 'r2'] as const;

const dialects = [
  { kind: 'vendor_a', dialect: 'rtx1210-ja-sjis' },
  { kind: 'vendor_a', dialect: 'rtx1300-en' },
  { kind: 'vendor_b', dialect: 'c841m-ios155' },
  { kind: 'vendor_b', dialect: 'isr-xe16' },
  { kind: 'vendor_b', dialect: 'isr-xe17' },
  { kind: 'vendor_b', dialect: 'ios12-legacy' },
] as const satisfies LabRouterOptions[];

const minutes = 60_000;

/** Networks from the inside to the outside: what is the WAN of one is the LAN of the next. */
const networks = ['192.168.10', '192.168.20', '192.168.30', '203.0.113'];

interface World {
  /** What each connection must say, by the id of the connection. */
  paths: Map<string, Partial<ConnectionPath>>;
}

function startWorld(random: Random, sides: readonly { lan: string; wan: string }[]): Promise<Lab<Place>> {
  const routers = {} as Record<Place, LabRouterOptions>;
  const records: Partial<Record<Place, Record<string, unknown>>> = {};
  for (const [index, { lan, wan }] of sides.entries()) {
    const place = places[index] ?? 'r0';
    const dialect = random.pick(dialects);
    const settings = { lanAddress: `${lan}.1`, wanAddress: wan };
    routers[place] = { hosts: 0, sessions: 0, seed: random.int(1, 1e6), ...dialect, settings };
    records[place] = { legacyAlgorithms: dialect.dialect === 'ios12-legacy' };
  }
  return startLab({ routers, records });
}

const protocols = ['tcp', 'tcp', 'udp', 'icmp'] as const;

/** Two sessions with ports are the least that proves something. */
function requestOf(random: Random, src: string, dst: string, index: number) {
  const proto = index > 4 && index <= 6 ? 'tcp' : random.pick(protocols);
  const dport = proto === 'icmp' ? 0 : random.pick([443, 80, 8883]);
  return { src, dst, dport, proto, sport: random.int(1_024, 65_535), lastsMs: 20 * minutes, everyMs: 5_000 };
}

const destination = (random: Random, spread: number) => `198.18.${random.int(0, 3)}.${random.int(1, spread)}`;

function hopOf(hop: TrueHop, position: string | null) {
  const { routerId, id, inside, outside } = hop;
  return { routerId, position, connections: [id], connectionsTotal: 1, inside, outside };
}

/** Two or three routers, each behind the next; some machines stand between two of them. */
async function series(random: Random): Promise<[Lab<Place>, World['paths']]> {
  const count = random.int(2, 3);
  const first = 3 - count;
  const sides = Array.from({ length: count }, (_, index) => ({
    lan: networks[first + index] ?? '',
    wan: `${networks[first + index + 1]}.${random.int(2, 250)}`,
  }));
  const lab = await startWorld(random, sides);
  const routers = places.slice(0, count).map((place) => lab.routers[place]);
  const paths: World['paths'] = new Map();
  for (let index = random.int(6, 20); index > 0; index -= 1) {
    const behind = index > 4 ? 0 : random.int(0, count - 1);
    const src = `${sides[behind]?.lan}.${251 + random.int(0, 3)}`;
    const hops = connectThrough(routers.slice(behind), requestOf(random, src, destination(random, 200), index));
    const isLong = hops.length > 1;
    const positions = hops.map((_, at) => (at === 0 ? 'inside' : at === hops.length - 1 ? 'outside' : 'between'));
    const [only] = hops;
    const address = only?.outside.address;
    paths.set(only?.id ?? '', {
      state: isLong ? 'ordered' : 'single',
      doubleNat: isLong ? 'seen' : 'no',
      hops: hops.map((hop, at) =>
        expect.objectContaining(
          isLong ? hopOf(hop, positions[at] ?? null) : { ...hopOf(hop, null), outside: { address, port: null } },
        ),
      ),
    });
  }
  return [lab, paths];
}

/** Two routers of one network: what both show may go over either. */
async function parallel(random: Random): Promise<[Lab<Place>, World['paths']]> {
  const lan = networks[0] ?? '';
  const sides = [2, 3].map((host) => ({ lan, wan: `203.0.113.${host}` }));
  const lab = await startWorld(random, sides);
  const { r0, r1 } = lab.routers;
  const paths: World['paths'] = new Map();
  for (let index = random.int(4, 12); index > 0; index -= 1) {
    const request = requestOf(random, `${lan}.${index + 10}`, destination(random, 200), index);
    const isBoth = random.next() < 0.5;
    const [hop] = connectThrough([r0], request);
    if (isBoth) {
      connectThrough([r1], { ...request, sport: random.next() < 0.5 ? request.sport : request.sport ^ 1 });
    }
    const hops = isBoth ? [{ routerId: r0.id }, { routerId: r1.id }] : [{ routerId: r0.id }];
    paths.set(hop?.id ?? '', {
      state: isBoth ? 'unknown' : 'single',
      doubleNat: 'no',
      hops: hops
        .sort((one, other) => (one.routerId < other.routerId ? -1 : 1))
        .map((one) => expect.objectContaining({ ...one, position: null })),
    });
  }
  return [lab, paths];
}

/** Two sites with the same private addresses: ports that are equal, one in each second world, are equal by chance. */
async function strangers(random: Random): Promise<[Lab<Place>, World['paths']]> {
  const address = '192.168.20.7';
  const lab = await startWorld(random, [
    { lan: '192.168.10', wan: address },
    { lan: '192.168.20', wan: '203.0.113.9' },
  ]);
  const { r0, r1 } = lab.routers;
  const paths: World['paths'] = new Map();
  const dst = destination(random, 200);
  const isEqual = random.next() < 0.5;
  for (let index = random.int(20, 60); index > 0; index -= 1) {
    const request = { dst, dport: 443, lastsMs: 20 * minutes, everyMs: 5_000 };
    const src = `192.168.10.${random.int(10, 13)}`;
    const [inner] = connectThrough([r0], { ...request, src, sport: random.int(49_152, 65_535) });
    const sport = isEqual && index === 1 ? inner?.outside.port : random.int(49_152, 65_535);
    const [outer] = connectThrough([r1], { ...request, src: address, ...(sport === undefined ? {} : { sport }) });
    const hop = (router: string) => [expect.objectContaining({ routerId: router, position: null })];
    paths.set(inner?.id ?? '', { state: 'single', doubleNat: 'likely', hops: hop(r0.id) });
    paths.set(outer?.id ?? '', { state: 'single', doubleNat: 'no', hops: hop(r1.id) });
  }
  return [lab, paths];
}

const kinds = { series, parallel, strangers };

async function pathOf(lab: Lab<Place>, id: string): Promise<ConnectionPath> {
  return (await lab.as.admin.connections.detail({ params: { id } })).path;
}

describe.each([
  ['series', 10, 60],
  ['parallel', 3, 20],
  ['strangers', 3, 20],
] as const)('%s', (kind, share, whole) => {
  test(`what is said is true: ${budget(share, whole, 'worlds')}`, async () => {
    let [connections, hops] = [0, 0];
    const worlds = runs(share, whole);
    for (let seed = 1; seed <= worlds; seed += 1) {
      const [opened, paths] = await kinds[kind](createRandom(seed));
      await using lab = opened;
      await lab.poll();
      await lab.poll();
      for (const [id, path] of paths) {
        expect(await pathOf(lab, id), `seed ${seed}: ${id}`).toMatchObject(path);
        connections += 1;
        hops += path.hops?.length ?? 0;
      }
    }
    process.stdout.write(`${kind}: ${connections} connections, ${hops} hops in ${worlds} worlds\n`);
    expect(connections).toBeGreaterThan(4 * worlds);
  });
});
