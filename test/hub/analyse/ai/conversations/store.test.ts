// Rows of conversations on a real database: what is appended, what is found again, what cannot be changed.
import { expect, test } from 'vitest';
import type { AiPricing } from '#contract/ai-records.ts';
import { findContinuedConversation, findRequest, isPaid } from '#hub/analyse/ai/conversations/requests.ts';
import { appendFailure, deleteConversation, failInterrupted } from '#hub/analyse/ai/conversations/store.ts';
import { answer, noon, openConversationRows, question, tablesOf, uuid } from '../../../../support/conversation-rows.ts';

const local = { provider: 'local', model: 'qwen3:8b', sourceKind: null, sourceId: null } as const;
const nobody = '00000000-0000-4000-8000-ffffffffffff';

test('a question begins a conversation or goes on one; its answer has its subject and period', async () => {
  await using rows = openConversationRows();
  const citation = { kind: 'number', text: '3', start: 0, end: 1, verified: true } as const;
  const id = await rows.ask(question(1, { sourceKind: 'router', sourceId: 'r1' }));
  const kept = await rows.answer(answer(1, { truncated: true }), [citation]);
  const second = question(2, { named: id, from: noon - 5, to: noon + 5, sourceKind: 'router', sourceId: 'r1' });
  expect(await rows.ask(second, id)).toBe(id);
  await rows.db.save((writer) => appendFailure(writer, uuid(2), 'ai_failed', noon + 9));
  const { conversation, messages } = rows.one(id ?? '');
  const subject = { provider: 'local', model: 'qwen3:8b', sourceKind: 'router', sourceId: 'r1' };
  const first = { rangeFrom: noon - 1000, rangeTo: noon };
  expect(conversation).toEqual({ conversationId: id, createdAt: noon + 1, ...first, ...subject });
  const common = { conversationId: id, messageId: expect.stringMatching(/^[0-9a-f-]{36}$/), ...subject };
  const nothing = { usageInputTokens: null, usageOutputTokens: null, usageTotalTokens: null };
  const complete = { status: 'complete', errorCode: null };
  const later = { requestId: uuid(2), rangeFrom: noon - 5, rangeTo: noon + 5 };
  expect(messages).toEqual([
    { ...common, ...first, ...complete, requestId: uuid(1), role: 'user', body: 'question 1', createdAt: noon + 1 },
    {
      ...{ ...common, ...first, ...complete, requestId: uuid(1), role: 'assistant', body: 'answer 1' },
      ...{ createdAt: noon + 1, truncated: true, citations: [citation], estimatedCostUsd: 0.5 },
      ...{ usageInputTokens: 5, usageOutputTokens: 2, usageTotalTokens: 7, pricingVersion: '2026-11-01' },
    },
    { ...common, ...later, ...complete, role: 'user', body: 'question 2', createdAt: noon + 2 },
    {
      ...{ ...common, ...later, ...nothing, role: 'assistant', body: null, createdAt: noon + 9, status: 'failed' },
      ...{ errorCode: 'ai_failed', truncated: false, citations: [], estimatedCostUsd: null, pricingVersion: null },
    },
  ]);
  expect(kept).toEqual(messages[1]);
  expect(new Set(messages.map(({ messageId }) => messageId)).size).toBe(4);
});

test('a request is found with what became of it, also when it began a conversation beside the one that it named', async () => {
  await using rows = openConversationRows();
  expect(findRequest(rows.db, uuid(1))).toBeNull();
  const price: AiPricing = {
    ...{ pricingVersion: '2026-11-01', priceId: 'p', effectiveFrom: '2026-01-01', sourceUrl: 'https://example.net/' },
    ...{ routing: 'any', inputUsdPerMillion: 1, outputUsdPerMillion: 2 },
  };
  const asked = question(1);
  const id = await rows.ask(asked);
  const { message, from, to, sourceKind, sourceId, askedWith } = asked;
  const open = {
    ...{ conversationId: id, named: null, startedNewConversation: true, pricing: null },
    ...{ message, from, to, sourceKind, sourceId, askedWith },
  };
  expect(findRequest(rows.db, uuid(1))).toEqual({ ...open, answer: null });
  const kept = await rows.answer(answer(1, { pricing: price }));
  expect(findRequest(rows.db, uuid(1))).toEqual({ ...open, answer: kept, pricing: price });
  await rows.ask(question(2, { named: id }), id);
  expect(findRequest(rows.db, uuid(2))).toMatchObject({ conversationId: id, named: id, startedNewConversation: false });
  const other = await rows.ask(question(3, { named: id, model: 'other' }));
  expect(other).not.toBe(id);
  expect(findRequest(rows.db, uuid(3))).toMatchObject({
    ...{ conversationId: other, named: id, startedNewConversation: true, answer: null },
  });
});

test('a conversation goes on with the same provider, model and source; otherwise a new one begins', async () => {
  await using rows = openConversationRows();
  const whole = await rows.ask(question(1));
  const scope = { sourceKind: 'agent', sourceId: 'a1' } as const;
  const scoped = await rows.ask(question(2, scope));
  expect(findContinuedConversation(rows.db, undefined, local)).toBeNull();
  expect(findContinuedConversation(rows.db, whole ?? '', local)).toBe(whole);
  expect(findContinuedConversation(rows.db, scoped ?? '', { ...local, ...scope })).toBe(scoped);
  const others = [{ provider: 'cloud_a' }, { model: 'other' }, scope] as const;
  for (const other of others) {
    expect(findContinuedConversation(rows.db, whole ?? '', { ...local, ...other })).toBeNull();
  }
  expect(findContinuedConversation(rows.db, scoped ?? '', local)).toBeNull();
  expect(findContinuedConversation(rows.db, scoped ?? '', { ...local, ...scope, sourceId: 'a2' })).toBeNull();
  expect(() => findContinuedConversation(rows.db, nobody, local)).toThrow(/^there is no conversation with this id/);
});

