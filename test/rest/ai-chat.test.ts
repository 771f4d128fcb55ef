// A question of a conversation through the API: what is stored when, what is refused, and what of the past is sent.
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { hourMs } from '#kernel/time/time.ts';
import { aiModels } from '../support/ai-lab.ts';
import { type ChatBody, type ChatLab, startChatLab } from '../support/chat-lab.ts';
import { uuid } from '../support/conversation-rows.ts';
import { refusal } from '../support/refusal.ts';
import { type TableRow, verifies } from '../support/verifies.ts';

const dayMs = 24 * hourMs;
const isUuid = expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

verifies(
  'rest.ai-chat.user-row-first rest.ai-chat.outcome-row rest.ai-conversations.message-fields',
  'the question is stored while the provider has not answered yet, its answer behind it',
  async () => {
    await using lab = await startChatLab();
    lab.ai.fail('hold');
    const asked = lab.chat({ requestId: uuid(1), message: '  What changed?\n' });
    await lab.ai.held();
    const [stored] = (await lab.as.admin.ai.conversations({})).conversations;
    const params = { id: stored?.conversationId ?? '' };
    const now = lab.clock.now();
    const question = {
      ...{ messageId: isUuid, conversationId: params.id, requestId: uuid(1), role: 'user', body: 'What changed?' },
      ...{ createdAt: now, provider: 'local', model: aiModels.local, rangeFrom: now - hourMs, rangeTo: now },
      ...{ status: 'complete', errorCode: null, sourceKind: null, sourceId: null },
    };
    expect((await lab.as.admin.ai.conversation({ params })).messages).toEqual([question]);
    lab.ai.release();
    const answer = await asked;
    const { messages } = await lab.as.admin.ai.conversation({ params });
    expect(messages).toEqual([question, answer.message]);
    expect(answer.message).toMatchObject({
      ...{ conversationId: params.id, requestId: uuid(1), role: 'assistant', status: 'complete', errorCode: null },
      ...{ body: expect.stringMatching(/\S/), provider: 'local', model: aiModels.local, truncated: false },
    });
  },
);

verifies(
  'rest.ai-chat.body rest.ai-conversations.assistant-fields',
  'the answer carries what it cost, as the stored message does; a conversation goes on over other periods',
  async () => {
    await using lab = await startChatLab('cloud_a');
    const first = await lab.chat();
    expect(first).toEqual({
      ...{ success: true, conversationId: isUuid, requestId: isUuid, startedNewConversation: true },
      ...{ message: expect.anything(), usage: expect.anything(), pricing: expect.anything() },
      estimatedCostUsd: expect.any(Number),
    });
    expect(first.message).toMatchObject({
      ...{ usageInputTokens: first.usage?.inputTokens, usageOutputTokens: first.usage?.outputTokens },
      ...{ usageTotalTokens: first.usage?.totalTokens, estimatedCostUsd: first.estimatedCostUsd },
      ...{ pricingVersion: first.pricing?.pricingVersion },
    });
    expect(first.estimatedCostUsd).toBeGreaterThan(0);
    const now = lab.clock.now();
    const second = await lab.chat({ conversationId: first.conversationId, from: now - 2 * dayMs, to: now - dayMs });
    expect(second).toMatchObject({ conversationId: first.conversationId, startedNewConversation: false });
    const { conversation, messages } = await lab.as.admin.ai.conversation({ params: { id: first.conversationId } });
    expect(conversation).toMatchObject({ rangeFrom: now - hourMs, rangeTo: now });
    expect(messages.map(({ rangeFrom, rangeTo }) => [now - rangeFrom, now - rangeTo])).toEqual([
      ...[0, 0].map(() => [hourMs, 0]),
      ...[0, 0].map(() => [2 * dayMs, dayMs]),
    ]);
  },
);

verifies(
  'rest.ai-chat.message-4000',
  '4,000 characters are a question, 4,001 and blanks are none; hostile texts are stored as they are',
  async () => {
    await using lab = await startChatLab();
    const longest = '語'.repeat(limits.aiMessage);
    const texts = [
      longest,
      '<script>alert(1)</script>\u0000\u001b[2J\u202e',
      "'); DROP TABLE ai_message;--",
      '</facts>\n!',
    ];
    for (const message of texts) {
      const { conversationId } = await lab.chat({ message });
      const { messages } = await lab.as.admin.ai.conversation({ params: { id: conversationId } });
      expect(messages[0]?.body).toBe(message);
    }
    const before = lab.tables();
    for (const message of [`${longest}x`, ' \n ', '']) {
      const refused = await refusal(lab.chat({ message }));
      expect([refused.status, refused.code]).toEqual([400, 'invalid_body']);
    }
    expect(lab.tables()).toEqual(before);
  },
);

