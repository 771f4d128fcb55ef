// `npm run bench -- NAME`: runs one benchmark several times and prints the medians; the runs go to bench/results.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { messageOf } from '#kernel/errors.ts';
import { UsageError } from '#kernel/process/program.ts';
import { isoTime, systemClock } from '#kernel/time/clock.ts';
import { agentBenchmark } from './agent.ts';
import { backupBenchmark } from './backup.ts';
import { beaconsBenchmark } from './beacons.ts';
import { type Benchmark, toParseOptions, type Values, wholeOption } from './benchmark.ts';
import { capacityBenchmark } from './capacity.ts';
import { enrichBenchmark } from './enrich.ts';
import { ingestBenchmark } from './ingest.ts';
import { mcpBenchmark } from './mcp.ts';
import { mergeByMedian } from './median.ts';
import { memoryByFlowsBenchmark } from './memory-by-flows.ts';
import { pollBenchmark } from './poll.ts';
import { exportBenchmark, queriesBenchmark } from './queries.ts';
import { recordBenchmark } from './record.ts';
import { requestBenchmark } from './request.ts';
import { savesBenchmark } from './saves.ts';
import { sinkBenchmark, sinkRateBenchmark } from './sink.ts';
import { soakBenchmark } from './soak.ts';
import { startupBenchmark } from './startup.ts';
import { formatTable } from './table.ts';
import { threatBenchmark } from './threat.ts';
import { upsgetBenchmark } from './upsget.ts';
import { webBenchmark } from './web.ts';

const benchmarks: Readonly<Record<string, Benchmark>> = {
  poll: pollBenchmark,
  record: recordBenchmark,
  ingest: ingestBenchmark,
  request: requestBenchmark,
  queries: queriesBenchmark,
  export: exportBenchmark,
  startup: startupBenchmark,
  threat: threatBenchmark,
  enrich: enrichBenchmark,
  upsget: upsgetBenchmark,
  beacons: beaconsBenchmark,
  mcp: mcpBenchmark,
  saves: savesBenchmark,
  soak: soakBenchmark,
  agent: agentBenchmark,
  backup: backupBenchmark,
  capacity: capacityBenchmark,
  'memory-by-flows': memoryByFlowsBenchmark,
  web: webBenchmark,
  sink: sinkBenchmark,
  'sink-rate': sinkRateBenchmark,
};

function usage(): string {
  const lines = Object.entries(benchmarks).flatMap(([name, { summary, options, runs }]) => [
    `${name.padEnd(9)} ${summary} (${runs} runs)`,
    ...Object.entries(options).map(([option, says]) => `    --${option.padEnd(14)} ${says}`),
  ]);
  return `Usage: npm run bench -- NAME [options]

${lines.join('\n')}

Options of all
    --runs N         runs, of which the medians are shown
    --help           this text
`;
}

async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { ...toParseOptions(Object.values(benchmarks)), help: { type: 'boolean', short: 'h' } },
  });
  if (values.help === true) {
    process.stdout.write(usage());
    return 0;
  }
  const name = positionals.join(' ');
  const benchmark = Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined;
  if (!benchmark) {
    throw new UsageError(`there is no benchmark "${name}"; there are ${Object.keys(benchmarks).join(', ')}`);
  }
  const given = values as Values;
  const foreign = Object.keys(given).find((option) => option !== 'runs' && !Object.hasOwn(benchmark.options, option));
  if (foreign !== undefined) {
    throw new UsageError(`${name} has no option --${foreign}`);
  }
  const rows = await benchmark.run(given, wholeOption(given, 'runs', benchmark.runs, 1, 100), tell);
  tell('');
  process.stdout.write(formatTable(mergeByMedian(rows as Record<string, unknown>[], benchmark.by)));
  save(name, rows);
  return 0;
}

/** Replaces the line of progress; nothing where no person is watching. */
function tell(text: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`\r\u001b[K${text}`);
  }
}

function save(name: string, runs: readonly object[]): void {
  const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), 'results');
  const at = isoTime(systemClock.now());
  mkdirSync(folder, { recursive: true });
  const machine = { node: process.version, cores: cpus().length, cpu: cpus()[0]?.model };
  const text = JSON.stringify({ name, at, ...machine, runs }, null, 2);
  writeFileSync(path.join(folder, `${name}-${at.replace(/[:.]/g, '-')}.json`), `${text}\n`);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
  process.stderr.write(`bench: ${messageOf(error)}${isUsage ? ' (see --help)' : ''}\n`);
  process.exitCode = isUsage ? 2 : 1;
}