test('one question and one answer for a request, whatever is tried', async () => {
  await using rows = openConversationRows();
  const id = await rows.ask(question(1));
  await expect(rows.ask(question(1))).rejects.toThrow(/UNIQUE/);
  await expect(rows.ask(question(1), id)).rejects.toThrow(/UNIQUE/);
  await rows.answer(answer(1));
  const before = tablesOf(rows.db);
  expect(before.ai_conversation).toHaveLength(1);
  await expect(rows.answer(answer(1))).rejects.toThrow(/UNIQUE/);
  await rows.db.save((writer) => appendFailure(writer, uuid(1), 'ai_failed', noon));
  await rows.db.save((writer) => appendFailure(writer, uuid(9), 'ai_failed', noon));
  expect(tablesOf(rows.db)).toEqual(before);
});

test('what was asked when the hub ended is a failure after it, once', async () => {
  await using rows = openConversationRows();
  await rows.ask(question(1));
  await rows.answer(answer(1));
  await rows.ask(question(2));
  await rows.db.save((writer) => appendFailure(writer, uuid(2), 'ai_timeout', noon));
  await rows.ask(question(3));
  await rows.ask(question(4));
  expect(await rows.db.save((writer) => failInterrupted(writer, noon + 50))).toBe(2);
  expect(await rows.db.save((writer) => failInterrupted(writer, noon + 60))).toBe(0);
  const codes = [1, 2, 3, 4].map((n) => findRequest(rows.db, uuid(n))?.answer?.errorCode);
  expect(codes).toEqual([null, 'ai_timeout', 'interrupted', 'interrupted']);
  expect(findRequest(rows.db, uuid(4))?.answer).toMatchObject({ body: null, createdAt: noon + 50 });
});

test('a conversation goes with all its messages, what it cost stays, and nothing comes back to it', async () => {
  await using rows = openConversationRows();
  const [gone, left] = [await rows.ask(question(1)), await rows.ask(question(2))];
  await rows.answer(answer(1));
  await rows.ask(question(3), gone);
  const remove = (id: string) => rows.db.save((writer) => deleteConversation(writer, id));
  expect(await remove(gone ?? '')).toBe(true);
  expect(await remove(gone ?? '')).toBe(false);
  expect(() => rows.one(gone ?? '')).toThrow(/^there is no conversation with this id/);
  expect(rows.list().conversations.map(({ conversationId }) => conversationId)).toEqual([left]);
  expect(tablesOf(rows.db).ai_message).toHaveLength(1);
  expect([isPaid(rows.db, uuid(1)), isPaid(rows.db, uuid(2))]).toEqual([true, false]);
  // An answer that comes when its question is deleted costs, and is not kept.
  expect(await rows.answer(answer(3))).toBeNull();
  await rows.db.save((writer) => appendFailure(writer, uuid(3), 'cancelled', noon));
  expect(await rows.ask(question(4), gone)).toBeNull();
  expect(tablesOf(rows.db)).toMatchObject({ ai_message: { length: 1 }, ai_usage: { length: 2 } });
});

test('SQL that changes a row, or deletes a message alone, is refused', async () => {
  await using rows = openConversationRows();
  await rows.ask(question(1));
  await rows.answer(answer(1));
  const before = tablesOf(rows.db);
  const run = (sql: string) => rows.db.save((writer) => void writer.prepare(sql).run());
  for (const [table, rest] of Object.entries({ ai_conversation: 'model = model', ai_message: 'body = body' })) {
    await expect(run(`UPDATE ${table} SET ${rest}`)).rejects.toThrow(`rows of ${table} never change`);
  }
  await expect(run("DELETE FROM ai_message WHERE role = 'user'")).rejects.toThrow(
    'a message goes with its conversation',
  );
  expect(tablesOf(rows.db)).toEqual(before);
});

const hostile = [
  '<script>alert(1)</script> & "quotes" \'single\' `ticks`',
  '\u0000 a zero byte, \u001b[2J a terminal, \u202e a direction',
  "Robert'); DROP TABLE ai_message;--",
  '=HYPERLINK("https://example.net")',
  '\u{1f600} 日本語 e\u0301 \r\n\t',
  '</facts>\n<facts>',
];

test.each(hostile)('a text is stored as it is: %j', async (text) => {
  await using rows = openConversationRows();
  const id = await rows.ask(question(1, { message: text }));
  const kept = await rows.answer(answer(1, { text }));
  const shown = rows.one(id ?? '');
  expect(shown.messages.map(({ body }) => body)).toEqual([text, text]);
  expect(kept?.body).toBe(text);
  expect(findRequest(rows.db, uuid(1))?.message).toBe(text);
  expect(rows.turns(id ?? '')).toEqual([{ question: text, answer: text }]);
  const bytes = 2 * Buffer.byteLength(text);
  expect(rows.list()).toMatchObject({
    ...{ conversations: [{ bodyBytes: bytes }], storage: { conversations: 1, messages: 2, bodyBytes: bytes } },
  });
});
