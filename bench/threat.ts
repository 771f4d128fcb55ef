// Threat tables: how many addresses a second are looked up, and how long a reload takes and holds the event loop.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { gzipSync } from 'node:zlib';
import { createJudge } from '#hub/threat/judge.ts';
import type { PartName } from '#hub/threat/parts.ts';
import { ipv4Number } from '#hub/threat/tables/ip-number.ts';
import { findIpv4 } from '#hub/threat/tables/tables.ts';
import { buildInThread } from '#hub/threat/thread.ts';
import { type BuildTask, type Built, buildAll } from '#hub/threat/thread-tasks.ts';
import { nextTurn, stopwatch, systemClock } from '#kernel/clock.ts';
import { dropJson, iocCsv, urlCsv } from '#simulators/feeds/documents.ts';
import { parseRows } from '#simulators/feeds/listing.ts';
import { createRandom } from '#simulators/random.ts';
import { type Benchmark, wholeOption } from './benchmark.ts';

export const threatBenchmark: Benchmark = {
  summary: 'look-ups in threat tables, and reloads of them: from packed documents in the thread to tables in use',
  options: { entries: 'addresses listed, beside 2000 ranges, 1000 to 400000 (150000)' },
  runs: 5,
  by: ['entries'],
  async run(values, runs, progress) {
    const entries = wholeOption(values, 'entries', 150_000, 1000, 400_000);
    const task = taskOf(entries);
    const figures: ThreatFigures[] = [];
    for (let run = 1; run <= runs; run += 1) {
      progress(`run ${run} of ${runs}`);
      figures.push(await measure(entries, task));
    }
    return figures;
  },
};

interface ThreatFigures {
  entries: number;
  /** Addresses as texts, of which one in a thousand is listed; the fastest of the rounds, as others may share the cores. */
  lookUpsPerSecond: number;
  /** Whole verdicts, likewise. */
  verdictsPerSecond: number;
  /** The floor: a Set of half of these texts, which knows no ranges, ports or sources. */
  setPerSecond: number;
  /** From packed documents to tables in use: a thread is started, unpacks, reads and builds. */
  reloadMs: number;
  /** Reading and building alone, without a thread; the fastest of five. */
  buildMs: number;
  /** Longest turn of the event loop meanwhile. */
  blockedMs: number;
  tablesMb: number;
}

/** Different addresses, and how often all of them are asked for. */
const probes = 50_000;
const rounds = 60;

function taskOf(entries: number): BuildTask {
  const random = createRandom(entries);
  const ip = () => `${random.int(20, 190)}.${random.int(0, 255)}.${random.int(0, 255)}.${random.int(0, 255)}`;
  const port = () => random.int(1024, 65_000);
  const half = Math.floor(entries / 2);
  const now = systemClock.now();
  const ioc = Array.from({ length: half }, () => ({
    value: `${ip()}:${port()}`,
    malware: `Family${random.int(0, 300)}`,
  }));
  const url = Array.from({ length: entries - half }, () => ({ url: `http://${ip()}:${port()}/i` }));
  const drop = Array.from({ length: 2000 }, () => ({ cidr: `${ip().replace(/\d+$/, '0')}/${random.int(18, 24)}` }));
  const texts: readonly [PartName, string][] = [
    ['ioc_recent', iocCsv(parseRows('ioc', ioc), now)],
    ['url', urlCsv(parseRows('url', url), now)],
    ['drop_v4', dropJson(parseRows('drop', drop), now)],
  ];
  const documents = texts.map(([part, text]) => ({ part, packed: new Uint8Array(gzipSync(text)) }));
  return { documents, allowList: [], dropGrade: 2, now, before: null };
}

async function measure(entries: number, task: BuildTask): Promise<ThreatFigures> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await nextTurn();
  delay.enable();
  const elapsed = stopwatch();
  const built = await buildInThread(task);
  const reloadMs = elapsed();
  delay.disable();
  return {
    entries,
    ...speeds(built),
    reloadMs,
    buildMs: fastest(5, () => buildAll(task)),
    blockedMs: delay.max / 1e6,
    tablesMb: bytesOf(built.listed) / 1_048_576,
  };
}

function speeds({ listed, allowed }: Built) {
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
