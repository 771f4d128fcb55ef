// The one place for a generation: who has it, how it becomes free, how long it lasts, and what is stored of its use.
import { expect } from 'vitest';
import { aiProviderNames } from '#contract/ai-records.ts';
import { limits } from '#contract/limits.ts';
import type { PriceList } from '#hub/analyse/ai/pricing/price.ts';
import { createId } from '#kernel/text/secret.ts';
import { noPrices, openAiDesk, smallPrompt } from '../../../support/ai-desk.ts';
import { aiModels } from '../../../support/ai-lab.ts';
import { verifies } from '../../../support/verifies.ts';

const prices: PriceList = {
  version: '2026-11-02',
  find: (provider, model) => ({
    ...{ pricingVersion: '2026-11-02', priceId: `${provider}/${model}`, effectiveFrom: '2026-01-01', routing: 'any' },
    ...{ sourceUrl: 'https://example.org/prices', inputUsdPerMillion: 2, outputUsdPerMillion: 10 },
    ...{ cacheReadUsdPerMillion: 0.2, cacheWriteUsdPerMillion: 2.5 },
  }),
};

verifies('rest.ai-provider.one-place', 'a second generation is refused while there is one, whoever asks', async () => {
  await using desk = await openAiDesk();
  desk.choose('local');
  desk.ai.fail('hold', { times: 1 });
  const first = desk.ask();
  await desk.ai.held();
  expect(desk.generations.isBusy()).toBe(true);
  await expect(desk.ask()).rejects.toMatchObject({ code: 'ai_busy', status: 409 });
  desk.choose('cloud_a');
  await expect(desk.ask()).rejects.toMatchObject({ code: 'ai_busy' });
  desk.ai.release();
  // The answer is of the provider that was chosen when it began.
  expect((await first).answer.provider).toBe('local');
  expect(desk.generations.isBusy()).toBe(false);
  expect((await desk.ask()).answer.provider).toBe('cloud_a');
});

verifies(
  'rest.ai-provider.one-place',
  'one that fails frees the place, and a place is freed by its holder alone',
  async () => {
    await using desk = await openAiDesk();
    desk.choose('cloud_b');
    desk.ai.fail('server-error', { times: 1 });
    await expect(desk.ask()).rejects.toMatchObject({ code: 'ai_failed' });
    const early = desk.generations.begin({ confirmed: true, caller: null });
    early[Symbol.dispose]();
    using later = desk.generations.begin({ confirmed: true, caller: null });
    early[Symbol.dispose]();
    expect(desk.generations.isBusy()).toBe(true);
    expect(later.target.provider).toBe('cloud_b');
    expect(desk.used()).toEqual([]);
  },
);

verifies.each(
  'rest.ai-provider.one-place',
  aiProviderNames.map((provider) => ({
    what: `${provider}: a client that leaves frees the place, and its request ends`,
    provider,
  })),
  async ({ provider }) => {
    await using desk = await openAiDesk();
    desk.choose(provider);
    desk.ai.fail('hold', { times: 1 });
    const leaving = new AbortController();
    const asked = desk.ask(smallPrompt, { signal: leaving.signal });
    await desk.ai.held();
    leaving.abort(new Error('the client has left'));
    await expect(asked).rejects.toThrow('the client has left');
    expect(desk.generations.isBusy()).toBe(false);
    await expect.poll(() => desk.ai.journal().some(({ kind }) => kind === 'gone')).toBe(true);
    expect(desk.used()).toEqual([]);
    await desk.ask();
    expect(desk.used()).toHaveLength(1);
    // With a client that has left already nothing is sent.
    const before = desk.ai.requests().length;
    await expect(desk.ask(smallPrompt, { signal: leaving.signal })).rejects.toThrow('the client has left');
    expect(desk.ai.requests()).toHaveLength(before);
  },
);

verifies.each(
  'rest.ai-analyze.timeout-30s',
  aiProviderNames.map((provider) => ({ what: `${provider}: after 30 s without an answer it is over`, provider })),
  async ({ provider }) => {
    await using desk = await openAiDesk();
    desk.choose(provider);
    desk.ai.fail('no-answer', { times: 1 });
    const asked = desk.ask();
    const ended = asked.catch((error: unknown) => error);
    await expect.poll(() => desk.ai.requests().length).toBe(1);
    await desk.clock.advance(limits.aiGenerationMs - 1);
    expect(desk.generations.isBusy()).toBe(true);
    await desk.clock.advance(1);
    expect(await ended).toMatchObject({
      code: 'ai_timeout',
      status: 504,
      message: expect.stringMatching(/did not answer within 30 s: try again, or choose a shorter period/),
    });
    expect(desk.generations.isBusy()).toBe(false);
    desk.ai.clearFaults();
  },
);

