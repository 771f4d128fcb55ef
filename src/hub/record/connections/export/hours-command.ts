// `gatehouse export-hours`: in which hours each flow was seen, packed hours included, as CSV for whoever looks with SQL.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { runProgram } from '#kernel/process/program.ts';
import { ReadConnection } from '#kernel/sqlite/sqlite.ts';
import { hourMs } from '#kernel/time/time.ts';
import { dataOption, findDatabase } from '../../../base/storage/commands/places.ts';
import { HourRows } from '../store/hour-pack.ts';
import { findHours, readHourRows } from '../store/hour-rows.ts';

const usage = `Usage: gatehouse export-hours [--data DIR]

Writes the hours of the connection log to stdout as CSV: hour (since 1970), flow_id, observations, first and last
sighting (epoch milliseconds). One snapshot; the hub may run meanwhile.

Options
${dataOption}
  --help      this text
  --version   the version
`;

/** Resolves to the exit code: 0, also when the reader of stdout leaves; 1 on failure, 2 on a usage error. */
export function runExportHours(argv: readonly string[]): Promise<number> {
  const options = { data: { type: 'string' } } as const;
  return runProgram(argv, { name: 'export-hours', usage, options }, async ({ data }) => {
    await pipeline(Readable.from(exportHours(findDatabase(data))), process.stdout, { end: false }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') {
          throw error;
        }
      },
    );
  });
}

/** Yields the head, then a text for each hour. */
export function* exportHours(file: string): Generator<string> {
  const reader = new ReadConnection(file, 4096);
  try {
    reader.begin();
    yield 'hour,flow_id,observations,first,last\n';
    const rows = new HourRows();
    for (const hour of findHours(reader, 0, Number.MAX_SAFE_INTEGER)) {
      readHourRows(reader, hour, rows);
      const at = hour * hourMs;
      const formatRow = (row: number) => {
        const first = at + (rows.first[row] as number);
        return `${hour},${rows.flow[row]},${rows.observations[row]},${first},${at + (rows.last[row] as number)}\n`;
      };
      yield Array.from({ length: rows.length }, (_, row) => formatRow(row)).join('');
    }
  } finally {
    reader.close();
  }
}
