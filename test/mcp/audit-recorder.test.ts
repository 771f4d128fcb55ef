// One row for each exchange, in whatever order its connection and its tool end.
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createLog } from '#kernel/process/log.ts';
import { ReadConnection } from '#kernel/sqlite/sqlite.ts';
import { startAudit } from '#mcp/audit.ts';
import { createAuditRecorder } from '#mcp/http/audit-recorder.ts';
import { type Exchange, openExchange } from '#mcp/http/exchange.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const tool = 'get_devices';

type AuditRecorder = ReturnType<typeof createAuditRecorder>;

/** Reasons of the rows that `ending` leaves of a tool call whose client has left. */
async function reasonsAfter(ending: (recorder: AuditRecorder, exchange: Exchange) => void): Promise<unknown[]> {
  await using folder = temporaryFolder();
  const file = path.join(folder.path, 'audit.db');
  const clock = new ManualClock();
  const audit = await startAudit({ file, key: 'k'.repeat(32), clock, log: createLog('test', 'silent') });
  const recorder = createAuditRecorder(audit, new Set([tool]));
  const incoming = new IncomingMessage(new Socket());
  const exchange = openExchange({ requestId: 'one', address: '192.0.2.1', incoming, clock, deadlineMs: 30_000 });
  exchange.message = { method: 'tools/call', tool, isRequest: true, value: {} };
  exchange.leave();
  ending(recorder, exchange);
  exchange[Symbol.dispose]();
  await audit[Symbol.asyncDispose]();
  const store = new ReadConnection(file, 1024);
  try {
    return store
      .prepare("SELECT reason FROM mcp_audit WHERE request_id = 'one'")
      .all()
      .map((row) => Object.values(row as object)[0]);
  } finally {
    store.close();
  }
}

test.each<[string, (recorder: AuditRecorder, exchange: Exchange) => void]>([
  ['before its tool began', (recorder, exchange) => recorder.ended(exchange, null)],
  [
    'while its tool ran',
    (recorder, exchange) => {
      recorder.toolBegan(exchange);
      recorder.ended(exchange, null);
      recorder.toolEnded(exchange, tool, 'failed');
    },
  ],
  [
    'just before its tool began',
    (recorder, exchange) => {
      recorder.ended(exchange, null);
      recorder.toolBegan(exchange);
      recorder.toolEnded(exchange, tool, 'failed');
    },
  ],
])('a client that leaves %s leaves one row', async (_when, ending) => {
  expect(await reasonsAfter(ending)).toEqual(['client_error']);
});
