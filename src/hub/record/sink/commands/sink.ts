// `gatehouse sink`: what is set up, sent and compared by hand.
import { runCommandGroup } from '#kernel/process/command-group.ts';
import { runBackfill, type SinkDeps } from './backfill.ts';
import { runSchema } from './schema.ts';
import { runVerify } from './verify.ts';

const usage = `Usage: gatehouse sink COMMAND [options]

Closed hours of the connection log in ClickHouse: a hub sends them by itself once MONITOR_CLICKHOUSE_URL is set
(docs/scale.md). These commands take the same variables.

Commands
  schema    print the statements that make database, table, users and rights
  backfill  send every closed hour that the server does not have; also while the hub runs
  verify    compare the rows of each hour; ends with 1 when any differ

gatehouse sink COMMAND --help describes a command.
`;

/** Resolves to the exit code: 0, 1 on failure, 2 on a usage error. */
export function runSink(argv: readonly string[], deps: SinkDeps): Promise<number> {
  const commands = {
    schema: runSchema,
    backfill: (words: readonly string[]) => runBackfill(words, deps),
    verify: (words: readonly string[]) => runVerify(words, deps),
  };
  return runCommandGroup(argv, { name: 'gatehouse sink', usage, commands });
}
