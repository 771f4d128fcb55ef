// Properties of the simulated world: the NAT table as a function of the clock.
import fc from 'fast-check';
import { expect } from 'vitest';
import { utcTime } from '#kernel/time/clock.ts';
import type { NatEntry, RouterKind } from '#simulators/router/model.ts';
import { findProfile } from '#simulators/router/profiles.ts';
import { createWorld, type World, type WorldOptions } from '#simulators/router/world/world.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { verifies } from '../support/verifies.ts';

const start = utcTime(2026, 3, 1, 3);

function worldAt(kind: RouterKind, options: Partial<WorldOptions> & { profileName?: string } = {}) {
  const clock = new ManualClock(start);
  const world = createWorld({
    profile: findProfile(kind, options.profileName),
    clock,
    seed: 1,
    sessions: 0,
    hosts: 12,
    traffic: false,
    credentials: { user: 'u', password: 'p', enable: null, privileged: false },
    settings: {},
    timers: {},
    destinations: { threat: '198.51.100.66' },
    ...options,
  });
  return { clock, world, at: (ms: number) => clock.jump(start + ms) };
}

const kind = fc.constantFrom<RouterKind>('vendor_a', 'vendor_b');
/** Steps between two reads: from a blink to a few hours. */
const script = fc.array(fc.integer({ min: 0, max: 10_000_000 }), { minLength: 1, maxLength: 4 });
const seed = fc.integer({ min: 0, max: 0xffff_ffff });

const tuple = (entry: NatEntry) => `${entry.proto} ${entry.src}:${entry.sport} ${entry.dst}:${entry.dport}`;
const row = (world: World, entry: NatEntry) =>
  `${entry.id} ${tuple(entry)} ${entry.outerPort} ${world.ttl(entry)} ${entry.closing} ${entry.bytesIn}`;
const rows = (world: World) => world.nat().map((entry) => row(world, entry));

verifies('sim.router.deterministic', 'same seed, same clock script: same rows, whoever reads them', () => {
  fc.assert(
    fc.property(kind, seed, script, (which, number, steps) => {
      const read = () => {
        const { world, at } = worldAt(which, { seed: number, traffic: true });
        let time = 0;
        return steps.map((step) => {
          time += step;
          at(time);
          return rows(world);
        });
      };
      expect(read()).toEqual(read());
    }),
    { numRuns: 4 },
  );
});

verifies(
  'sim.router.deterministic',
  'flows that begin together have ports of their own, however alike they are',
  () => {
    const { world, at } = worldAt('vendor_a');
    const request = { src: '192.168.100.4', dst: '203.0.113.108', dport: 443, ends: 'fin' } as const;
    const [short, long] = [world.flow({ ...request, lastsMs: 60_000 }), world.flow({ ...request, lastsMs: 3_600_000 })];
    expect(long?.sport).not.toBe(short?.sport);
    at(1_800_000);
    expect(world.nat().flatMap(({ fixed, sport }) => (fixed ? [] : [sport]))).toEqual([long?.sport]);
  },
);

verifies('sim.router.deterministic', 'reading in between does not change what is there later', () => {
  fc.assert(
    fc.property(kind, seed, script, (which, number, steps) => {
      const often = worldAt(which, { seed: number, traffic: true });
      const once = worldAt(which, { seed: number, traffic: true });
      let time = 0;
      for (const step of steps) {
        time += step;
        often.at(time);
        often.world.nat();
        often.world.natCounters();
      }
      once.at(time);
      expect(rows(often.world)).toEqual(rows(once.world));
      expect(often.world.natCounters()).toEqual(once.world.natCounters());
    }),
    { numRuns: 4 },
  );
});

verifies('sim.router.table-moves', 'rows are unique, never expired, and not from the future', () => {
  fc.assert(
    fc.property(kind, seed, script, (which, number, steps) => {
      const { world, at, clock } = worldAt(which, { seed: number, traffic: true, sessions: 50 });
      let time = 0;
      for (const step of steps) {
        time += step;
        at(time);
        const entries = world.nat();
        expect(new Set(entries.map(tuple)).size).toBe(entries.length);
        for (const entry of entries.filter(({ fixed }) => !fixed)) {
          expect(world.ttl(entry)).toBeGreaterThan(0);
          expect(world.ttl(entry)).toBeLessThanOrEqual(world.timeout(entry));
          expect(entry.createdAt).toBeLessThanOrEqual(entry.lastPacketAt);
          expect(entry.lastPacketAt).toBeLessThanOrEqual(clock.now());
        }
      }
    }),
    { numRuns: 4 },
  );
});

