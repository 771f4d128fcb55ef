// What is stored of conversations, as it is listed, read and deleted; rows of 500 messages are made while the hub is stopped.
import path from 'node:path';
import { expect } from 'vitest';
import { aiLimits } from '#contract/ai-limits.ts';
import { Db } from '#kernel/sqlite/sqlite.ts';
import { answer, appendExchange, noon, question, tablesOf, uuid } from '../support/conversation-rows.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

/** Runs `work` on the database of a hub that is stopped meanwhile. */
async function whileStopped<T>(lab: Lab<never>, work: (db: Db) => Promise<T>): Promise<T> {
  await lab.stop();
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  try {
    return await work(db);
  } finally {
    await db.close();
    await lab.restart();
  }
}

const ask = (lab: Lab<never>, method: 'GET' | 'DELETE', id: string) =>
  lab.as.raw({ method, path: `/api/ai/conversations/${id}` });

verifies(
  'rest.ai-conversations.list-100 rest.ai-conversations.list-totals',
  'the 100 conversations with the latest messages; counts and bytes of bodies are of each, and of all',
  async () => {
    await using lab = await startLab();
    expect(await lab.as.admin.ai.conversations({})).toEqual({
      ...{ conversations: [], storage: { conversations: 0, messages: 0, bodyBytes: 0 } },
    });
    const ids = await whileStopped(lab, async (db) => {
      const made: string[] = [];
      for (let n = 1; n <= aiLimits.aiConversations + 3; n += 1) {
        made.push(await appendExchange(db, question(n, { message: 'é' }), answer(n, { text: '日本' })));
      }
      await appendExchange(db, question(1000, { message: 'é' }), answer(1000, { text: '日本' }), made[0]);
      return made;
    });
    const { conversations, storage } = await lab.as.admin.ai.conversations({});
    expect(conversations.map(({ conversationId }) => conversationId)).toEqual([
      ids[0],
      ...ids.toReversed().slice(0, aiLimits.aiConversations - 1),
    ]);
    const subject = { provider: 'local', model: 'qwen3:8b', sourceKind: null, sourceId: null };
    expect(conversations[0]).toEqual({
      ...{ conversationId: ids[0], createdAt: noon + 1, rangeFrom: noon - 1000, rangeTo: noon, ...subject },
      ...{ messageCount: 4, bodyBytes: 16, lastMessageAt: noon + 1000, title: 'é' },
    });
    expect(conversations[1]).toMatchObject({ messageCount: 2, bodyBytes: 8, lastMessageAt: noon + 103 });
    expect(storage).toEqual({ conversations: 103, messages: 208, bodyBytes: 8 * 104 });
  },
);

verifies(
  'rest.ai-conversations.messages-500 rest.ai-conversations.append-order',
  'the last 500 messages of one, in the order in which they were appended, also when the clock was put back between them',
  async () => {
    await using lab = await startLab();
    const id = await whileStopped(lab, async (db) => {
      const made = await appendExchange(db, question(1), answer(1));
      for (let n = 2; n <= aiLimits.aiMessages / 2 + 2; n += 1) {
        await appendExchange(db, question(n, { at: noon - n }), answer(n, { generatedAt: noon - n }), made);
      }
      return made;
    });
    const { messages } = await lab.as.admin.ai.conversation({ params: { id } });
    const numbers = Array.from({ length: aiLimits.aiMessages / 2 }, (_, index) => index + 3);
    expect(messages.map(({ body }) => body)).toEqual(numbers.flatMap((n) => [`question ${n}`, `answer ${n}`]));
    const { conversations } = await lab.as.admin.ai.conversations({});
    expect(conversations[0]).toMatchObject({ messageCount: 504, lastMessageAt: noon - 252, title: 'question 1' });
  },
);

verifies(
  'rest.ai-conversations.older-null',
  'answers from before usage was recorded have no numbers, and keep provider and model',
  async () => {
    await using lab = await startLab();
    const id = await whileStopped(lab, async (db) => {
      const made = await appendExchange(db, question(1), answer(1));
      await db.save((writer) => {
        const add = writer.prepare(
          `INSERT INTO ai_message (conversation, message_id, request_id, role, body, created_at, provider, model,
             range_from, range_to, status) VALUES (1, ?, ?, ?, 'old', ?, 'cloud_a', 'claude-older', 0, 1, 'complete')`,
        );
        add.run(uuid(50), uuid(40), 'user', noon);
        add.run(uuid(51), uuid(40), 'assistant', noon);
      });
      return made;
    });
    const { messages } = await lab.as.admin.ai.conversation({ params: { id } });
    expect(messages.at(-1)).toEqual({
      ...{ messageId: uuid(51), conversationId: id, requestId: uuid(40), role: 'assistant', body: 'old' },
      ...{ createdAt: noon, provider: 'cloud_a', model: 'claude-older', rangeFrom: 0, rangeTo: 1, status: 'complete' },
      ...{ errorCode: null, sourceKind: null, sourceId: null, truncated: false, citations: [] },
      ...{ usageInputTokens: null, usageOutputTokens: null, usageTotalTokens: null },
      ...{ estimatedCostUsd: null, pricingVersion: null },
    });
  },
);

verifies(
  'rest.ai-conversations.delete',
  'a conversation is deleted with its messages, what it cost stays, and it is not there a second time',
  async () => {
    await using lab = await startLab();
    const [gone, left] = await whileStopped(lab, async (db) => [
      await appendExchange(db, question(1), answer(1)),
      await appendExchange(db, question(2), answer(2)),
    ]);
    expect(await ask(lab, 'DELETE', gone ?? '')).toMatchObject({ status: 200, body: { success: true } });
    for (const method of ['GET', 'DELETE'] as const) {
      const refused = {
        status: 404,
        body: { code: 'not_found', error: expect.stringMatching(/^there is no conversation/) },
      };
      expect(await ask(lab, method, gone ?? '')).toMatchObject(refused);
      expect(await ask(lab, method, 'x')).toMatchObject({ status: 400, body: { code: 'invalid_params' } });
    }
    expect(await lab.as.admin.ai.conversations({})).toMatchObject({
      ...{ conversations: [{ conversationId: left }], storage: { conversations: 1, messages: 2 } },
    });
    // A UUID is the same in upper case.
    const { conversation } = await lab.as.admin.ai.conversation({ params: { id: left?.toUpperCase() ?? '' } });
    expect(conversation.conversationId).toBe(left);
    const tables = await whileStopped(lab, async (db) => tablesOf(db));
    expect([tables.ai_conversation.length, tables.ai_message.length, tables.ai_usage.length]).toEqual([1, 2, 2]);
  },
);
