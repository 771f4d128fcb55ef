// MCP over stdin and stdout, in both eras, for a client that starts this process. No limits, no audit, no HTTP.
import { once } from 'node:events';
import process from 'node:process';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Log } from '#kernel/process/log.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { createHub } from './hub.ts';
import { createToolServers } from './server.ts';
import type { StdioSettings } from './settings.ts';
import type { ToolPermission } from './tool.ts';
import { tools } from './tools.ts';

export interface StdioOptions {
  settings: StdioSettings;
  version: string;
  clock: Clock;
  log: Log;
  stop: AbortSignal;
}

/** Serves until the client closes stdin or `stop` is aborted. Nothing else may write to stdout. */
export async function runStdio({ settings, version, clock, log, stop }: StdioOptions): Promise<void> {
  await using hub = createHub(settings.hub, clock);
  const serverFor = createToolServers({ tools, version, clock, log });
  const granted = new Set<ToolPermission>(['network.read', 'notes.write']);
  // A pipe emits close; a file or /dev/null only end.
  const over = new AbortController();
  const either = { signal: AbortSignal.any([stop, over.signal]) };
  const closed = Promise.race([once(process.stdin, 'end', either), once(process.stdin, 'close', either)]);
  const connection = serveStdio(() => serverFor({ granted, hub: (signal) => hub.at({ signal }) }), {
    onerror: (error) => log.debug({ kind: error.name }, 'a message was not answered'),
  });
  await closed.catch(() => undefined);
  over.abort();
  await connection.close();
}
