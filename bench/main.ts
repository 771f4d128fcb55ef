// `npm run bench -- NAME`: runs one benchmark several times and prints the medians; the runs go to bench/results.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isoTime, systemClock } from '#kernel/clock.ts';
import { messageOf } from '#kernel/errors.ts';
import { medianOf } from './median.ts';
import { benchPoll, type CycleFigures } from './poll.ts';
import { benchQueries } from './queries.ts';
import { tableOf } from './table.ts';

const usage = `Usage: npm run bench -- NAME [options]

poll     one router with a full table, polled over SSH: CPU time, memory and /healthz of the hub
queries  every kind of query through HTTP, on a folder that npm run bench:seed wrote (--data)

Options
  --runs N        runs, of which the median is shown (3)
  --data DIR      seeded folder of queries
  --sessions N    rows of the table, 100 to 65000 (65000)
  --kind KIND     vendor_a or vendor_b (both)
  --cpu-prof DIR  writes CPU profiles of the hub there
  --help          this text
`;

class UsageError extends Error {}

async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      runs: { type: 'string', default: '3' },
      sessions: { type: 'string', default: '65000' },
      kind: { type: 'string' },
      data: { type: 'string' },
      'cpu-prof': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const name = positionals.join(' ');
  if (name !== 'poll' && name !== 'queries') {
    throw new UsageError(`there is no benchmark "${name}"; there are poll and queries`);
  }
  const runs = whole('runs', values.runs, 1, 50);
  if (name === 'queries') {
    return queries(values.data, runs);
  }
  const sessions = whole('sessions', values.sessions, 100, 65_000);
  const kinds = (['vendor_a', 'vendor_b'] as const).filter((kind) => values.kind === undefined || kind === values.kind);
  if (kinds.length === 0) {
    throw new UsageError(`--kind must be vendor_a or vendor_b, not "${values.kind}"`);
  }
  const profile = values['cpu-prof'];
  const nodeOptions = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${path.resolve(profile)}`];
  const all: CycleFigures[] = [];
  for (const kind of kinds) {
    for (let run = 1; run <= runs; run++) {
      const progress = (text: string) => tell(`run ${run} of ${runs}, ${text}`);
      all.push(...(await benchPoll({ kind, sessions, nodeOptions, progress })));
    }
  }
  tell('');
  process.stdout.write(tableOf(medianOf(all, ['kind', 'cycle'])));
  save('poll', all);
  return 0;
}

async function queries(dataDir: string | undefined, runs: number): Promise<number> {
  if (dataDir === undefined) {
    throw new UsageError('--data must name a folder that npm run bench:seed wrote');
  }
  const figures = await benchQueries({ dataDir: path.resolve(dataDir), runs, progress: tell });
  tell('');
  process.stdout.write(tableOf(figures));
  save('queries', figures);
  return 0;
}

function whole(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) {
    throw new UsageError(`--${name} must be a whole number from ${min} to ${max}, not "${text}"`);
  }
  return value;
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
  const text = JSON.stringify({ name, at, node: process.version, runs }, null, 2);
  writeFileSync(path.join(folder, `${name}-${at.replace(/[:.]/g, '-')}.json`), `${text}\n`);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS');
  process.stderr.write(`bench: ${messageOf(error)}${isUsage ? ' (see --help)' : ''}\n`);
  process.exitCode = isUsage ? 2 : 1;
}
