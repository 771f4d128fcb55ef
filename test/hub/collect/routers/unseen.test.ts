// What share of the connections no read of a router can have shown: the estimate against what the simulators know.
import { expect, test } from 'vitest';
import type { Unseen } from '#contract/coverage.ts';
import { createRandom, hash } from '#simulators/support/random.ts';
import { type Lab, type LabRouterOptions, startLab } from '../../../support/lab.ts';
import { budget, runs } from '../../../support/property-runs.ts';

const dialects = [
  { kind: 'vendor_a', dialect: 'rtx1210-ja-sjis' },
  { kind: 'vendor_a', dialect: 'rtx1300-en' },
  { kind: 'vendor_b', dialect: 'c841m-ios155' },
  { kind: 'vendor_b', dialect: 'isr-xe16' },
  { kind: 'vendor_b', dialect: 'isr-xe17' },
] as const satisfies LabRouterOptions[];

/** Every entry of a simulator of this kind stays longer. */
const sampleMs = { vendor_a: 10_000, vendor_b: 60_000 };

interface Service {
  all: Set<number>;
  seen: Set<number>;
}

/** Counts what is true of one router, from its second read on. */
function createTruth(router: Lab<string>['routers'][string]) {
  const services = new Map<string, Service>();
  const before = new Set<number>();
  const look = (isRead: boolean, isCounted: boolean) => {
    for (const { id, proto, dport, fixed } of router.truth()) {
      if (!isCounted) {
        before.add(id);
      } else if (!fixed && !before.has(id)) {
        const key = `${proto.toUpperCase()} ${proto === 'tcp' || proto === 'udp' ? dport : 0}`;
        const service = services.get(key) ?? { all: new Set(), seen: new Set() };
        services.set(key, service);
        service.all.add(id);
        if (isRead) {
          service.seen.add(id);
        }
      }
    }
  };
  const shareOf = (some: Iterable<Service>) => {
    let [all, seen] = [0, 0];
    for (const one of some) {
      all += one.all.size;
      seen += one.seen.size;
    }
    return { all, share: all === 0 ? 0 : 1 - seen / all };
  };
  return {
    look,
    total: () => shareOf(services.values()),
    service: (proto: string, dport: number | null) =>
      shareOf([services.get(`${proto} ${dport}`)].filter((one) => one !== undefined)),
    busiest: () =>
      [...services]
        .sort(([, one], [, other]) => other.all.size - one.all.size)
        .slice(0, 3)
        .map(([key]) => key.split(' '))
        .map(([proto = '', dport]): [string, number] => [proto, Number(dport)]),
  };
}

async function readUnseen(lab: Lab<string>, name: string): Promise<Unseen> {
  const { subjects } = await lab.as.admin.coverage.coverage({ query: {} });
  const found = subjects.find(({ id }) => id === lab.routers[name]?.id)?.unseen;
  if (!found) {
    throw new Error(`nothing is said of ${name}`);
  }
  return found;
}

/** Reads the routers so many times, and counts what is true meanwhile. */
async function observe(lab: Lab<string>, intervalMs: number, reads: number) {
  const truths = new Map(Object.entries(lab.routers).map(([name, router]) => [name, createTruth(router)]));
  const steps = Math.ceil(intervalMs / sampleMs.vendor_a);
  const coarse = Math.floor(sampleMs.vendor_b / (intervalMs / steps));
  for (const truth of truths.values()) {
    truth.look(true, false);
  }
  for (let read = 0; read < reads; read += 1) {
    for (let step = 1; step <= steps; step += 1) {
      await lab.clock.advance(Math.round((step * intervalMs) / steps) - Math.round(((step - 1) * intervalMs) / steps));
      if (step === steps) {
        await lab.settled();
      }
      for (const [name, truth] of truths) {
        if (step === steps || step % coarse === 0 || lab.routers[name]?.kind === 'vendor_a') {
          truth.look(step === steps, true);
        }
      }
    }
  }
  return truths;
}

/** How near an estimate must be: within `factor` where the truth is above `from`, else at most `most`. */
interface Near {
  factor: number;
  from: number;
  most: number;
}

const ofWorld: Near = { factor: 1.5, from: 0.01, most: 0.015 };
/** By remaining times alone, a share near nothing is the difference of two counts: a few reads say it to some hundredths. */
const ofService: Near = { factor: 2, from: 0.02, most: 0.05 };

function isNear(estimate: number, truth: number, { factor, from, most }: Near): boolean {
  return truth > from ? estimate <= truth * factor && estimate >= truth / factor : estimate <= most;
}

const percent = (share: number) => `${(share * 100).toFixed(2)} %`;

/** Worlds that share a lab and its interval: seven labs, twenty worlds, intervals from 22 to 243 s by their seeds. */
const labs = [3, 3, 3, 3, 3, 3, 2].map((count, index, { length }) => {
  const random = createRandom(hash(index, 'unseen'));
  const intervalMs = Math.round(10_000 + 290_000 * ((index + random.next()) / length) ** 1.5);
  const worlds = Array.from({ length: count }, (_, number): [string, LabRouterOptions] => {
    const world = { ...random.pick(dialects), hosts: random.int(8, 60), seed: random.int(1, 100_000), traffic: true };
    return [`world-${number}`, world];
  });
  return [intervalMs, Object.fromEntries(worlds)] as const;
});

/** As many as show some thousand connections. */
function readsOf(intervalMs: number, worlds: Record<string, LabRouterOptions>): number {
  const fewest = Math.min(...Object.values(worlds).map(({ hosts }) => Number(hosts)));
  return Math.min(
    100,
    Math.max(intervalMs < 150_000 ? 25 : 15, Math.ceil((1500 / (3 * fewest)) * (60_000 / intervalMs))),
  );
}

/** The lab with the fewest virtual minutes comes first. */
const shared = labs.toReversed().slice(0, runs(1, labs.length));

test.each(shared)(
  `reads every %i ms: the share of each world and of its busiest services: ${budget(1, labs.length, 'labs')}`,
  async (intervalMs, worlds) => {
    await using lab = await startLab<string>({ routers: worlds, hub: { pollIntervalMs: intervalMs } });
    const truths = await observe(lab, intervalMs, readsOf(intervalMs, worlds));
    const wrong: string[] = [];
    const compare = (what: string, estimate: number, truth: number, near: Near) => {
      const says = `${what}: estimated ${percent(estimate)}, true ${percent(truth)}`;
      process.stdout.write(`${says}\n`);
      if (!isNear(estimate, truth, near)) {
        wrong.push(says);
      }
    };
    for (const [name, truth] of truths) {
      const unseen = await readUnseen(lab, name);
      const { all, share } = truth.total();
      const { dialect, hosts } = worlds[name] ?? {};
      const what = `${dialect}, ${hosts} hosts, ${(intervalMs / 1000).toFixed(1)} s, ${all} connections`;
      compare(what, unseen.share ?? Number.NaN, share, ofWorld);
      for (const [proto, dport] of truth.busiest()) {
        const found = unseen.services.find((one) => one.proto === proto && one.dport === dport);
        compare(`  ${proto} ${dport}`, found?.share ?? Number.NaN, truth.service(proto, dport).share, ofService);
      }
    }
    expect(wrong).toEqual([]);
  },
);
