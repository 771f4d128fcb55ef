// Opening the embedded enrichment data, and asking it.
import { fileURLToPath } from 'node:url';
import { openDataset } from '#hub/identify/enrichment/embedded/dataset.ts';
import { stopwatch, yieldToEventLoop } from '#kernel/time/clock.ts';
import { createDice, type Dice } from '../test/support/random-log.ts';
import type { Benchmark } from './benchmark.ts';

const file = fileURLToPath(new URL('../src/hub/identify/enrichment/embedded/enrichment.bin.zst', import.meta.url));
const lookUps = 500_000;

export const enrichBenchmark: Benchmark = {
  summary: 'opening the embedded enrichment data, and look-ups in it by text',
  options: {},
  runs: 5,
  by: [],
  async run(_values, runs, progress) {
    const figures: object[] = [];
    for (let run = 1; run <= runs; run += 1) {
      progress(`run ${run} of ${runs}`);
      figures.push(await measure(createDice(run)));
    }
    return figures;
  },
};

async function measure(dice: Dice) {
  const before = process.memoryUsage().arrayBuffers;
  const elapsed = stopwatch();
  const stop = new AbortController();
  const longest = longestTurn(stop.signal);
  const dataset = await openDataset(file);
  const openMs = elapsed();
  stop.abort();
  const longestTurnCpuMs = await longest;
  globalThis.gc?.();
  const ipv4 = Array.from({ length: lookUps }, () => Array.from({ length: 4 }, () => dice.whole(256)).join('.'));
  const ipv6 = Array.from({ length: lookUps }, () => `2a0${hex(dice)}:${hex(dice)}${hex(dice)}::${hex(dice)}`);
  const macs = Array.from(
    { length: lookUps },
    () => `00:${Array.from({ length: 5 }, () => `${hex(dice)}0`).join(':')}`,
  );
  return {
    openMs,
    longestTurnCpuMs,
    arraysMb: (process.memoryUsage().arrayBuffers - before) / 1_048_576,
    ipv4PerSec: rate(ipv4, dataset.find),
    ipv6PerSec: rate(ipv6, dataset.find),
    macPerSec: rate(macs, dataset.findVendor),
  };
}

const hex = (dice: Dice) => dice.whole(16).toString(16);

/** In a second of this thread's CPU time. */
function rate(texts: readonly string[], look: (text: string) => unknown): number {
  const before = process.threadCpuUsage();
  let found = 0;
  for (const text of texts) {
    found += look(text) === null ? 0 : 1;
  }
  const { user, system } = process.threadCpuUsage(before);
  return Math.round((found * 1e6) / (user + system));
}

/** CPU time of this thread in the longest turn of the event loop: other programs do not count. */
async function longestTurn(signal: AbortSignal): Promise<number> {
  let longest = 0;
  let used = process.threadCpuUsage();
  while (!signal.aborted) {
    await yieldToEventLoop();
    const now = process.threadCpuUsage();
    longest = Math.max(longest, (now.user + now.system - used.user - used.system) / 1000);
    used = now;
  }
  return longest;
}