verifies(
  'rest.ai-usage.appended',
  'a row has the model, the tokens and the rates of its time, for every provider',
  async () => {
    await using desk = await openAiDesk({ prices, ai: { settings: { cachedTokens: 10 } } });
    for (const provider of aiProviderNames) {
      desk.choose(provider);
      const requestId = createId();
      const { answer } = await desk.ask(smallPrompt, { requestId, kind: 'chat' });
      const { inputTokens = 0, outputTokens = 0 } = answer.usage ?? {};
      expect(inputTokens).toBe(22);
      const cost = ((inputTokens - 10) * 2 + 10 * 0.2 + outputTokens * 10) / 1e6;
      expect(answer.estimatedCostUsd).toBeCloseTo(cost, 12);
      expect(answer.pricing).toMatchObject({ priceId: `${provider}/${aiModels[provider]}`, inputUsdPerMillion: 2 });
      expect(desk.used().at(-1)).toMatchObject({
        request_id: requestId,
        kind: 'chat',
        created_at: desk.clock.now(),
        provider,
        model: aiModels[provider],
        input_tokens: 22,
        output_tokens: outputTokens,
        total_tokens: 22 + outputTokens,
        cache_read_tokens: 10,
        cache_write_tokens: 0,
        pricing_version: '2026-11-02',
        cost_usd: answer.estimatedCostUsd,
        price: expect.stringContaining('"cacheReadUsdPerMillion":0.2'),
      });
    }
  },
);

verifies.each(
  'rest.ai-provider.usage',
  [
    { what: 'usage that is missing', fault: 'usage-missing', value: undefined },
    { what: 'negative tokens', fault: 'usage-malformed', value: 'negative' },
    { what: 'tokens beyond all numbers', fault: 'usage-malformed', value: '1e300' },
    { what: 'tokens as words', fault: 'usage-malformed', value: 'text' },
    { what: 'parts of tokens', fault: 'usage-malformed', value: 'fraction' },
  ] as const,
  async ({ fault, value }) => {
    await using desk = await openAiDesk({ prices, ai: { settings: { cachedTokens: 3 } } });
    for (const provider of aiProviderNames) {
      desk.choose(provider);
      desk.ai.fail(fault, { times: 1, ...(value === undefined ? {} : { value }) });
      const { answer } = await desk.ask();
      desk.ai.clearFaults();
      expect([provider, answer.usage, answer.estimatedCostUsd]).toEqual([provider, null, null]);
      expect(desk.used().at(-1)).toMatchObject({
        ...{ provider, input_tokens: null, output_tokens: null, total_tokens: null },
        ...{ cache_read_tokens: null, cache_write_tokens: null, cost_usd: null, pricing_version: '2026-11-02' },
      });
    }
  },
);

verifies(
  'rest.ai-usage.appended',
  'a model without a price is stored without one, also when it declined to answer',
  async () => {
    await using desk = await openAiDesk({ prices: noPrices });
    desk.choose('cloud_a');
    desk.ai.fail('refusal', { times: 1 });
    await expect(desk.ask()).rejects.toMatchObject({ code: 'ai_answer_refused' });
    const { answer } = await desk.ask();
    expect(answer).toMatchObject({ pricing: null, pricingVersion: '2026-11-01', estimatedCostUsd: null });
    const unpriced = { price: null, cost_usd: null, pricing_version: '2026-11-01' };
    expect(desk.used()).toMatchObject([
      { ...unpriced, error_code: 'ai_answer_refused' },
      { ...unpriced, error_code: null },
    ]);
    // Twice the same request is no second row, and what it is for is not stored either.
    const requestId = createId();
    await desk.ask(smallPrompt, { requestId });
    await expect(desk.ask(smallPrompt, { requestId })).rejects.toThrow();
    expect(desk.used()).toHaveLength(3);
  },
);

verifies('rest.ai-provider.truncated', 'an answer that ended at its limit says so, at every provider', async () => {
  await using desk = await openAiDesk();
  for (const provider of aiProviderNames) {
    desk.choose(provider);
    desk.ai.fail('length', { times: 1 });
    expect((await desk.ask()).answer).toMatchObject({ text: 'There were 1', truncated: true });
    desk.ai.clearFaults();
    expect((await desk.ask()).answer.truncated).toBe(false);
  }
});
