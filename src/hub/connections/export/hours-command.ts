// `gatehouse export-hours`: in which hours each flow was seen, packed hours included, as CSV for whoever looks with SQL.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { readEnv } from '#kernel/env.ts';
import { messageOf } from '#kernel/errors.ts';
import { ReadConnection } from '#kernel/sqlite.ts';
import { hourMs } from '#kernel/time.ts';
import { hubEnv } from '../../config.ts';

import { HourRows } from '../store/hour-pack.ts';
import { hoursWithin, readHourRows } from '../store/hour-rows.ts';

const usage = `Usage: gatehouse export-hours [--data DIR]

Writes the hours of the connection log to stdout as CSV: hour (since 1970), flow_id, observations, first and last
sighting (epoch milliseconds). One snapshot; the hub may run meanwhile.

Options
  --data DIR  folder of the hub's data (MONITOR_DATA_DIR; default ./data)
  --help      this text
`;

/** Resolves to the exit code: 0, also when the reader of stdout leaves; 1 on failure, 2 on a usage error. */
export async function runExportHours(argv: readonly string[]): Promise<number> {
  const fail = (code: number, error: unknown) => {
    process.stderr.write(`gatehouse export-hours: ${messageOf(error)}${code === 2 ? ' (see --help)' : ''}\n`);
    return code;
  };
  try {
    const options = { data: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
    const { values } = parseArgs({ args: [...argv], allowPositionals: false, options });
    if (values.help) {
      process.stdout.write(usage);
      return 0;
    }
    const env = readEnv(hubEnv.pick({ MONITOR_DATA_DIR: true, MONITOR_DB_PATH: true }));
    const file = env.MONITOR_DB_PATH ?? path.join(values.data ?? env.MONITOR_DATA_DIR, 'monitor.db');
    if (!existsSync(file)) {
      return fail(1, new Error(`${file} does not exist: name the folder of the hub's data with --data`));
    }
    await pipeline(Readable.from(hoursOf(file)), process.stdout, { end: false });
    return 0;
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
    return code === 'EPIPE' ? 0 : fail(code.startsWith('ERR_PARSE_ARGS') ? 2 : 1, error);
  }
}

/** A text for each hour. */
function* hoursOf(file: string): Generator<string> {
  const reader = new ReadConnection(file, 4096);
  try {
    reader.begin();
    yield 'hour,flow_id,observations,first,last\n';
    const rows = new HourRows();
    for (const hour of hoursWithin(reader, 0, Number.MAX_SAFE_INTEGER)) {
      readHourRows(reader, hour, rows);
      const at = hour * hourMs;
      const lineOf = (row: number) => {
        const [first = 0, last = 0] = [rows.first[row], rows.last[row]];
        return `${hour},${rows.flow[row]},${rows.observations[row]},${at + first},${at + last}\n`;
      };
      yield Array.from({ length: rows.length }, (_, row) => lineOf(row)).join('');
    }
  } finally {
    reader.end();
    reader.close();
  }
}
