// Between which instants the first and the last packet lie, against what the simulators know: every dialect and interval.
import { describe, expect, test } from 'vitest';
import type { Connection } from '#contract/model.ts';
import type { Uncertainty } from '#contract/uncertainty.ts';
import { createRandom, type Random } from '#simulators/support/random.ts';
import { type Lab, type LabRouterOptions, startLab } from '../../../support/lab.ts';
import { runs } from '../../../support/property-runs.ts';
import { nat } from './polls.ts';

type Seen = Connection & { uncertainty?: Uncertainty | null | undefined };

interface Truth {
  startAt: number;
  endAt: number;
  everyMs: number;
}

const dialects = {
  sjis: { kind: 'vendor_a', dialect: 'rtx1210-ja-sjis' },
  english: { kind: 'vendor_a', dialect: 'rtx1300-en' },
  /** Its timers differ by protocol, so that no idle time can be taken from them. */
  timers: { kind: 'vendor_a', dialect: 'rtx1300-en', timers: { udp: 300 } },
  ios: { kind: 'vendor_b', dialect: 'c841m-ios155' },
  xe16: { kind: 'vendor_b', dialect: 'isr-xe16' },
  xe17: { kind: 'vendor_b', dialect: 'isr-xe17' },
  plain: { kind: 'vendor_b', dialect: 'ios12-legacy' },
} as const satisfies Record<string, LabRouterOptions>;
type Dialect = keyof typeof dialects;
const names = Object.keys(dialects) as Dialect[];

const perRouter = runs(200, 500);
const waves = 20;

async function start(pollIntervalMs: number) {
  const routers = Object.fromEntries(
    names.map((name) => [name, { hosts: 0, sessions: 0, traffic: false, ...dialects[name] } as LabRouterOptions]),
  ) as Record<Dialect, LabRouterOptions>;
  const records = { plain: { legacyAlgorithms: true } };
  return startLab<Dialect>({ routers, records, hub: { pollIntervalMs, startsReaders: true } });
}

/** A flow of a usual kind from now on: mostly closed TCP, some that just end, UDP, DNS. */
function flowOf(random: Random, intervalMs: number) {
  const kind = random.next();
  const lastsMs = Math.round(random.next() ** 2 * 5 * intervalMs) + random.int(5, 3_000);
  const everyMs = random.int(400, 20_000);
  if (kind < 0.75) {
    return { proto: 'tcp', dport: 443, lastsMs, everyMs, ends: kind < 0.7 ? 'fin' : 'silent' } as const;
  }
  return kind < 0.95
    ? ({ proto: 'udp', dport: 443, lastsMs, everyMs, ends: 'silent' } as const)
    : ({ proto: 'udp', dport: 53, lastsMs: random.int(5, 60), everyMs: 1_000, ends: 'silent' } as const);
}

/** Puts flows into all routers while they are polled and `happens`; `truth` gets what is true, by destination. */
async function live(
  lab: Lab<Dialect>,
  random: Random,
  intervalMs: number,
  truth: Map<string, Truth>,
  happens: Happens,
) {
  for (let wave = 0; wave < waves; wave += 1) {
    const steps = Array.from({ length: 5 }, () => random.int(1, intervalMs - 1)).sort((a, b) => a - b);
    let at = 0;
    for (const step of [...steps, intervalMs]) {
      for (let index = 0; index < perRouter / waves / steps.length; index += 1) {
        for (const [number, name] of names.entries()) {
          const flow = flowOf(random, intervalMs);
          const dst = `198.${18 + number}.${truth.size >> 8}.${truth.size & 255}`;
          const startAt = lab.clock.now();
          if (lab.routers[name].flow({ src: `192.168.100.${20 + number}`, dst, ...flow })) {
            truth.set(`${dst},${flow.dport}`, { startAt, endAt: startAt + flow.lastsMs, everyMs: flow.everyMs });
          }
        }
      }
      await lab.advance(step - at);
      at = step;
    }
    await happens(wave);
  }
  for (let poll = 0; poll < 12; poll += 1) {
    await lab.advance(intervalMs);
  }
}

type Happens = (wave: number) => Promise<void>;

/** The last packet at or before `at`. */
function lastAt({ startAt, endAt, everyMs }: Truth, at: number): number {
  return at >= endAt ? endAt : startAt + Math.max(0, Math.floor((at - startAt) / everyMs)) * everyMs;
}

