// The floors of the query benchmark: SQL on a connection of this process, and replies of a bare server beside it.

import { ReadConnection } from '#kernel/sqlite/sqlite.ts';
import { stopwatch } from '#kernel/time/clock.ts';
import { quantile } from '../test/support/health-probe.ts';
import { startProgram } from '../test/support/program.ts';

export interface Floors extends AsyncDisposable {
  /** Flows in the log. */
  readonly flows: number;
  /** Median of reading every row of `sql`. */
  sqlMs(sql: string): number;
  /** Median of a reply of so many bytes. */
  replyMs(bytes: number): Promise<number>;
}

/** Starts the bare server; `runs` of each measurement. */
export async function startFloors(file: string, runs: number): Promise<Floors> {
  const reader = new ReadConnection(file, 16_384);
  const server = startProgram(['bench/bare-server.ts', '']);
  const [, origin = ''] = await server.printed(/^bare server ready (\S+)$/m);
  const { flows } = reader.prepare('SELECT count(*) AS flows FROM flow').get() as { flows: number };
  return {
    flows,
    sqlMs(sql) {
      const statement = reader.prepare(sql);
      return quantile(
        Array.from({ length: runs }, () => {
          const elapsed = stopwatch();
          statement.all();
          return elapsed();
        }),
        0.5,
      );
    },
    async replyMs(bytes) {
      const taken: number[] = [];
      for (let run = 0; run < runs; run += 1) {
        const elapsed = stopwatch();
        await (await fetch(new URL(`/bytes/${bytes}`, origin))).arrayBuffer();
        taken.push(elapsed());
      }
      return quantile(taken, 0.5);
    },
    async [Symbol.asyncDispose]() {
      reader.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
