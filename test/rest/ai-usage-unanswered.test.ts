// What providers counted and what the month shows, by every provider and every way in which an answer can end.
import { expect } from 'vitest';
import { type AiProviderName, aiProviderNames } from '#contract/ai-records.ts';
import { limits } from '#contract/limits.ts';
import { ClientError } from '#kernel/http/client.ts';
import { hourMs, minuteMs } from '#kernel/time/time.ts';
import type { AiFault } from '#simulators/ai/faults.ts';
import type { AiLab } from '../support/ai-lab.ts';
import { nextAnswerHead } from '../support/answer-heads.ts';
import { startChatLab } from '../support/chat-lab.ts';
import { sendAndStay } from '../support/leaving-clients.ts';
import { daily, startNotificationLab } from '../support/notification-lab.ts';
import { refusal } from '../support/refusal.ts';
import { verifies } from '../support/verifies.ts';

const providers = aiProviderNames.map((provider) => ({
  what: `${provider}: tokens and cost of the month are those of all answers, also of those that are none`,
  provider,
}));

interface Ending {
  fault: AiFault | null;
  value?: number | string;
  /** The hub cannot read what the answer used. */
  isUnknown?: true;
}

const endings: readonly Ending[] = [
  { fault: null },
  { fault: 'length' },
  { fault: 'refusal' },
  { fault: 'refusal', value: 'filter' },
  { fault: 'guardrail-intervened' },
  { fault: 'empty-answer' },
  { fault: 'obeys-injection', value: 'tool' },
  { fault: 'thinks' },
  { fault: 'cut-prompt', value: 2 },
  { fault: 'half-read', value: 100 },
  { fault: 'gives-up' },
  { fault: 'usage-missing', isUnknown: true },
  { fault: 'usage-malformed', value: 'text', isUnknown: true },
  { fault: 'not-json', isUnknown: true },
  { fault: 'wrong-type', isUnknown: true },
  { fault: 'html', isUnknown: true },
  { fault: 'huge', isUnknown: true },
  { fault: 'reset', isUnknown: true },
  { fault: 'truncated', isUnknown: true },
  { fault: 'server-error' },
  { fault: 'rate-limited' },
  { fault: 'unauthorized' },
  { fault: 'redirect' },
  { fault: 'too-long' },
];

type Told = Readonly<Record<string, number | null>>;

/** Tokens of input and output as the dialect of each provider tells them; those of the cache are input. */
const readTokens: Readonly<Record<AiProviderName, (told: Told) => (number | null | undefined)[][]>> = {
  local: (told) => [[told.prompt_tokens], [told.completion_tokens]],
  cloud_a: (told) => [[told.input_tokens, told.cache_read_input_tokens], [told.output_tokens]],
  cloud_b: (told) => [[told.input_tokens], [told.output_tokens]],
  cloud_c: (told) => [[told.inputTokens, told.cacheReadInputTokens], [told.outputTokens]],
};

const addUp = (numbers: readonly (number | null | undefined)[] = []) =>
  numbers.reduce<number>((sum, count) => sum + (count ?? 0), 0);

/** Answers to questions that the simulator sent with success, since its journal was cleared. */
function acceptedAnswers({ ai }: Pick<AiLab, 'ai'>) {
  const questions = new Set(
    ai
      .journal()
      .filter(({ kind, method }) => kind === 'request' && method === 'POST')
      .map(({ number }) => number),
  );
  return ai
    .journal()
    .filter(({ kind, number, status }) => kind === 'answer' && questions.has(number) && status === 200);
}

const readMonth = async ({ as }: Pick<AiLab, 'as'>) => (await as.admin.ai.monthlyUsage({ query: {} })).current;

