// `gatehouse sink schema`.
import { z } from 'zod';
import { mustBe, readEnv } from '#kernel/process/env.ts';
import { wholeOption } from '#kernel/process/option-value.ts';
import { runProgram, UsageError } from '#kernel/process/program.ts';
import { sinkEnv } from '../../../base/settings/sink.ts';
import { createSchemaStatements } from '../schema-statements.ts';

const usage = `Usage: gatehouse sink schema [--ttl-days N] [--replicated CLUSTER]

Prints what an administrator of ClickHouse runs once: database, table, a user that may insert alone and one that may read.
Replace the texts in angle brackets by passwords, then: clickhouse-client --multiquery < FILE

Options
  --ttl-days N          remove rows N days after their hour, 0 keeps all (MONITOR_CLICKHOUSE_TTL_DAYS; 0)
  --replicated CLUSTER  replicated tables on every server of CLUSTER, and a distributed table over them
  --help                this text
  --version             the version
`;

export function runSchema(argv: readonly string[]): Promise<number> {
  const options = { 'ttl-days': { type: 'string' }, replicated: { type: 'string' } } as const;
  return runProgram(argv, { name: 'sink schema', usage, options }, async ({ 'ttl-days': days, replicated }) => {
    const env = readEnv(z.object(sinkEnv));
    const ttl = days === undefined ? env.MONITOR_CLICKHOUSE_TTL_DAYS : wholeOption('ttl-days', days, [0, 36_500]);
    if (replicated !== undefined && !/^[\w.-]{1,128}$/.test(replicated)) {
      throw new UsageError(`--replicated ${mustBe('the name of a cluster: letters, digits, _ - .', replicated)}`);
    }
    const statements = createSchemaStatements({
      database: env.MONITOR_CLICKHOUSE_DATABASE,
      ttlDays: ttl === 0 ? null : ttl,
      writer: env.MONITOR_CLICKHOUSE_USER,
      reader: env.MONITOR_CLICKHOUSE_READER_USER,
      cluster: replicated,
    });
    process.stdout.write(statements.map((statement) => `${statement};\n`).join('\n'));
  });
}
