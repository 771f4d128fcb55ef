// What the hosts do: each application is a seeded process that says which flows start in a minute. Pure functions.
import { createRandom, hash, type Random } from '../../support/random.ts';
import type { NatEntry } from '../model.ts';
import { ipv4Text } from './address.ts';

export const applications = [
  'web',
  'dns',
  'video',
  'push',
  'iot',
  'ntp',
  'ping',
  'vpn',
  'beacon',
  'scan',
  'threat',
  'p2p',
] as const;

export type Application = (typeof applications)[number];

/** A flow from its first packet to its last; the NAT entry is a function of it and the clock. */
export interface Flow {
  proto: NatEntry['proto'];
  src: string;
  sport: number;
  dst: string;
  dport: number;
  startAt: number;
  /** A packet leaves every so many ms. */
  everyMs: number;
  /** Its last packet; null while nobody knows. */
  endAt: number | null;
  /** How it ends: FIN or RST seen, or just no more packets. */
  ends: 'fin' | 'silent';
  /** Bytes and packets each way at every packet time. */
  burst: { packets: number; bytesIn: number; bytesOut: number };
}

export interface Destinations {
  /**
   * Addresses the ordinary applications and standing sessions talk to; when absent, documentation addresses (RFC 5737)
   * and those of benchmarks (RFC 2544).
   */
  pool?: readonly string[];
  own?: Partial<Record<'dns' | 'push' | 'ntp' | 'beacon', readonly string[]>>;
  threat: string;
}

export const windowMs = 60_000;

const minuteMs = 60_000;

interface Window {
  src: string;
  from: number;
  random: Random;
  /** Seeded by host and application only: the same in every window. */
  own: Random;
  destinations: Destinations;
}

const defaultPool = Array.from({ length: 160 }, (_, i) =>
  i < 80 ? ipv4Text(0xc6336400 + 10 + i) : ipv4Text(0xcb007100 + 40 + i),
);

/**
 * The flows the application of `src` starts in the window that begins at `from` (a multiple of `windowMs`). Regular
 * applications depend on the seed only; irregular ones on `salt` too, so that two routers of one LAN differ.
 */
export function flowsIn(
  app: Application,
  seeds: { seed: number; salt: string },
  src: string,
  from: number,
  destinations: Destinations,
): Flow[] {
  const { seed, salt } = seeds;
  const random = createRandom(hash(seed, salt, src, app, from));
  const own = createRandom(hash(seed, src, app));
  return patterns[app]({ src, from, random, own, destinations });
}

