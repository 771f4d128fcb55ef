// Looks through the database file soon after the start, in a reader thread: damaged pages are found before they are needed.
import { damageRemedy } from '#kernel/sqlite/database-file.ts';
import { startJob } from '#kernel/time/job.ts';
import { dayMs } from '#kernel/time/time.ts';
import type { Base } from '../feature.ts';
import type { ReaderPool } from '../readers/pool.ts';
import { createStatement, type Statement } from '../statements.ts';
import type { Alarm } from './damage/alarm.ts';
import type { StorageQueries, TableFaults } from './queries.ts';

/** The first check waits until the start of the hub is over. */
const firstMs = 90_000;
const everyMs = 7 * dayMs;

interface Options extends Pick<Base, 'clock' | 'log'> {
  /** The database file, for messages. */
  file: string;
  pool: Pick<ReaderPool<StorageQueries>, 'ask'>;
  alarm: Alarm;
}

/** Checks the file a while after the start, then once a week. Disposal waits only for the table that is being checked. */
export function startFileCheck({ clock, log, file, pool, alarm }: Options) {
  const state: { warning: Statement | null } = { warning: null };
  const job = startJob(clock, log, {
    name: 'the check of the database file',
    firstMs,
    everyMs,
    async run(signal) {
      const { bytes } = await pool.ask('fileFaults', {}, signal);
      const found = JSON.parse(new TextDecoder().decode(bytes)) as TableFaults[];
      const damaged = found.map(
        ({ table, faults }) => `${table}: ${faults.join('; ').replaceAll(/\s+/g, ' ').slice(0, 300)}`,
      );
      const detail = damaged.join(' | ');
      state.warning =
        detail === ''
          ? null
          : createStatement('database_damaged', `${file} is damaged (${detail}): ${damageRemedy}`, { file, detail });
      if (state.warning !== null) {
        await alarm.raise(`${file}|${damaged.join('|').slice(0, 200)}`, state.warning.sentence);
      }
    },
  });
  return {
    /** Names the damage and says what to do; null while no damage is known. */
    warning: () => state.warning,
    [Symbol.asyncDispose]: () => job[Symbol.asyncDispose](),
  };
}
