// A router's whole table into the log, without the network: rows a second, CPU time, how long the event loop was held.
import { cpSync, existsSync } from 'node:fs';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { recordObservations } from '#hub/record/connections/record/record.ts';
import type { Observation } from '#hub/record/connections/store/observation.ts';
import { UsageError } from '#kernel/process/program.ts';
import { Db, migrate } from '#kernel/sqlite/sqlite.ts';
import { stopwatch, systemClock } from '#kernel/time/clock.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { type Benchmark, wholeOption } from './benchmark.ts';

export const recordBenchmark: Benchmark = {
  summary: 'batches of one poll into the log: all new, 90 % known, all known, all known without traffic',
  options: {
    rows: 'rows of a batch, 1000 to 65000 (65000)',
    data: 'a folder that npm run bench:seed wrote, of which a copy is used (an empty log)',
  },
  runs: 3,
  by: ['batch'],
  async run(values, runs, progress) {
    const rows = wholeOption(values, 'rows', 65_000, 1000, 65_000);
    const seeded = values.data === undefined ? undefined : path.join(values.data, 'monitor.db');
    if (seeded !== undefined && !existsSync(seeded)) {
      throw new UsageError('--data must name a folder that npm run bench:seed wrote');
    }
    const figures: RecordFigures[] = [];
    for (let run = 1; run <= runs; run += 1) {
      figures.push(...(await recordBatches(rows, seeded, (batch) => progress(`run ${run} of ${runs}, ${batch}`))));
    }
    return figures;
  },
};

interface RecordFigures {
  batch: string;
  rows: number;
  wallMs: number;
  cpuMs: number;
  rowsPerSecond: number;
  /** Longest turn of the event loop. */
  blockedMs: number;
  /** The same rows as plain upserts of one table in one transaction. */
  floorMs: number;
  ratio: number;
}

const pollMs = 60_000;

async function recordBatches(rows: number, seeded: string | undefined, tell: (batch: string) => void) {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.db');
  if (seeded !== undefined) {
    cpSync(seeded, file);
  }
  migrate(file, path.join(import.meta.dirname, '../src/hub/base/migrations'));
  const db = new Db(file);
  await db.write((writer) => writer.prepare(floorTable).run());
  const start = systemClock.now();
  const fresh = Math.floor(rows / 10);
  const batches: [name: string, first: number, at: number][] = [
    ['all new', 0, start],
    ['90 % known', fresh, start + pollMs],
    ['all known', fresh, start + 2 * pollMs],
    ['no traffic', fresh, start + 2 * pollMs],
  ];
  const figures: RecordFigures[] = [];
  for (const [batch, first, at] of batches) {
    tell(batch);
    const observations = Array.from({ length: rows }, (_, index) => observationOf(first + index, at));
    const floorMs = await floor(db, observations);
    figures.push({ batch, rows, ...(await measured(db, observations, at + pollMs, floorMs)) });
  }
  await db.close();
  return figures;
}

async function measured(db: Db, observations: readonly Observation[], now: number, floorMs: number) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const before = process.cpuUsage();
  const elapsed = stopwatch();
  await recordObservations(db, { routerId: 'bench-record', kind: 'vendor_a', observations, now });
  const wallMs = elapsed();
  const { user, system } = process.cpuUsage(before);
  delay.disable();
  return {
    wallMs,
    cpuMs: (user + system) / 1000,
    rowsPerSecond: Math.round(observations.length / (wallMs / 1000)),
    blockedMs: delay.max / 1e6,
    floorMs,
    ratio: wallMs / floorMs,
  };
}

const floorTable = `CREATE TABLE bench_floor (
  src TEXT, dst TEXT, dport INTEGER, proto TEXT, first INTEGER, last INTEGER, PRIMARY KEY (src, dst, dport, proto)
) WITHOUT ROWID`;

function floor(db: Db, observations: readonly Observation[]): Promise<number> {
  return db.write((writer) => {
    const upsert = writer.prepare(
      'INSERT INTO bench_floor VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET last = excluded.last',
    );
    const elapsed = stopwatch();
    for (const { src, dst, dport, proto, at } of observations) {
      upsert.run(src, dst, dport, proto, at, at);
    }
    return elapsed();
  });
}

/** Sixty devices, each destination on two ports; addresses that no seeded log holds. */
function observationOf(index: number, at: number): Observation {
  const destination = index >> 1;
  return {
    src: `192.168.200.${2 + (index % 60)}`,
    dst: `21.${destination >> 16}.${(destination >> 8) & 255}.${destination & 255}`,
    dport: index % 2 === 0 ? 443 : 80,
    proto: 'TCP',
    sport: 1024 + (index % 60_000),
    ttl: 900,
    startedAt: at,
    at,
  };
}