verifies.each('rest.ai-usage.unanswered', providers, async ({ provider }) => {
  await using lab = await startChatLab(provider);
  lab.ai.patch({ cachedTokens: 3 });
  const expected = { requests: 0, inputTokens: 0, outputTokens: 0, usageMissingRequests: 0, unanswered: 0 };
  let answeredCost = 0;
  const note = ({ isUnknown }: Ending, isAnswered: boolean) => {
    for (const { usage } of acceptedAnswers(lab)) {
      const [input, output] = isUnknown ? [] : readTokens[provider](usage as Told);
      expected.requests += 1;
      expected.inputTokens += addUp(input);
      expected.outputTokens += addUp(output);
      expected.usageMissingRequests += isUnknown ? 1 : 0;
      expected.unanswered += isAnswered ? 0 : 1;
    }
  };
  const seen = async () => {
    const { unanswered, ...month } = await readMonth(lab);
    const { requests, inputTokens, outputTokens, usageMissingRequests } = month;
    return { requests, inputTokens, outputTokens, usageMissingRequests, unanswered: unanswered.requests };
  };
  for (const [index, ending] of endings.entries()) {
    const { fault, value } = ending;
    lab.ai.clearJournal();
    if (fault !== null) {
      lab.ai.fail(fault, { times: 1, ...(value === undefined ? {} : { value }) });
    }
    const body = { from: lab.clock.now() - hourMs, cloudConsentConfirmed: true };
    const asked = index % 2 === 0 ? lab.as.admin.ai.analyze({ body }) : lab.chat();
    const answer = await asked.catch((error: unknown) => {
      expect([fault, error]).toEqual([fault, expect.any(ClientError)]);
      return null;
    });
    lab.ai.clearFaults();
    answeredCost += answer?.estimatedCostUsd ?? 0;
    note(ending, answer !== null);
    expect([fault, value, await seen()]).toEqual([fault, value, expected]);
  }

  // A client that leaves, and a deadline, before and after the provider began to answer.
  for (const fault of ['hold', 'stall'] as const) {
    for (const end of ['left', 'late'] as const) {
      lab.ai.clearJournal();
      lab.ai.fail(fault, { times: 1 });
      const begun = fault === 'hold' ? lab.ai.held() : nextAnswerHead();
      const url = new URL('/api/ai/chat', lab.url);
      const client = await sendAndStay({
        ...{ url, headers: { 'x-admin-token': lab.adminToken }, message: lab.body(), count: 1 },
      });
      await begun;
      if (end === 'left') {
        client.reset();
      } else {
        await lab.clock.advance(limits.aiGenerationMs);
      }
      const last = () => lab.tables().ai_message.at(-1)?.error_code;
      await expect.poll(last).toBe(end === 'left' ? 'cancelled' : 'ai_timeout');
      client.reset();
      note({ fault, isUnknown: true }, false);
      expect([fault, end, await seen()]).toEqual([fault, end, expected]);
      lab.ai.clearFaults();
    }
  }

  const { unanswered, ...month } = await readMonth(lab);
  expect(unanswered.requests).toBeGreaterThan(10);
  expect(unanswered.pricedRequests).toBeGreaterThan(4);
  expect(month.pricedRequests).toBe(month.requests - month.usageMissingRequests);
  expect(month.estimatedCostUsd).toBeCloseTo(answeredCost + (unanswered.estimatedCostUsd ?? 0), 12);
  expect((unanswered.estimatedCostUsd ?? 0) > 0).toBe(provider !== 'local');
});

verifies(
  'rest.ai-usage.unanswered',
  'each try of an analysis that the hub makes by itself is counted, and its event has what it used',
  async () => {
    await using lab = await startNotificationLab({ provider: 'cloud_a' });
    lab.ai.fail('refusal');
    await lab.set(daily);
    for (const minutes of [10, 5, 15, 45]) {
      await lab.later(minutes * minuteMs);
    }
    const stated = acceptedAnswers(lab).map(({ usage }) => addUp(readTokens.cloud_a(usage as Told).flat()));
    expect(stated).toHaveLength(4);
    const { requests, totalTokens, estimatedCostUsd, unanswered } = await readMonth(lab);
    expect(unanswered).toEqual({ requests: 4, totalTokens: addUp(stated), pricedRequests: 4, estimatedCostUsd });
    expect({ requests, totalTokens }).toEqual({ requests: 4, totalTokens: addUp(stated) });
    const events = await lab.events();
    expect(events.map(({ errorCode }) => errorCode)).toEqual(stated.map(() => 'ai_answer_refused'));
    expect(events.map((event) => event.totalTokens).reverse()).toEqual(stated);
    expect(addUp(events.map((event) => event.estimatedCostUsd))).toBeCloseTo(estimatedCostUsd ?? 0, 12);
  },
);

verifies(
  'rest.ai-usage.unanswered',
  'the failed answer of a conversation says what it used and cost; its month keeps that when it is deleted',
  async () => {
    await using lab = await startChatLab('cloud_b');
    lab.ai.fail('thinks', { times: 1 });
    const { body } = await refusal(lab.chat());
    const { conversationId } = body as { conversationId: string };
    const { messages } = await lab.as.admin.ai.conversation({ params: { id: conversationId } });
    const month = await readMonth(lab);
    const { inputTokens, outputTokens, totalTokens, estimatedCostUsd } = month;
    expect(outputTokens).toBe(limits.aiOutputTokens);
    expect(messages.at(-1)).toMatchObject({
      ...{ status: 'failed', errorCode: 'ai_failed', usageInputTokens: inputTokens, usageOutputTokens: outputTokens },
      ...{ usageTotalTokens: totalTokens, estimatedCostUsd, pricingVersion: expect.any(String) },
    });
    await lab.as.admin.ai.deleteConversation({ params: { id: conversationId } });
    expect(await readMonth(lab)).toEqual(month);
  },
);
