// What answers of the providers leave in the log of usage, and what the page of usage says of it.
import { expect } from 'vitest';
import { openCatalog } from '#hub/analyse/ai/pricing/catalog.ts';
import { openAiDesk } from '../support/ai-desk.ts';
import { aiModels, startAiLab } from '../support/ai-lab.ts';
import { verifies } from '../support/verifies.ts';

const prices = openCatalog();

verifies(
  'rest.ai-usage.appended',
  'an answer of any provider is one row with provider, model, tokens, version and rates; what failed leaves none',
  async () => {
    await using desk = await openAiDesk({ prices });
    for (const provider of ['local', 'cloud_a', 'cloud_b', 'cloud_c'] as const) {
      desk.choose(provider);
      const model = aiModels[provider];
      desk.ai.control.fail('server-error', { times: 1 });
      await expect(desk.ask()).rejects.toMatchObject({ code: 'ai_failed' });
      const { answer } = await desk.ask();
      const [row, ...more] = desk.used().filter((one) => one.provider === provider);
      const price = prices.find(provider, model, desk.clock.now());
      expect(more).toEqual([]);
      expect(row).toMatchObject({
        ...{ request_id: answer.requestId, kind: 'analysis', created_at: answer.generatedAt, provider, model },
        ...{ input_tokens: answer.usage?.inputTokens, output_tokens: answer.usage?.outputTokens },
        ...{ total_tokens: answer.usage?.totalTokens, cost_usd: answer.estimatedCostUsd },
        pricing_version: prices.version,
      });
      expect(JSON.parse(String(row?.price))).toEqual(price);
      expect(answer.pricing).toMatchObject({ inputUsdPerMillion: price?.inputUsdPerMillion });
      expect(answer.estimatedCostUsd === 0).toBe(provider === 'local');
    }
    expect(desk.used()).toHaveLength(4);
  },
);

verifies(
  'rest.ai-usage.never-zero rest.ai-usage.missing',
  'an answer without usage that can be read costs an unknown sum, with every provider',
  async () => {
    await using desk = await openAiDesk({ prices });
    for (const provider of ['local', 'cloud_a', 'cloud_b', 'cloud_c'] as const) {
      desk.choose(provider);
      for (const [fault, value] of [
        ['usage-missing', undefined],
        ['usage-malformed', 'negative'],
        ['usage-malformed', 'text'],
      ] as const) {
        desk.ai.control.fail(fault, value === undefined ? { times: 1 } : { times: 1, value });
        const { answer } = await desk.ask();
        const said = [answer.usage, answer.estimatedCostUsd, answer.pricing?.pricingVersion];
        expect([provider, fault, value, ...said]).toEqual([provider, fault, value, null, null, prices.version]);
      }
    }
    for (const row of desk.used()) {
      expect(row).toMatchObject({ total_tokens: null, cost_usd: null, price: expect.any(String) });
    }
  },
);

verifies(
  'rest.ai-usage.add-ons',
  'a guardrail that is applied adds nothing: the cost is that of the tokens',
  async () => {
    await using lab = await startAiLab({ provider: 'cloud_c' });
    const { ai } = lab.as.admin;
    const cost = async () => (await ai.monthlyUsage({ query: {} })).current;
    const plain = await ai.test({ body: {} });
    await ai.saveConfig({ body: { guardrail: { enabled: true, id: 'gr1homenetwork', version: '1' } } });
    const guarded = await ai.test({ body: {} });
    const last = lab.ai.control.requests().findLast(({ method }) => method === 'POST');
    expect(JSON.parse(last?.body ?? '')).toMatchObject({ guardrailConfig: { guardrailIdentifier: 'gr1homenetwork' } });
    for (const { usage, pricing, estimatedCostUsd } of [plain, guarded]) {
      const tokens = { input: usage?.inputTokens ?? 0, output: usage?.outputTokens ?? 0 };
      expect(pricing).toMatchObject({ inputUsdPerMillion: 2.2, outputUsdPerMillion: 11 });
      expect(estimatedCostUsd).toBeCloseTo((tokens.input * 2.2 + tokens.output * 11) / 1e6, 12);
    }
    const sum = (plain.estimatedCostUsd ?? 0) + (guarded.estimatedCostUsd ?? 0);
    expect(await cost()).toMatchObject({ requests: 2, pricedRequests: 2, estimatedCostUsd: expect.closeTo(sum, 12) });
  },
);

verifies(
  'rest.ai-pricing.diagnostics',
  'the chosen model has a price or none; without a chosen provider or model there is nothing to say',
  async () => {
    await using lab = await startAiLab();
    const { ai } = lab.as.admin;
    const selected = async () => {
      const [{ selectedModel }, usage] = [
        await ai.pricingDiagnostics({ query: {} }),
        await ai.monthlyUsage({ query: {} }),
      ];
      expect(usage.selectedModel).toEqual(selectedModel);
      return selectedModel;
    };
    expect(await selected()).toBeNull();
    for (const provider of ['local', 'cloud_a', 'cloud_b', 'cloud_c'] as const) {
      await lab.choose(provider);
      const { success: _, ...status } = await ai.checkPricing({ body: { provider, model: aiModels[provider] } });
      expect(status.priced).toBe(true);
      expect(await selected()).toEqual(status);
    }
    await lab.choose('cloud_b', { models: { cloud_b: 'gpt-6-sol-mini' } });
    expect(await selected()).toEqual({ provider: 'cloud_b', model: 'gpt-6-sol-mini', priced: false, pricing: null });
    await lab.choose('cloud_b', { models: { cloud_b: '' } });
    expect(await selected()).toBeNull();
    await lab.choose('disabled');
    expect(await selected()).toBeNull();
  },
);
