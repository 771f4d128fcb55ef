// Nothing but a deletion takes a stored row away, and nothing changes one: random histories, all tables compared at each step.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { appendFailure, deleteConversation, failInterrupted } from '#hub/analyse/ai/conversations/store.ts';
import {
  answer,
  type ConversationRows,
  noon,
  openConversationRows,
  question,
  type Tables,
  tablesOf,
  uuid,
} from '../../../../support/conversation-rows.ts';
import { budget, runs } from '../../../../support/property-runs.ts';

const which = fc.nat({ max: 5 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('ask' as const), request: which, of: fc.option(which) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('answer' as const), request: which, of: which }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fail' as const), request: which, of: which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), request: which, of: which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const), request: which, of: which }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Conversations by the order in which they began, and what is refused because it would be a second row. */
async function take(rows: ConversationRows, ids: string[], { kind, request, of }: Step): Promise<void> {
  const twice = (error: Error): null => {
    expect(error.message).toMatch(/UNIQUE/);
    return null;
  };
  if (kind === 'ask') {
    const onto = of === null ? null : (ids[of] ?? null);
    const id = await rows.ask(question(request, { named: onto }), onto).catch(twice);
    if (id && !ids.includes(id)) {
      ids.push(id);
    }
  } else if (kind === 'answer') {
    await rows.answer(answer(request)).catch(twice);
  } else if (kind === 'fail') {
    await rows.db.save((writer) => appendFailure(writer, uuid(request), 'ai_failed', noon));
  } else if (kind === 'delete') {
    await rows.db.save((writer) => deleteConversation(writer, ids[of ?? 0] ?? ''));
  } else {
    await rows.reopen();
    await rows.db.save((writer) => failInterrupted(writer, noon));
  }
}

/** Rows of before that are still there are what they were; those of a deleted conversation are gone together. */
function expectAppended(before: Tables, after: Tables, deleted: unknown): void {
  const stays = (row: Record<string, unknown>) => row.conversation !== deleted && row.conversation_id !== deleted;
  const left = {
    ai_conversation: before.ai_conversation.filter(({ id }) => id !== deleted),
    ai_message: before.ai_message.filter(stays),
    ai_usage: before.ai_usage,
  };
  for (const table of ['ai_conversation', 'ai_message', 'ai_usage'] as const) {
    expect(after[table].slice(0, left[table].length)).toEqual(left[table]);
  }
}

/** A request has one question at most, and one answer at most behind it; every conversation has a question. */
function expectWhole({ ai_message: messages, ai_conversation: conversations }: Tables): void {
  const keys = messages.map(({ request_id, role }) => `${request_id} ${role}`);
  expect(new Set(keys).size).toBe(keys.length);
  for (const [index, { request_id, role, conversation }] of messages.entries()) {
    const asked = messages.findIndex((one) => one.request_id === request_id && one.role === 'user');
    expect([role, messages[asked]?.conversation]).toEqual([asked < index ? 'assistant' : 'user', conversation]);
  }
  expect(new Set(messages.map(({ conversation }) => conversation))).toEqual(new Set(conversations.map(({ id }) => id)));
}

test(`questions, answers, failures, deletions and restarts: ${budget(40, 400, 'histories')}`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
      await using rows = openConversationRows();
      const ids: string[] = [];
      for (const one of steps) {
        const before = tablesOf(rows.db);
        const named = one.kind === 'delete' ? ids[one.of] : undefined;
        const deleted = before.ai_conversation.find(({ conversation_id }) => conversation_id === named)?.id;
        await take(rows, ids, one);
        const after = tablesOf(rows.db);
        expectAppended(before, after, deleted);
        expectWhole(after);
        expect(after.ai_conversation.some(({ id }) => id === deleted)).toBe(false);
      }
    }),
    { seed: 20_261_125, numRuns: runs(40, 400) },
  );
});
