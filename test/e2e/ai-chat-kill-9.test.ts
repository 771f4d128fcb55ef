// The hub is killed without warning while questions are asked: what was answered is there, what was interrupted is a failure.
import path from 'node:path';
import { expect, test } from 'vitest';
import { ClientError } from '#kernel/http/client.ts';
import { ReadConnection } from '#kernel/sqlite/sqlite.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { startAi } from '#simulators/ai/ai.ts';
import type { ChatBody, ChatReply } from '../support/chat-lab.ts';
import { tablesOf, uuid } from '../support/conversation-rows.ts';
import { type HubProcess, startHubProcess } from '../support/hub-process.ts';
import { createRandom } from '../support/random.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const adminToken = 'token-of-the-kill-9-chat-test';
const rounds = 8;
/** The period that each question is about, so that a request can come again as it was. */
const begin = systemClock.now() - 3_600_000;

async function kill(hub: HubProcess): Promise<void> {
  hub.program.kill('SIGKILL');
  expect(await hub.program.ended).toEqual({ code: null, signal: 'SIGKILL' });
  await hub[Symbol.asyncDispose]();
}

const ask = (hub: HubProcess, changes: Partial<ChatBody>) =>
  hub.as.admin.ai.chat({ body: { from: begin, message: 'What changed?', ...changes } });

/** The reply, or the code of the refusal. */
async function outcome(asked: Promise<ChatReply>): Promise<ChatReply | string> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ClientError) {
      return error.code;
    }
    throw error;
  }
}

function tables(folder: string) {
  const reader = new ReadConnection(path.join(folder, 'monitor.db'), 1024);
  try {
    return tablesOf(reader);
  } finally {
    reader.close();
  }
}

test('a question that was under way when the hub was killed is a failure after the start, and can be asked again', {
  timeout: 120_000,
}, async () => {
  using folder = temporaryFolder();
  await using ai = await startAi();
  const start = () => startHubProcess({ dataDir: folder.path, adminToken });
  const first = await start();
  await chooseLocal(first, ai.urls.local);
  ai.fail('hold');
  const lost = ask(first, { requestId: uuid(1) }).catch((error: unknown) => error);
  await ai.held();
  await kill(first);
  expect(await lost).toBeInstanceOf(Error);
  expect(tables(folder.path).ai_message.map(({ role }) => role)).toEqual(['user']);
  ai.clearFaults();
  await using hub = await start();
  const rows = tables(folder.path).ai_message;
  expect(rows.map(({ role, status, error_code }) => [role, status, error_code])).toEqual([
    ['user', 'complete', null],
    ['assistant', 'failed', 'interrupted'],
  ]);
  expect(await outcome(ask(hub, { requestId: uuid(1) }))).toBe('ai_request_failed');
  const [stored] = (await hub.as.admin.ai.conversations({})).conversations;
  const conversationId = stored?.conversationId ?? '';
  expect(await ask(hub, { requestId: uuid(2), conversationId })).toMatchObject({ conversationId, success: true });
  expect(tables(folder.path).ai_message.slice(0, 2)).toEqual(rows);
});

test('killed at any moment: what a caller got is there again, nothing is stored twice, no cost without its answer', {
  timeout: 300_000,
}, async () => {
  using folder = temporaryFolder();
  await using ai = await startAi();
  const random = createRandom(35);
  const start = () => startHubProcess({ dataDir: folder.path, adminToken });
  const answered = new Map<string, ChatReply>();
  const lost: string[] = [];
  let hub = await start();
  await using opened = new AsyncDisposableStack();
  opened.defer(() => hub[Symbol.asyncDispose]());
  await chooseLocal(hub, ai.urls.local);
  for (let round = 0; round < rounds; round += 1) {
    const over = new AbortController();
    const asking = (async () => {
      for (let n = 0; !over.signal.aborted; n += 1) {
        const requestId = uuid(1000 * round + n);
        try {
          answered.set(requestId, await ask(hub, { requestId }));
        } catch (error) {
          // The connection broke: whether it was asked is not known.
          expect(error).not.toBeInstanceOf(ClientError);
          lost.push(requestId);
          return;
        }
      }
    })();
    await systemClock.sleep(100 + Math.floor(random() * 400));
    await kill(hub);
    over.abort();
    await asking;
    hub = await start();
  }
  console.log(`${answered.size} answers arrived, ${lost.length} were lost`);
  expect(lost.length).toBeGreaterThan(0);
  for (const [requestId, reply] of answered) {
    expect(await ask(hub, { requestId })).toEqual(reply);
  }
  for (const requestId of lost) {
    const found = await outcome(ask(hub, { requestId }));
    expect(typeof found === 'string' ? found : found.requestId).toBe(
      typeof found === 'string' ? 'ai_request_failed' : requestId,
    );
  }
  const { ai_message: messages, ai_usage: usage } = tables(folder.path);
  const keys = messages.map(({ request_id, role }) => `${request_id} ${role}`);
  expect(new Set(keys).size).toBe(keys.length);
  const complete = messages.filter(({ role, status }) => role === 'assistant' && status === 'complete');
  expect(usage.map(({ request_id }) => request_id)).toEqual(complete.map(({ request_id }) => request_id));
});

async function chooseLocal(hub: HubProcess, localEndpoint: string): Promise<void> {
  await hub.as.admin.ai.saveConfig({ body: { provider: 'local', models: { local: 'qwen3:8b' }, localEndpoint } });
}
