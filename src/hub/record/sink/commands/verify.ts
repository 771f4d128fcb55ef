// `gatehouse sink verify`.
import { limits } from '#contract/limits.ts';
import { runProgram } from '#kernel/process/program.ts';
import { stopSignal } from '#kernel/process/stop-signal.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { dayMs, hourMs, hourOf } from '#kernel/time/time.ts';
import { dataOption } from '../../../base/storage/commands/places.ts';
import { openClient } from '../client.ts';
import { type HourCounts, readHourCounts } from '../hour-counts.ts';
import { toSinkFailure } from '../sink-failure.ts';
import type { SinkDeps } from './backfill.ts';
import { sinkPlaces } from './places.ts';

const usage = `Usage: gatehouse sink verify [--data DIR]

Compares how many rows each closed hour has in the log and in ClickHouse, as the reader (MONITOR_CLICKHOUSE_READER_USER).
Prints the first hours that differ and ends with 1 when there are any. The hub may run: hours that it has yet to send differ.
Hours that are older than MONITOR_CLICKHOUSE_TTL_DAYS are not compared.

Options
${dataOption}
  --help      this text
  --version   the version
`;

/** Differing hours that are printed, at most. */
const maxPrinted = 20;

export function runVerify(argv: readonly string[], { clock, openHours }: SinkDeps): Promise<number> {
  const options = { data: { type: 'string' } } as const;
  return runProgram(argv, { name: 'sink verify', usage, options }, async ({ data }) => {
    const { settings, file } = sinkPlaces(data);
    if (settings.reader === null) {
      throw new Error('MONITOR_CLICKHOUSE_READER_PASSWORD is not set: the user that inserts may not read');
    }
    const signal = stopSignal();
    const now = clock.now();
    const { hub, ttlDays } = settings;
    const first = ttlDays === null ? 0 : hourOf(now - ttlDays * dayMs) + 1;
    const all = await openHours(file).count('all', now - limits.sinkGraceMs, signal);
    const compared = all.filter(([hour]) => hour >= first);
    const client = await openClient(settings, settings.reader);
    try {
      // Without hours in the log the window is empty; the query still checks the reader.
      const [from = 0] = compared[0] ?? [];
      const [to = -1] = compared.at(-1) ?? [];
      const there = await readHourCounts(client, { hub, from, to }, signal);
      if (all.length > compared.length) {
        process.stdout.write(
          `${all.length - compared.length} hours are older than the ${ttlDays} days of MONITOR_CLICKHOUSE_TTL_DAYS and are not compared\n`,
        );
      }
      process.stdout.write(compareHours(new Map(compared), there));
    } catch (error) {
      if (error instanceof Differences) {
        throw error;
      }
      const sentence = signal.aborted
        ? 'stopped: nothing was compared'
        : toSinkFailure(error, settings, 'reader').sentence;
      throw new Error(sentence, { cause: error });
    } finally {
      await client.close();
    }
  });
}

/** `2026-11-25 14:00`, UTC. */
function formatHour(hour: number): string {
  return isoTime(hour * hourMs)
    .replace('T', ' ')
    .slice(0, 16);
}

class Differences extends Error {}

/** A sentence when all are equal. Throws `Differences` after the hours are printed. */
function compareHours(own: HourCounts, there: HourCounts): string {
  const hours = [...new Set([...own.keys(), ...there.keys()])].sort((a, b) => a - b);
  const differing = hours.filter((hour) => own.get(hour) !== there.get(hour));
  const rows = [...own.values()].reduce((sum, count) => sum + count, 0);
  if (differing.length === 0) {
    return `${own.size} hours with ${rows} rows are the same in ClickHouse\n`;
  }
  for (const hour of differing.slice(0, maxPrinted)) {
    const rowsInLog = own.get(hour) ?? 0;
    process.stdout.write(`${formatHour(hour)}  ${rowsInLog} rows in the log, ${there.get(hour) ?? 0} in ClickHouse\n`);
  }
  const missing = differing.filter((hour) => (there.get(hour) ?? 0) < (own.get(hour) ?? 0)).length;
  const more = differing.length - missing;
  throw new Differences(
    [
      `${differing.length} of ${hours.length} hours differ`,
      missing > 0 ? `${missing} have too few rows there: gatehouse sink backfill --again sends them` : null,
      more > 0 ? `${more} have more rows there, of a database that was restored or a clock that was wrong` : null,
    ]
      .filter((part) => part !== null)
      .join('; '),
  );
}