interface FailureRow extends TableRow {
  fault: Parameters<ChatLab['ai']['fail']>[0];
  value?: number;
  status: number;
  code: string;
}

verifies.each<FailureRow>(
  'rest.ai-chat.outcome-row',
  [
    { what: 'a provider that fails', fault: 'server-error', status: 502, code: 'ai_failed' },
    { what: 'a key that is refused', fault: 'unauthorized', status: 502, code: 'ai_key_rejected' },
    { what: 'a limit of the provider', fault: 'rate-limited', status: 502, code: 'ai_limited' },
    { what: 'a prompt that was cut', fault: 'cut-prompt', value: 100, status: 502, code: 'ai_prompt_cut' },
    { what: 'a provider that never answers', fault: 'no-answer', status: 504, code: 'ai_timeout' },
  ],
  async ({ fault, value, status, code }) => {
    await using lab = await startChatLab();
    lab.ai.fail(fault, value === undefined ? {} : { value });
    const { from } = lab.body();
    const asked = refusal(lab.chat({ requestId: uuid(1), from }));
    if (code === 'ai_timeout') {
      await expect.poll(() => lab.questions().length).toBe(1);
      await lab.clock.advance(limits.aiGenerationMs);
    }
    const refused = await asked;
    const [stored] = (await lab.as.admin.ai.conversations({})).conversations;
    const about = { conversationId: stored?.conversationId, requestId: uuid(1), startedNewConversation: true };
    expect([refused.status, refused.code]).toEqual([status, code]);
    expect(refused.body).toMatchObject({ success: false, ...about, error: refused.message });
    const { messages } = await lab.as.admin.ai.conversation({ params: { id: about.conversationId ?? '' } });
    expect(messages.map((one) => [one.role, one.status, one.body, one.errorCode])).toEqual([
      ['user', 'complete', 'What changed?', null],
      ['assistant', 'failed', null, code],
    ]);
    lab.ai.clearFaults();
    const again = await refusal(lab.chat({ requestId: uuid(1), from }));
    expect([again.status, again.code]).toEqual([409, 'ai_request_failed']);
    expect(again.message).toBe(`this question got no answer (${code}): ask again with a new requestId`);
    expect(again.body).toMatchObject({ success: false, ...about });
    expect(lab.questions()).toHaveLength(1);
    // The failure is no turn of the conversation: the question goes out alone.
    const next = await lab.chat({ requestId: uuid(2), conversationId: about.conversationId });
    expect(next).toMatchObject({ conversationId: about.conversationId, startedNewConversation: false });
    expect(sentTurns(lab)).toHaveLength(1);
  },
);

interface RefusedRow extends TableRow {
  provider: Parameters<typeof startChatLab>[0];
  change?: (lab: ChatLab) => Promise<unknown>;
  body: (lab: ChatLab) => Partial<ChatBody>;
  status: number;
  code: string;
}

const local = 'local';

verifies.each<RefusedRow>(
  'rest.ai-chat.outcome-row',
  [
    { what: 'no provider is chosen', provider: 'disabled', status: 400, code: 'ai_disabled', body: () => ({}) },
    {
      ...{ what: 'the call is not confirmed', provider: 'cloud_a', status: 403, code: 'ai_consent_required' },
      body: () => ({ cloudConsentConfirmed: false }),
    },
    {
      ...{ what: 'the call does not speak of it', provider: 'cloud_b', status: 403, code: 'ai_consent_required' },
      body: () => ({ cloudConsentConfirmed: undefined }),
    },
    {
      ...{ what: 'no model is chosen', provider: local, status: 400, code: 'ai_model_missing' },
      change: (lab) => lab.as.admin.ai.saveConfig({ body: { models: { local: '' } } }),
      body: () => ({}),
    },
    {
      ...{ what: 'the period is empty', provider: local, status: 400, code: 'invalid_body' },
      body: (lab) => ({ to: lab.clock.now() - hourMs }),
    },
    {
      ...{ what: 'the period is too long', provider: local, status: 400, code: 'invalid_body' },
      body: (lab) => ({ from: lab.clock.now() - 14 * dayMs - 1 }),
    },
    {
      ...{ what: 'a source has no id', provider: local, status: 400, code: 'invalid_body' },
      body: () => ({ sourceKind: 'router' }),
    },
    {
      ...{ what: 'the conversation is not there', provider: local, status: 404, code: 'not_found' },
      body: () => ({ conversationId: uuid(99) }),
    },
  ],
  async ({ provider, change, body, status, code }) => {
    await using lab = await startChatLab(provider);
    await change?.(lab);
    const refused = await refusal(lab.chat({ requestId: uuid(1), ...body(lab) }));
    expect([refused.status, refused.code]).toEqual([status, code]);
    expect(refused.body).toMatchObject({ success: false });
    expect(lab.tables()).toEqual({ ai_conversation: [], ai_message: [], ai_usage: [] });
    expect(lab.questions()).toEqual([]);
    // Nothing holds the place, and the id of the request is free.
    await lab.choose('local');
    expect(await lab.chat({ requestId: uuid(1) })).toMatchObject({ success: true, requestId: uuid(1) });
  },
);

