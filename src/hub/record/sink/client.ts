// Opens clients of ClickHouse, the optional database that the hub copies its log to (the sink).
import type { ClickHouseClient } from '@clickhouse/client';
import { limits } from '#contract/limits.ts';
import type { SinkSettings, SinkUser } from '../../base/settings/sink.ts';

/** Returns a client that logs in as `user` with its first request. The caller closes it. */
export async function openClient(settings: SinkSettings, user: SinkUser): Promise<ClickHouseClient> {
  // A hub without a sink does not load this package.
  const { createClient, ClickHouseLogLevel } = await import('@clickhouse/client');
  return createClient({
    url: settings.url,
    database: settings.database,
    username: user.name,
    password: user.password,
    application: 'gatehouse',
    request_timeout: limits.sinkRequestMs,
    max_open_connections: 2,
    compression: { request: true, response: true },
    // Failures are thrown; the client would also print them.
    log: { level: ClickHouseLogLevel.OFF },
    ...(settings.ca === null ? {} : { tls: { ca_cert: Buffer.from(settings.ca) } }),
  });
}