const patterns: Readonly<Record<Application, (window: Window) => Flow[]>> = {
  web: (w) => {
    if (w.random.next() > 0.4) {
      return [];
    }
    const at = w.from + w.random.int(0, 40_000);
    return many(w.random.int(6, 20), () => {
      const startAt = at + w.random.int(0, 6_000);
      const endAt = startAt + w.random.int(5_000, 60_000);
      const ends = w.random.next() < 0.9 ? 'fin' : 'silent';
      return flow(w, { dst: server(w), dport: 443, startAt, endAt, ends, everyMs: w.random.int(400, 4_000) });
    });
  },
  dns: (w) =>
    many(w.random.int(0, 4), () => {
      const startAt = w.from + w.random.int(0, windowMs - 1);
      const endAt = startAt + w.random.int(5, 60);
      const dst = fixed(w, 'dns', '192.0.2.53');
      return flow(w, { proto: 'udp', dst, dport: 53, startAt, endAt });
    }),
  video: (w) =>
    w.random.next() > 0.15
      ? []
      : many(w.random.int(1, 4), () => {
          const startAt = w.from + w.random.int(0, windowMs - 1);
          const endAt = startAt + w.random.int(2, 12) * minuteMs;
          return flow(w, { proto: 'udp', dst: server(w), dport: 443, startAt, endAt, everyMs: 250, heavy: true });
        }),
  push: (w) =>
    periodic(w, 90 * minuteMs, 0, {
      dst: regular(w, 'push'),
      dport: w.own.pick([5223, 5228]),
      lastsMs: 90 * minuteMs - 1,
      everyMs: 14 * minuteMs,
    }),
  iot: (w) =>
    periodic(w, 60 * minuteMs, 0, { dst: server(w, w.own), dport: 8883, lastsMs: 60 * minuteMs - 1, everyMs: 60_000 }),
  ntp: (w) =>
    periodic(w, 17 * minuteMs, 0.02, {
      proto: 'udp',
      dst: fixed(w, 'ntp', '192.0.2.123'),
      dport: 123,
      lastsMs: 40,
      everyMs: 60_000,
    }),
  ping: (w) =>
    periodic(w, 5 * minuteMs, 0.1, { proto: 'icmp', dst: '192.0.2.1', dport: 0, lastsMs: 4_000, everyMs: 1_000 }),
  vpn: (w) => [
    ...periodic(w, 75 * minuteMs, 0, {
      proto: 'udp',
      dst: '203.0.113.9',
      sport: 4500,
      dport: 4500,
      lastsMs: 74 * minuteMs,
      everyMs: 20_000,
    }),
    ...periodic(w, 120 * minuteMs, 0, {
      proto: 'esp',
      dst: '203.0.113.9',
      sport: 0,
      dport: 0,
      lastsMs: 70 * minuteMs,
      everyMs: 30_000,
    }),
    ...periodic(w, 180 * minuteMs, 0, {
      proto: 'gre',
      dst: '198.51.100.7',
      sport: 0,
      dport: 0,
      lastsMs: 50 * minuteMs,
      everyMs: 30_000,
    }),
  ],
  beacon: (w) =>
    periodic(w, 5 * minuteMs, 0.03, {
      dst: regular(w, 'beacon'),
      dport: 443,
      lastsMs: 1_200,
      everyMs: 400,
      ends: 'fin',
    }),
  scan: (w) =>
    w.from % (60 * minuteMs) !== 0
      ? []
      : many(60, (i) => {
          const startAt = w.from + i * 200;
          return flow(w, {
            dst: `198.51.100.${100 + i}`,
            dport: w.random.pick([22, 23, 80, 445]),
            startAt,
            endAt: startAt,
          });
        }),
  threat: (w) =>
    periodic(w, 11 * minuteMs, 0.2, {
      dst: w.destinations.threat,
      dport: 8443,
      lastsMs: 9_000,
      everyMs: 1_000,
      ends: 'fin',
    }),
  p2p: (w) =>
    many(w.random.int(8, 40), () => {
      const startAt = w.from + w.random.int(0, windowMs - 1);
      const endAt = startAt + w.random.int(0, 120_000);
      const dst = ipv4Text(0xc6120000 + w.random.int(0x10000, 0x1ffff));
      return flow(w, {
        proto: 'udp',
        dst,
        dport: w.random.int(10_000, 60_000),
        sport: 51_413,
        startAt,
        endAt,
        everyMs: 5_000,
      });
    }),
};

interface Shape {
  proto?: Flow['proto'];
  dst: string;
  dport: number;
  sport?: number;
  startAt: number;
  endAt: number;
  everyMs?: number;
  ends?: Flow['ends'];
  heavy?: boolean;
}

function flow(w: Window, shape: Shape): Flow {
  const {
    proto = 'tcp',
    everyMs = 1_000,
    ends = 'silent',
    heavy = false,
    sport = w.random.int(49_152, 65_535),
  } = shape;
  const burst = heavy ? { packets: 40, bytesIn: 52_000, bytesOut: 2_400 } : { packets: 1, bytesIn: 420, bytesOut: 180 };
  return {
    proto,
    src: w.src,
    sport,
    dst: shape.dst,
    dport: shape.dport,
    startAt: shape.startAt,
    everyMs,
    endAt: shape.endAt,
    ends,
    burst,
  };
}

/** The flows of a process that repeats every `periodMs`, each start off by up to `jitter` of the period. */
function periodic(
  w: Window,
  periodMs: number,
  jitter: number,
  shape: Omit<Shape, 'startAt' | 'endAt'> & { lastsMs: number },
): Flow[] {
  const phase = w.own.int(0, periodMs - 1);
  const slack = Math.floor(periodMs * jitter);
  const flows: Flow[] = [];
  const first = Math.floor((w.from - phase - slack) / periodMs);
  for (let turn = first; phase + turn * periodMs - slack < w.from + windowMs; turn++) {
    const turnRandom = createRandom(hash(phase, shape.dst, turn));
    const startAt = phase + turn * periodMs + turnRandom.int(-slack, slack);
    if (startAt >= w.from && startAt < w.from + windowMs) {
      const sport = shape.sport ?? turnRandom.int(49_152, 65_535);
      flows.push(flow(w, { ...shape, sport, startAt, endAt: startAt + shape.lastsMs }));
    }
  }
  return flows;
}

function server(w: Window, random = w.random): string {
  return random.pick(w.destinations.pool ?? defaultPool);
}

/** The server that this host uses; without a list the usual one, and nothing is drawn. */
function fixed(w: Window, app: 'dns' | 'ntp', usual: string): string {
  const list = w.destinations.own?.[app];
  return list ? w.own.pick(list) : usual;
}

/** The one destination of a regular application of this host. */
function regular(w: Window, app: 'push' | 'beacon'): string {
  return w.own.pick(w.destinations.own?.[app] ?? w.destinations.pool ?? defaultPool);
}

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
