// The outbox and the client of the chat workspace without a hub, against a workspace whose answers a test writes.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { ChatSettings } from '#hub/notify/chat/chat-settings.ts';
import { createChatOutbox, startChatDelivery } from '#hub/notify/chat/delivery.ts';
import { createWorkspace } from '#hub/notify/chat/workspace.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { collectLog } from './log-lines.ts';
import { ManualClock } from './manual-clock.ts';
import { writeNewDatabase } from './new-database.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { createToldEvent } from './told-events.ts';

export interface ChatCall {
  method: string;
  token: string;
  form: Record<string, string>;
  /** When it came. */
  at: number;
}

/** An object is the answer of a success; a text of a refusal is its code; null leaves the call without an answer. */
export type ChatAnswer = object | string | null | { status: number; headers?: Record<string, string>; text?: string };

export type ChatBench = Awaited<ReturnType<typeof startChatBench>>;

/** Short waits pass at once, so that times are exact. */
export async function startChatBench() {
  const folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.db');
  writeNewDatabase(file);
  const db = new Db(file);
  const clock = new ManualClock();
  const { sleep } = clock;
  clock.sleep = async (ms, signal) => (ms > 1000 ? sleep(ms, signal) : clock.skip(ms));
  const calls: ChatCall[] = [];
  const bench = { answer: (_call: ChatCall): ChatAnswer => ({}) };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) {
      body += String(chunk);
    }
    const call: ChatCall = {
      method: (request.url ?? '').replace('/api/', ''),
      token: request.headers.authorization ?? '',
      form: Object.fromEntries(new URLSearchParams(body)),
      at: clock.now(),
    };
    calls.push(call);
    const answer = bench.answer(call);
    if (answer === null) {
      return;
    }
    const json = typeof answer === 'string' ? { ok: false, error: answer } : { ok: true, ...answer };
    const { status = 200, headers = {}, text = JSON.stringify(json) } = Object(answer);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const apiUrl = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`);
  const workspace = createWorkspace({ clock, apiUrl });
  const { log, lines } = collectLog('warn');
  const delivered: string[] = [];
  const outbox = createChatOutbox(db, function* markSent() {});
  let settings: ChatSettings = {
    enabled: true,
    token: 't1',
    userId: 'C1',
    displayName: '',
    cooldownMinutes: 60,
    tellResolved: false,
  };
  return Object.assign(bench, {
    ...{ db, clock, calls, workspace, outbox, lines, delivered },
    set: (changed: Partial<ChatSettings>) => {
      settings = { ...settings, ...changed };
    },
    put: (key: string, body?: string) =>
      db.write((writer) => {
        const alert = createToldEvent(key, clock.now());
        outbox.put(writer, { ...alert, ...(body !== undefined && { body }) }, clock.now());
      }),
    messages: () =>
      db.prepare('SELECT state, attempts, error, next_at AS nextAt FROM outbox_message ORDER BY id').all() as {
        state: string;
        attempts: number;
        error: string | null;
        nextAt: number;
      }[],
    start: () =>
      startChatDelivery({
        ...{ clock, log, outbox, workspace, settings: () => settings },
        onDelivered: (keys) => delivered.push(...keys),
      }),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await db.close();
      folder[Symbol.dispose]();
    },
  });
}
