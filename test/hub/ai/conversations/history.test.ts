// Which turns of a conversation a question is asked with.
import { expect, test } from 'vitest';
import { aiLimits } from '#contract/ai-limits.ts';
import { promptWithin } from '#hub/ai/conversations/history.ts';
import { appendFailure } from '#hub/ai/conversations/store.ts';
import { type Prompt, promptBytes, type Turn } from '#hub/ai/prompt.ts';
import { answer, noon, openConversationRows, question, uuid } from '../../../support/conversation-rows.ts';

test('the last 20 questions that were answered, with their answers, the oldest first', async () => {
  await using rows = openConversationRows();
  const id = await rows.ask(question(1));
  await rows.answer(answer(1));
  for (let n = 2; n <= 24; n += 1) {
    await rows.ask(question(n), id);
    await (n % 11 === 0
      ? rows.db.save((writer) => appendFailure(writer, uuid(n), 'ai_failed', noon))
      : rows.answer(answer(n)));
  }
  await rows.ask(question(25), id);
  await rows.ask(question(26));
  await rows.answer(answer(26));
  const answered = Array.from({ length: 24 }, (_, index) => index + 1).filter((n) => n % 11 !== 0);
  const turns = answered.slice(-aiLimits.aiTurns).flatMap((n): Turn[] => [
    { role: 'user', text: `question ${n}` },
    { role: 'assistant', text: `answer ${n}` },
  ]);
  expect(rows.turns(id ?? '')).toEqual(turns);
  expect(turns).toHaveLength(40);
});

test('no more than a prompt may hold is read: a longer answer ends the history before it', async () => {
  await using rows = openConversationRows();
  const id = await rows.ask(question(1));
  await rows.answer(answer(1));
  await rows.ask(question(2), id);
  await rows.answer(answer(2, { text: 'é'.repeat(aiLimits.aiPromptBytes / 2) }));
  await rows.ask(question(3), id);
  await rows.answer(answer(3));
  expect(rows.turns(id ?? '').map(({ text }) => text)).toEqual(['question 3', 'answer 3']);
});

test('the oldest question goes first, with its answer, until the prompt fits to the byte', () => {
  const system = 'é'.repeat(100);
  const turn = (role: Turn['role'], length: number): Turn => ({ role, text: 'x'.repeat(length) });
  const last = turn('user', 10);
  const build = (history: readonly Turn[]): Prompt => ({ system, turns: [...history, last] });
  const room = aiLimits.aiPromptBytes - promptBytes(build([]));
  const pair = (bytes: number) => [turn('user', 1), turn('assistant', bytes - 1)];
  const fits = [...pair(1000), ...pair(room - 1000)];
  expect(promptWithin(fits, build)).toEqual(build(fits));
  const over = [...pair(1000), ...pair(room - 999)];
  expect(promptWithin(over, build)).toEqual(build(over.slice(2)));
  const far = [...pair(1000), ...pair(room), ...pair(room + 1)];
  expect(promptWithin(far, build)).toEqual(build([]));
  expect(promptWithin([], build)).toEqual(build([]));
});