verifies('sim.router.table-moves', 'the TTL falls by the time that passed, or traffic set it back', () => {
  fc.assert(
    fc.property(kind, seed, fc.integer({ min: 1, max: 300 }), (which, number, seconds) => {
      const { world, at } = worldAt(which, { seed: number, traffic: true, sessions: 30 });
      const before = new Map(
        world.nat().map((entry) => [entry.id, { ttl: world.ttl(entry), last: entry.lastPacketAt }]),
      );
      at(seconds * 1000);
      for (const entry of world.nat().filter(({ fixed }) => !fixed)) {
        const earlier = before.get(entry.id);
        if (earlier && entry.lastPacketAt === earlier.last && !entry.closing) {
          expect(world.ttl(entry)).toBe(earlier.ttl - seconds);
        } else if (earlier) {
          expect(entry.lastPacketAt).toBeGreaterThanOrEqual(earlier.last);
        }
      }
    }),
    { numRuns: 8 },
  );
});

verifies('sim.router.table-moves', 'every inside host is in ARP, and its entry is younger than 20 minutes', () => {
  fc.assert(
    fc.property(kind, seed, script, (which, number, steps) => {
      const { world, at, clock } = worldAt(which, { seed: number, traffic: true });
      at(steps.reduce((sum, step) => sum + step, 0));
      world.flow({ src: '192.168.100.77', dst: '198.51.100.9', dport: 443 });
      const known = new Map(world.hosts().map((host) => [host.ipv4, host]));
      for (const { src } of world.nat()) {
        const host = known.get(src);
        expect(host, `no ARP entry for ${src}`).toBeDefined();
        expect(clock.now() - (host?.arpAt ?? 0)).toBeLessThan(1_200_000);
        expect(host?.arpAt).toBeLessThanOrEqual(clock.now());
      }
    }),
    { numRuns: 4 },
  );
});

verifies('sim.router.table-moves', 'standing sessions are there in full, from 0 to 65,000', () => {
  for (const which of ['vendor_a', 'vendor_b'] as const) {
    for (const sessions of [0, 1, 1000, 65_000]) {
      const { world, at } = worldAt(which, { sessions });
      const count = () => world.nat().filter(({ fixed }) => !fixed).length;
      expect(count()).toBe(sessions);
      at(3 * 86_400_000);
      expect(count()).toBe(sessions);
    }
  }
});

verifies(
  'sim.router.table-moves',
  'a flow lives its timer after its last packet: default timers of both vendors',
  () => {
    const lifetimes = (which: RouterKind) => {
      const seconds = (request: { proto: NatEntry['proto']; dport: number; ends: 'fin' | 'silent' }) => {
        const { world, at } = worldAt(which);
        world.flow({ src: '192.168.100.9', dst: '198.51.100.9', lastsMs: 0, ...request });
        let low = 0;
        let high = 100_000;
        while (high - low > 1) {
          const middle = Math.floor((low + high) / 2);
          const probe = worldAt(which);
          probe.world.flow({ src: '192.168.100.9', dst: '198.51.100.9', lastsMs: 0, ...request });
          probe.at(middle * 1000);
          [low, high] = probe.world.nat().some(({ fixed }) => !fixed) ? [middle, high] : [low, middle];
        }
        at(high * 1000);
        expect(world.nat().some(({ fixed }) => !fixed)).toBe(false);
        return high;
      };
      return [
        seconds({ proto: 'tcp', dport: 443, ends: 'silent' }),
        seconds({ proto: 'tcp', dport: 443, ends: 'fin' }),
        seconds({ proto: 'udp', dport: 443, ends: 'silent' }),
        seconds({ proto: 'udp', dport: 53, ends: 'silent' }),
        seconds({ proto: 'icmp', dport: 0, ends: 'silent' }),
        seconds({ proto: 'gre', dport: 0, ends: 'silent' }),
      ];
    };
    expect(lifetimes('vendor_a')).toEqual([900, 60, 900, 10, 900, 900]);
    expect(lifetimes('vendor_b')).toEqual([86_400, 60, 300, 60, 60, 86_400]);
  },
);

