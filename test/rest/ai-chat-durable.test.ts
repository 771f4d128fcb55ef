// Neither restarts nor changes of the settings alter a stored row: random histories of a whole hub, all tables compared.
import fc from 'fast-check';
import { expect } from 'vitest';
import { aiLimits as limits } from '#contract/ai-limits.ts';
import type { AiChoice } from '#contract/ai-records.ts';
import { type ChatLab, startChatLab } from '../support/chat-lab.ts';
import { type Tables, uuid } from '../support/conversation-rows.ts';
import { budget, runs } from '../support/property-runs.ts';
import { refusal } from '../support/refusal.ts';
import { verifies } from '../support/verifies.ts';

const request = fc.integer({ min: 1, max: 8 });
const provider = fc.constantFrom<AiChoice>('local', 'cloud_a', 'cloud_b', 'disabled');
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('ask' as const), request, onto: fc.option(fc.nat({ max: 3 })) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fail' as const), request }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('choose' as const), provider }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('model' as const), name: fc.constantFrom('qwen3:8b', 'llama3.2:3b') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stop while asked' as const), request }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), which: fc.nat({ max: 3 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const codes = [
  ...['ai_disabled', 'ai_busy', 'ai_request_conflict', 'ai_request_failed', 'ai_failed', 'not_ready', 'not_found'],
  ...['ai_model_missing', 'ai_key_missing', 'ai_model_unknown'],
];

/** Asks; resolves to nothing when it is refused as it may be. */
async function ask(lab: ChatLab, body: Parameters<ChatLab['chat']>[0]): Promise<void> {
  const asked = lab.chat(body);
  const refused = await asked.then(
    () => null,
    () => refusal(asked),
  );
  expect([...codes, null]).toContain(refused?.code ?? null);
}

async function take(lab: ChatLab, one: Step): Promise<string | null> {
  const ids = lab.tables().ai_conversation.map(({ conversation_id }) => String(conversation_id));
  switch (one.kind) {
    case 'ask': {
      const conversationId = one.onto === null ? undefined : ids[one.onto];
      await ask(lab, { requestId: uuid(one.request), conversationId });
      return null;
    }
    case 'fail':
      lab.ai.fail('server-error');
      await ask(lab, { requestId: uuid(one.request) });
      lab.ai.clearFaults();
      return null;
    case 'choose':
      await lab.choose(one.provider);
      return null;
    case 'model':
      await lab.as.admin.ai.saveConfig({ body: { models: { local: one.name } } });
      return null;
    case 'restart':
      await lab.restart();
      return null;
    case 'stop while asked': {
      lab.ai.fail('hold');
      const over = ask(lab, { requestId: uuid(one.request) });
      await Promise.race([over, lab.ai.held()]);
      await Promise.all([lab.restart(), over]);
      lab.ai.clearFaults();
      return null;
    }
    case 'delete': {
      const id = ids[one.which] ?? null;
      await (id && lab.as.admin.ai.deleteConversation({ params: { id } }));
      return id;
    }
  }
}

/** What was stored is there as it was, but for a conversation that was deleted, and what was added is behind it. */
function expectAppended(before: Tables, after: Tables, deleted: string | null): void {
  const gone = before.ai_conversation.find(({ conversation_id }) => conversation_id === deleted)?.id;
  const left: Tables = {
    ai_conversation: before.ai_conversation.filter(({ id }) => id !== gone),
    ai_message: before.ai_message.filter(({ conversation }) => conversation !== gone),
    ai_usage: before.ai_usage,
  };
  for (const table of ['ai_conversation', 'ai_message', 'ai_usage'] as const) {
    expect(after[table].slice(0, left[table].length)).toEqual(left[table]);
  }
  const keys = after.ai_message.map(({ request_id, role }) => `${request_id} ${role}`);
  expect(new Set(keys).size).toBe(keys.length);
  // Nothing is under way between two steps: each question has what became of it.
  expect(keys.filter((key) => key.endsWith('user'))).toHaveLength(keys.length / 2);
  for (const [index, { request_id, role, conversation }] of after.ai_message.entries()) {
    const asked = after.ai_message.findIndex((one) => one.request_id === request_id && one.role === 'user');
    expect([role, after.ai_message[asked]?.conversation]).toEqual([asked < index ? 'assistant' : 'user', conversation]);
  }
  const ids = new Set(after.ai_conversation.map(({ id }) => id));
  expect(new Set(after.ai_message.map(({ conversation }) => conversation))).toEqual(ids);
}

verifies(
  'rest.ai-conversations.durable rest.ai-chat.no-duplicate',
  `questions, failures, stops, restarts, other providers and models, deletions: ${budget(6, 40, 'histories')}`,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), async (steps) => {
        await using lab = await startChatLab();
        for (const one of steps) {
          const before = lab.tables();
          const deleted = await take(lab, one);
          const after = lab.tables();
          expectAppended(before, after, deleted);
          const { conversations, storage } = await lab.as.admin.ai.conversations({});
          expect(conversations).toHaveLength(Math.min(after.ai_conversation.length, limits.aiConversations));
          expect(storage).toMatchObject({ conversations: conversations.length, messages: after.ai_message.length });
        }
      }),
      { seed: 20_261_125, numRuns: runs(6, 40) },
    );
  },
);
