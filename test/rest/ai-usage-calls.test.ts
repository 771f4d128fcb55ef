// What answers of the providers leave in the log of usage, and what the page of usage says of it.
import { expect } from 'vitest';
import { aiProviderNames } from '#contract/ai-records.ts';
import { aiModels, startAiLab } from '../support/ai-lab.ts';
import { verifies } from '../support/verifies.ts';

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
    const last = lab.ai.requests().findLast(({ method }) => method === 'POST');
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
    for (const provider of aiProviderNames) {
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