verifies(
  'sim.router.table-moves',
  'outer ports: one per session in type 1, and a MAP-E pool of 240 runs dry for UDP only',
  () => {
    const old = worldAt('vendor_a', { profileName: 'rtx810-old', sessions: 5_000 });
    const ports = old.world
      .nat()
      .filter(({ fixed }) => !fixed)
      .map(({ outerPort }) => outerPort);
    expect(new Set(ports).size).toBe(5_000);

    const { world } = worldAt('vendor_a', { profileName: 'rtx830-mape' });
    const put = (proto: 'tcp' | 'udp', count: number) =>
      Array.from({ length: count }, (_, i) =>
        world.flow({ src: '192.168.100.9', dst: '198.51.100.9', dport: i + 1, sport: i + 1, proto }),
      ).filter((entry) => entry !== null).length;
    expect(put('udp', 300)).toBe(240);
    expect(world.refused()).toBe(60);
    expect(put('tcp', 300)).toBe(300);
  },
);

verifies('sim.router.table-moves', 'a full table refuses new flows until entries run out', () => {
  const { world, at } = worldAt('vendor_b', { settings: { tableLimit: 3 } });
  const put = (dport: number) =>
    world.flow({ src: '192.168.100.9', dst: '198.51.100.9', dport, lastsMs: 0, ends: 'fin' });
  expect([put(1), put(2), put(3)].map((entry) => entry !== null)).toEqual([true, true, false]);
  at(61_000);
  expect(put(4)).not.toBeNull();
});

verifies(
  'sim.router.table-moves',
  'clearing and rebooting: ids, uptime, and a clock that is wrong until it is set again',
  () => {
    const { world, at, clock } = worldAt('vendor_b', { sessions: 10 });
    world.clearTable();
    expect(world.nat().map(({ fixed }) => fixed)).toEqual([true]);
    expect(world.flow({ src: '192.168.100.9', dst: '198.51.100.9', dport: 1 })?.id).toBe(12);

    world.reboot(start + 60_000);
    at(70_000);
    expect(world.settings.bootedAt).toBe(start + 60_000);
    expect(world.routerNow()).toBe(utcTime(1993, 3, 1) + 10_000);
    expect(world.flow({ src: '192.168.100.9', dst: '198.51.100.9', dport: 1 })?.id).toBe(2);
    at(200_000);
    expect(world.routerNow()).toBe(clock.now());
  },
);

verifies(
  'sim.router.table-moves',
  'every application shows: regular ones on both routers, irregular ones on one',
  () => {
    const destinations = (which: RouterKind) => {
      const { world, at } = worldAt(which, { traffic: true });
      const seen = new Map<string, string>();
      for (let minute = 0; minute < 120; minute++) {
        at(minute * 60_000);
        for (const { proto, src, dst, dport } of world.nat()) {
          seen.set(`${src} ${dst} ${dport} ${proto}`, `${proto} ${dport}`);
        }
      }
      return seen;
    };
    const a = destinations('vendor_a');
    const b = destinations('vendor_b');
    const shapes = new Set(a.values());
    for (const shape of [
      'tcp 443',
      'udp 53',
      'udp 443',
      'tcp 8883',
      'udp 123',
      'icmp 0',
      'udp 4500',
      'esp 0',
      'gre 0',
    ]) {
      expect(shapes).toContain(shape);
    }
    expect([...shapes].some((shape) => shape === 'tcp 5223' || shape === 'tcp 5228')).toBe(true);
    expect([...a.keys()].some((key) => key.includes('198.51.100.66 8443'))).toBe(true);
    const shared = [...a.keys()].filter((key) => b.has(key));
    expect(shared.some((key) => key.includes(' 8883 '))).toBe(true);
    expect(shared.length).toBeLessThan(a.size / 2);
  },
);

verifies('sim.router.control', 'a device joins at an address of its own, until the LAN is full', () => {
  fc.assert(
    fc.property(kind, fc.integer({ min: 0, max: 250 }), fc.integer({ min: 2, max: 250 }), (which, hosts, number) => {
      const { world } = worldAt(which, { hosts, traffic: true });
      world.flow({ src: `192.168.100.${number}`, dst: '203.0.113.1', dport: 443 });
      const before = world.lanHosts().length;
      const join = (name: string) => world.join({ name, apps: ['ntp'], lease: 'dynamic', client: 'plain' });
      const places = 253 - before - (world.settings.lanAddress.endsWith('.254') ? 1 : 0);
      for (let guest = 0; guest < places; guest += 1) {
        join(`guest-${guest}`);
      }
      const addresses = [world.settings.lanAddress, ...world.lanHosts().map(({ ipv4 }) => ipv4)];
      expect(new Set(addresses).size).toBe(addresses.length);
      expect(() => join('one-more')).toThrow('the LAN has no free address');
      expect(() => join('guest-0')).toThrow(places > 0 ? 'the LAN has a host guest-0 already' : 'no free address');
    }),
    { numRuns: 5 },
  );
});
