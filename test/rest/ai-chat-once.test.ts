// A request is asked once, whatever happens to its answer: sent again, interrupted, cancelled, its conversation deleted.
import { expect, test } from 'vitest';
import { hourMs } from '#kernel/time/time.ts';
import { aiModels } from '../support/ai-lab.ts';
import { type ChatLab, startChatLab } from '../support/chat-lab.ts';
import { uuid } from '../support/conversation-rows.ts';
import { refuseInserts } from '../support/held-writes.ts';
import { sendAndStay } from '../support/leaving-clients.ts';
import { refusal } from '../support/refusal.ts';
import { verifies } from '../support/verifies.ts';

const dayMs = 24 * hourMs;

verifies(
  'rest.ai-chat.no-duplicate',
  'a request sent again gets the stored answer, with its cost, whatever was changed since, and nobody is asked',
  async () => {
    await using lab = await startChatLab('cloud_a');
    const from = lab.clock.now() - 14 * dayMs;
    const body = { requestId: uuid(1), from };
    const first = await lab.chat(body);
    const before = lab.tables();
    const changes: Record<string, () => Promise<unknown>> = {
      nothing: async () => undefined,
      'the period has grown too long': async () => lab.clock.jump(lab.clock.now() + hourMs),
      'the consent is withdrawn': () =>
        lab.as.admin.ai.saveConfig({ body: { provider: 'disabled', cloudConsent: {} } }),
      'another provider is chosen': () => lab.choose('local'),
      'the hub was restarted': () => lab.restart(),
      'the provider fails': async () => lab.ai.fail('server-error'),
    };
    for (const [what, change] of Object.entries(changes)) {
      await change();
      expect([what, await lab.chat(body)]).toEqual([what, first]);
      const named = { ...body, conversationId: first.conversationId.toUpperCase(), requestId: uuid(1).toUpperCase() };
      expect([what, await lab.chat({ ...named, cloudConsentConfirmed: false })]).toEqual([what, first]);
    }
    expect(lab.tables()).toEqual(before);
    expect(lab.questions()).toHaveLength(1);
  },
);

verifies(
  'rest.ai-chat.no-duplicate',
  'the id of another conversation, of another message and of what was paid and deleted is a conflict; nothing is stored',
  async () => {
    await using lab = await startChatLab();
    const [one, other] = [await lab.chat({ requestId: uuid(1) }), await lab.chat({ requestId: uuid(2) })];
    const before = lab.tables();
    const conflicts = {
      'in another conversation': { requestId: uuid(1), conversationId: other.conversationId },
      'for another message': { requestId: uuid(1), conversationId: one.conversationId, message: 'Another one?' },
    };
    for (const [what, body] of Object.entries(conflicts)) {
      const refused = await refusal(lab.chat(body));
      expect([refused.status, refused.code, refused.message]).toEqual([
        ...[409, 'ai_request_conflict', `this requestId was used ${what}: ask with a new one`],
      ]);
    }
    expect(lab.tables()).toEqual(before);
    await lab.as.admin.ai.deleteConversation({ params: { id: one.conversationId } });
    const left = lab.tables();
    expect((await refusal(lab.chat({ requestId: uuid(1) }))).code).toBe('ai_request_conflict');
    expect(lab.tables()).toEqual(left);
    expect(lab.questions()).toHaveLength(2);
  },
);

test('another provider, model or source begins a new conversation, also when its request comes again', async () => {
  await using lab = await startChatLab();
  const first = await lab.chat();
  const named = { conversationId: first.conversationId };
  await lab.as.admin.ai.saveConfig({ body: { models: { local: 'llama3.2:3b' } } });
  const other = await lab.chat({ ...named, requestId: uuid(2) });
  expect(other).toMatchObject({ startedNewConversation: true, message: { model: 'llama3.2:3b' } });
  expect(other.conversationId).not.toBe(first.conversationId);
  for (const conversationId of [first.conversationId, other.conversationId, undefined]) {
    expect(await lab.chat({ requestId: uuid(2), conversationId })).toEqual(other);
  }
  await lab.choose('cloud_b');
  const cloud = await lab.chat({ ...named, requestId: uuid(3) });
  expect(cloud).toMatchObject({
    startedNewConversation: true,
    message: { provider: 'cloud_b', model: aiModels.cloud_b },
  });
  await lab.choose('local');
  // The first one was never anything else: it goes on.
  expect(await lab.chat(named)).toMatchObject({ ...named, startedNewConversation: false });
  expect(lab.tables().ai_conversation).toHaveLength(3);
});