/** Rows whose times are not what is true now; of those that are listed, as of a read in the last `readMs`. */
async function wrongIn(lab: Lab<Dialect>, truth: ReadonlyMap<string, Truth>, readMs: number): Promise<string[]> {
  const now = lab.clock.now();
  return (await seenBy(lab)).flatMap(({ src, dst, dport, uncertainty }) => {
    const flow = truth.get(`${dst},${dport}`);
    if (!flow || !uncertainty) {
      return [`${dst} is not known, or has no times`];
    }
    const { firstSeen, lastSeen } = uncertainty;
    const [least, most] = [lastAt(flow, lastSeen.listedBy.length === 0 ? now : now - readMs), lastAt(flow, now)];
    const isRight =
      flow.startAt >= (firstSeen.notBefore ?? 0) &&
      flow.startAt <= (firstSeen.notAfter ?? now) &&
      most >= (lastSeen.notBefore ?? 0) &&
      least <= (lastSeen.notAfter ?? now);
    return isRight ? [] : [JSON.stringify({ src, dst, dport, ...flow, now, uncertainty })];
  });
}

async function seenBy(lab: Lab<Dialect>): Promise<Seen[]> {
  const { connections } = await lab.as.admin.connections.list({ query: { include: 'uncertainty' } });
  return connections;
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

describe.each([10_000, 60_000, 300_000])('a read each %i ms', (intervalMs) => {
  test('first and last packet lie where it says, within less than two intervals for most', async () => {
    await using lab = await start(intervalMs);
    const truth = new Map<string, Truth>();
    await live(lab, createRandom(intervalMs), intervalMs, truth, async (wave) => {
      expect(await wrongIn(lab, truth, intervalMs), `wave ${wave}`).toEqual([]);
    });
    expect(await wrongIn(lab, truth, intervalMs)).toEqual([]);
    const seen = await seenBy(lab);
    const widths: number[] = [];
    for (const { uncertainty } of seen) {
      for (const span of [uncertainty?.firstSeen, uncertainty?.lastSeen]) {
        if (span && span.notAfter !== null) {
          widths.push(span.notAfter - (span.notBefore ?? Number.NEGATIVE_INFINITY));
        }
      }
    }
    process.stdout.write(
      `${seen.length} of ${truth.size} flows seen, a read each ${intervalMs / 1000} s: median ${median(widths)} ms\n`,
    );
    expect(seen.length).toBeGreaterThan(4 * perRouter);
    expect(median(widths)).toBeLessThan(2 * intervalMs);
  });
});

const minute = 60_000;

type Change = (lab: Lab<Dialect>, wave: number, truth: ReadonlyMap<string, Truth>) => Promise<void>;

test.each<[what: string, awayMs: number, change: Change]>([
  [
    'the hub is away for some minutes',
    6 * minute,
    async (lab, wave) => {
      if (wave % 5 === 4) {
        await lab.stop();
        lab.clock.jump(lab.clock.now() + 3 * minute);
        await lab.restart();
        // Routers are read one after another: none may wait for its login while the clock moves on.
        for (let step = 0; step < 12; step += 1) {
          await lab.advance(6_000);
        }
      }
    },
  ],
  [
    'tables break off',
    30 * minute,
    async (lab, wave) => {
      for (const name of names) {
        const router = lab.routers[name];
        const { kind } = router;
        router.clearFaults();
        if (wave % 4 !== 3) {
          router.fail('truncated', { command: nat(kind), afterBytes: 1500 + 200 * wave });
        }
      }
    },
  ],
  [
    'tables are cleared',
    2 * minute,
    async (lab, wave, truth) => {
      if (wave % 6 === 5) {
        for (const flow of truth.values()) {
          flow.endAt = lastAt(flow, lab.clock.now());
        }
        for (const name of names) {
          lab.routers[name].clearTable();
        }
      }
    },
  ],
])('%s: what is said stays true', async (_what, awayMs, change) => {
  await using lab = await start(minute);
  const truth = new Map<string, Truth>();
  await live(lab, createRandom(7), minute, truth, async (wave) => {
    await change(lab, wave, truth);
    expect((await wrongIn(lab, truth, awayMs)).slice(0, 3), `wave ${wave}`).toEqual([]);
  });
  expect((await wrongIn(lab, truth, minute)).slice(0, 3)).toEqual([]);
});
