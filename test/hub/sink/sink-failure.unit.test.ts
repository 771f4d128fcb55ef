// Why ClickHouse did not take or give rows, as a sentence with what to do.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@clickhouse/client';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { sinkEnv, sinkSettings } from '#hub/sink/settings.ts';
import { failureOf } from '#hub/sink/sink-failure.ts';

test('a server that never answers is one to look at', async () => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = sinkSettings(z.object(sinkEnv).parse({ MONITOR_CLICKHOUSE_URL: url }));
  const client = createClient({ url, request_timeout: 50 });
  const error = await client.ping({ select: true }).then((answer) => (answer.success ? null : answer.error));
  await client.close();
  server.closeAllConnections();
  server.close();
  expect(settings && failureOf(error, settings)).toEqual({
    kind: 'server',
    sentence: `ClickHouse (${url}): no answer: see that the server runs and can be reached`,
  });
});
