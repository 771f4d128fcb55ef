// Which turns of a conversation a question is asked with.
import { expect, test } from 'vitest';
import { aiLimits } from '#contract/ai-limits.ts';
import { appendFailure } from '#hub/analyse/ai/conversations/store.ts';
import { answer, noon, openConversationRows, question, uuid } from '../../../../support/conversation-rows.ts';

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
  const turns = answered.slice(-aiLimits.aiTurns).map((n) => ({ question: `question ${n}`, answer: `answer ${n}` }));
  expect(rows.turns(id ?? '')).toEqual(turns);
  expect(turns).toHaveLength(20);
});

test('no more than a prompt may hold is read: a longer answer ends the history before it', async () => {
  await using rows = openConversationRows();
  const id = await rows.ask(question(1));
  await rows.answer(answer(1));
  await rows.ask(question(2), id);
  await rows.answer(answer(2, { text: 'é'.repeat(aiLimits.aiPromptBytes / 2) }));
  await rows.ask(question(3), id);
  await rows.answer(answer(3));
  expect(rows.turns(id ?? '')).toEqual([{ question: 'question 3', answer: 'answer 3' }]);
});
