// Threat tables: how many addresses a second are looked up, and how long a reload takes and holds the event loop.
import { createJudge } from '#hub/identify/threat/judge.ts';
import { ipv4Number } from '#hub/identify/threat/tables/ip-number.ts';
import { findIpv4, type Tables } from '#hub/identify/threat/tables/tables.ts';
import { stopwatch } from '#kernel/time/clock.ts';
import { createRandom } from '#simulators/support/random.ts';
import { startProgram } from '../test/support/program.ts';
import { type Benchmark, wholeOption } from './benchmark.ts';
import { measureReload, type ReloadFigures } from './threat-reload.ts';

export const threatBenchmark: Benchmark = {
  summary: 'look-ups in threat tables; a reload when one list has changed, a start, a start after an upgrade',
  options: { entries: 'entries of all lists, beside 2000 ranges, 1000 to 400000 (150000)' },
  runs: 5,
  by: ['entries'],
  async run(values, runs, progress) {
    const entries = wholeOption(values, 'entries', 150_000, 1000, 400_000);
    await using publisher = startProgram(['bench/threat-publisher.ts', String(entries)]);
    const [, mirror = ''] = await publisher.printed(/^publisher ready (\S+)$/m);
    const figures: ThreatFigures[] = [];
    for (let run = 1; run <= runs; run += 1) {
      progress(`run ${run} of ${runs}`);
      const { figures: reload, active } = await measureReload(new URL(mirror));
      figures.push({ entries, ...speeds(active), ...reload, tablesMb: bytesOf(active.listed) / 1_048_576 });
    }
    return figures;
  },
};

interface ThreatFigures extends ReloadFigures {
  entries: number;
  /** Addresses as texts, of which one in a thousand is listed; the fastest of the rounds, as others may share the cores. */
  lookUpsPerSecond: number;
  /** Whole verdicts, likewise. */
  verdictsPerSecond: number;
  /** The floor: a Set of half of these texts, which knows no ranges, ports or sources. */
  setPerSecond: number;
  tablesMb: number;
}

/** Different addresses, and how often all of them are asked for. */
const probes = 50_000;
const rounds = 60;

function speeds({ listed, allowed }: { listed: Tables; allowed: Tables }) {
  const random = createRandom(1);
  const addresses = Array.from(
    { length: probes },
    () => `${random.int(20, 190)}.${random.int(0, 255)}.${random.int(0, 255)}.${random.int(0, 255)}`,
  );
  const judge = createJudge({ listed: () => listed, allowed: () => allowed, isObserved: () => false });
  let found = 0;
  const plain = new Set(addresses.filter((_, index) => index % 2 === 0));
  const perSecond = (isFound: (address: string) => boolean) => {
    const ms = fastest(rounds, () => {
      for (const address of addresses) {
        found += isFound(address) ? 1 : 0;
      }
    });
    return Math.round(probes / (ms / 1000));
  };
  const figures = {
    lookUpsPerSecond: perSecond((address) => findIpv4(listed, ipv4Number(address)) >= 0),
    verdictsPerSecond: perSecond((dst) => judge({ dst, dport: 443, proto: 'TCP', host: null }) !== null),
    setPerSecond: perSecond((address) => plain.has(address)),
  };
  if (found === 0) {
    throw new Error('no address was found: the tables are wrong');
  }
  return figures;
}

function fastest(times: number, work: () => void): number {
  const all = Array.from({ length: times }, () => {
    const elapsed = stopwatch();
    work();
    return elapsed();
  });
  return Math.min(...all);
}

function bytesOf(value: object): number {
  return Object.values(value).reduce<number>((sum, part) => {
    if (ArrayBuffer.isView(part)) {
      return sum + part.byteLength;
    }
    return sum + (typeof part === 'object' && part !== null ? bytesOf(part) : 0);
  }, 0);
}
