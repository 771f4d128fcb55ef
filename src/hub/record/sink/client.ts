// The client of ClickHouse: its own package, loaded when a sink is configured and not before.
import type { ClickHouseClient } from '@clickhouse/client';
import { limits } from '#contract/limits.ts';
import type { SinkSettings, SinkUser } from '../../base/settings/sink.ts';

/** Speaks as `user`. Nothing is asked yet. Whoever opens it closes it (`close`). */
export async function openClient(settings: SinkSettings, user: SinkUser): Promise<ClickHouseClient> {
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
    log: { level: ClickHouseLogLevel.OFF },
    ...(settings.ca === null ? {} : { tls: { ca_cert: Buffer.from(settings.ca) } }),
  });
}