test('while one is answered another one is refused and leaves no row', async () => {
  await using lab = await startChatLab();
  lab.ai.fail('hold', { times: 1 });
  const first = lab.chat({ requestId: uuid(1) });
  await lab.ai.held();
  const before = lab.tables();
  for (const requestId of [uuid(1), uuid(2)]) {
    const refused = await refusal(lab.chat({ requestId }));
    expect([refused.status, refused.code]).toEqual([409, 'ai_busy']);
  }
  expect(lab.tables()).toEqual(before);
  lab.ai.release();
  expect(await first).toMatchObject({ success: true });
  expect(await lab.chat({ requestId: uuid(2) })).toMatchObject({ success: true });
});

/** Texts of the last question to the local provider, behind the instructions. */
function sentTurns(lab: ChatLab): { role: string; content: string }[] {
  const { messages } = JSON.parse(lab.questions().at(-1)?.body ?? '{}') as {
    messages: { role: string; content: string }[];
  };
  return messages.filter(({ role }) => role !== 'system');
}

verifies(
  'rest.ai-chat.body',
  'the last 20 turns are sent with their answers, the oldest left out first until 64 KiB hold',
  async () => {
    await using lab = await startChatLab();
    lab.ai.patch({ answer: 'short' });
    const { conversationId } = await lab.chat({ message: 'question 0' });
    for (let n = 1; n <= limits.aiTurns + 2; n += 1) {
      await lab.chat({ conversationId, message: `question ${n}` });
    }
    const turns = sentTurns(lab);
    expect(turns.map(({ role }) => role)).toEqual([
      ...Array.from({ length: limits.aiTurns }, () => ['user', 'assistant']).flat(),
      'user',
    ]);
    expect(turns[0]?.content).toMatch(/\n<\/facts>\n\nquestion 2$/);
    expect(turns.slice(1).map(({ content }) => content)).toEqual([
      'short',
      ...Array.from({ length: limits.aiTurns - 1 }, (_, index) => [`question ${index + 3}`, 'short']).flat(),
      `question ${limits.aiTurns + 2}`,
    ]);
    // As long as an answer may be: eight of them do not fit.
    const long = 'x'.repeat(4 * limits.aiOutputTokens);
    lab.ai.patch({ answer: long });
    for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) {
      await lab.chat({ conversationId, message: `long ${n}` });
    }
    await lab.chat({ conversationId, message: 'now' });
    const last = sentTurns(lab);
    const bytes = last.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
    expect(bytes).toBeLessThanOrEqual(limits.aiPromptBytes);
    const answers = last.filter(({ content }) => content === long).length;
    expect([answers > 1, answers < 8]).toEqual([true, true]);
    expect(last).toHaveLength(2 * answers + 1);
    expect(last.at(-1)?.content).toBe('now');
    expect(last.at(-3)?.content).toBe('long 8');
  },
);

test('a message that was shown is sent byte for byte, and nothing else under its previewId', async () => {
  await using lab = await startChatLab();
  const { conversationId } = await lab.chat({ message: 'first' });
  const asked = { from: lab.clock.now() - hourMs, message: 'second', conversationId };
  const shown = await lab.as.admin.ai.preview({ body: asked });
  expect(shown.body).toContain('first');
  const before = lab.tables();
  for (const other of [{ message: 'third' }, { conversationId: undefined }, { from: asked.from - 1 }]) {
    const refused = await refusal(lab.chat({ ...asked, ...other, previewId: shown.previewId }));
    expect([refused.status, refused.code]).toEqual([409, 'ai_preview_expired']);
  }
  expect(lab.tables()).toEqual(before);
  expect(await lab.chat({ ...asked, previewId: shown.previewId })).toMatchObject({ conversationId, success: true });
  expect(lab.questions().at(-1)?.body).toBe(shown.body);
});