test('a client that goes away ends the call: its question failed as cancelled, and the place is free', async () => {
  await using lab = await startChatLab();
  lab.ai.fail('hold');
  const url = new URL('/api/ai/chat', lab.url);
  const headers = { 'x-admin-token': lab.adminToken, accept: 'application/json' };
  const client = await sendAndStay({ url, headers, message: lab.body({ requestId: uuid(1) }), count: 1 });
  await lab.ai.held();
  client.reset();
  await expect.poll(() => errorCodes(lab)).toEqual([null, 'cancelled']);
  lab.ai.clearFaults();
  await expect.poll(async () => (await lab.chat({ requestId: uuid(2) }).catch(() => null))?.success).toBe(true);
  expect((await refusal(lab.chat({ requestId: uuid(1) }))).code).toBe('ai_request_failed');
  expect(lab.tables().ai_usage).toHaveLength(1);
});

test('a hub that stops ends the call: its question failed as interrupted', async () => {
  await using lab = await startChatLab();
  lab.ai.fail('hold');
  const asked = refusal(lab.chat({ requestId: uuid(1) }));
  await lab.ai.held();
  const [stopped, refused] = await Promise.all([lab.restart(), asked]);
  expect(stopped).toBeUndefined();
  expect([refused.status, refused.code]).toEqual([503, 'not_ready']);
  expect(errorCodes(lab)).toEqual([null, 'interrupted']);
  lab.ai.clearFaults();
  expect((await refusal(lab.chat({ requestId: uuid(1) }))).code).toBe('ai_request_failed');
  expect(await lab.chat({ requestId: uuid(2) })).toMatchObject({ success: true });
});

test('a backup that was made while a question was asked has it without an answer: restored, it failed as interrupted', async () => {
  await using lab = await startChatLab();
  lab.ai.fail('hold', { times: 1 });
  const asked = refusal(lab.chat({ requestId: uuid(1) }));
  await lab.ai.held();
  const { name } = await lab.as.admin.backup.create({ body: {} });
  const [, refused] = await Promise.all([lab.as.admin.backup.restore({ body: { name } }), asked]);
  expect([refused.status, refused.code]).toEqual([503, 'not_ready']);
  expect(errorCodes(lab)).toEqual([null, 'interrupted']);
  expect((await refusal(lab.chat({ requestId: uuid(1) }))).code).toBe('ai_request_failed');
  expect(await lab.chat({ requestId: uuid(2) })).toMatchObject({ success: true });
});

verifies(
  'rest.ai-conversations.delete',
  'a conversation that is deleted while it is answered is gone, the call ends, and the place is free',
  async () => {
    await using lab = await startChatLab();
    const { conversationId } = await lab.chat();
    lab.ai.fail('hold');
    const asked = refusal(lab.chat({ conversationId, requestId: uuid(1) }));
    await lab.ai.held();
    await lab.as.admin.ai.deleteConversation({ params: { id: conversationId } });
    const refused = await asked;
    expect([refused.status, refused.code]).toEqual([404, 'not_found']);
    expect(refused.message).toMatch(/^the conversation was deleted while it was answered/);
    expect(lab.tables()).toMatchObject({ ai_conversation: [], ai_message: [], ai_usage: { length: 1 } });
    lab.ai.clearFaults();
    expect((await refusal(lab.chat({ conversationId }))).status).toBe(404);
    expect(await lab.chat({ requestId: uuid(1) })).toMatchObject({ success: true });
  },
);

test('a question that cannot be stored is not asked', async () => {
  await using lab = await startChatLab();
  const end = await refuseInserts(lab, 'ai_message');
  const refused = await refusal(lab.chat({ requestId: uuid(1) }));
  expect(refused.status).toBe(500);
  expect(lab.tables()).toEqual({ ai_conversation: [], ai_message: [], ai_usage: [] });
  expect(lab.questions()).toEqual([]);
  await end();
  expect(await lab.chat({ requestId: uuid(1) })).toMatchObject({ success: true });
});

test('an answer that cannot be stored is lost but paid, and its question failed as soon as its request comes again', async () => {
  await using lab = await startChatLab();
  lab.ai.fail('hold', { times: 1 });
  const asked = refusal(lab.chat({ requestId: uuid(1) }));
  await lab.ai.held();
  const end = await refuseInserts(lab, 'ai_message');
  lab.ai.release();
  const refused = await asked;
  expect(refused.status).toBe(500);
  expect(refused.body).toMatchObject({ success: false, requestId: uuid(1), startedNewConversation: true });
  expect(lab.tables()).toMatchObject({
    ...{ ai_message: [{ role: 'user' }], ai_usage: [{ error_code: 'internal', total_tokens: expect.any(Number) }] },
  });
  // Neither the disk nor a place is waited for: the request fails again until it can be written that it did.
  expect((await refusal(lab.chat({ requestId: uuid(1) }))).status).toBe(500);
  await end();
  expect((await refusal(lab.chat({ requestId: uuid(1) }))).code).toBe('ai_request_failed');
  expect(errorCodes(lab)).toEqual([null, 'interrupted']);
  expect(await lab.chat({ requestId: uuid(2) })).toMatchObject({ success: true });
});

/** Of every message, in the order in which they were appended. */
function errorCodes(lab: ChatLab): unknown[] {
  return lab.tables().ai_message.map((row) => row.error_code);
}
