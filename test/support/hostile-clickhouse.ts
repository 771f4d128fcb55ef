// A server that stands where ClickHouse should: it answers as a test says.
import { createServer, type RequestListener } from 'node:http';
import type { SinkSettings } from '#hub/base/settings/sink.ts';
import { close, listen } from '#kernel/http/listening.ts';

export interface HostileClickHouse extends AsyncDisposable {
  /** What a hub is told of it. */
  sink: SinkSettings;
}

export async function startHostileClickHouse(listener: RequestListener): Promise<HostileClickHouse> {
  const server = createServer(listener);
  const url = new URL(`http://${await listen(server)}`);
  const user = (name: string) => ({ name, password: 'a password' });
  const users = { writer: user('writer'), reader: user('reader') };
  return {
    sink: { url, database: 'gatehouse', ...users, ca: null, hub: 'attic', ttlDays: null },
    [Symbol.asyncDispose]: () => close(server),
  };
}
