// Whether a model has a price, and which models were used without one: answered by the hub alone.
import { get } from 'node:http';
import { expect } from 'vitest';
import { aiProviderNames } from '#contract/ai-records.ts';
import { hourMs } from '#kernel/time/time.ts';
import { appendRequests, usedRequest } from '../support/ai-usage-rows.ts';
import { startLab } from '../support/lab.ts';
import { portsConnectedTo } from '../support/opened-sockets.ts';
import { verifies } from '../support/verifies.ts';

verifies('rest.ai-pricing.check', 'a model has a price, with where it is from, or it has none', async () => {
  await using lab = await startLab();
  const check = (provider: 'local' | 'cloud_a' | 'cloud_b' | 'cloud_c', model: string) =>
    lab.as.admin.ai.checkPricing({ body: { provider, model } });
  expect(await check('cloud_a', ' claude-sonnet-5-5-20260901 ')).toEqual({
    ...{ success: true, provider: 'cloud_a', model: 'claude-sonnet-5-5-20260901', priced: true },
    pricing: {
      ...{ pricingVersion: expect.stringMatching(/^\d{4}-/), priceId: 'anthropic/claude-sonnet-5', routing: 'any' },
      ...{ effectiveFrom: '2026-01-01', sourceUrl: 'https://www.anthropic.com/pricing#api' },
      ...{ inputUsdPerMillion: 2, outputUsdPerMillion: 10 },
    },
  });
  expect(await check('cloud_c', 'us.anthropic.claude-sonnet-5')).toMatchObject({
    pricing: { routing: 'non-global', inputUsdPerMillion: 2.2, outputUsdPerMillion: 11 },
  });
  expect(await check('cloud_c', 'global.anthropic.claude-sonnet-5')).toMatchObject({
    pricing: { routing: 'global', inputUsdPerMillion: 2, outputUsdPerMillion: 10 },
  });
  expect(await check('local', 'qwen3:8b')).toMatchObject({
    priced: true,
    pricing: { priceId: 'local', inputUsdPerMillion: 0 },
  });
  expect(await check('cloud_b', 'gpt-6-sol-mini')).toEqual({
    ...{ success: true, provider: 'cloud_b', model: 'gpt-6-sol-mini', priced: false, pricing: null },
  });
  for (const body of [
    { provider: 'disabled', model: 'x' },
    { provider: 'local', model: ' ' },
    { model: 'x' },
    { provider: 'local', model: 'x'.repeat(401) },
  ]) {
    const headers = { 'x-admin-token': lab.adminToken, 'content-type': 'application/json' };
    const call = { method: 'POST', path: '/api/ai/pricing/check', body: JSON.stringify(body), headers } as const;
    const refused = await lab.as.raw(call);
    expect([body, refused.status]).toEqual([body, 400]);
  }
});

verifies(
  'rest.ai-pricing.no-contact',
  'while a price is looked up the hub opens no connection to anything',
  async () => {
    await using lab = await startLab();
    const ports = await portsConnectedTo(async () => {
      for (const provider of aiProviderNames) {
        await lab.as.admin.ai.checkPricing({ body: { provider, model: 'claude-opus-5-5' } });
      }
      // One that is seen, so that none at all says something.
      await new Promise((done) => {
        get(new URL('/healthz', lab.url), { agent: false }, (seen) => seen.resume().on('end', done));
      });
    });
    expect(ports).toEqual([Number(lab.url.port)]);
  },
);

verifies(
  'rest.ai-pricing.diagnostics-groups rest.ai-pricing.diagnostics-safe',
  'models without a price by month, with what they used; nothing else of the requests is told',
  async () => {
    await using lab = await startLab();
    const now = lab.clock.now();
    appendRequests(lab, [
      usedRequest({ at: now, model: 'gpt-7', tokens: [10, 1] }),
      usedRequest({ at: now, model: 'gpt-7', tokens: [20, 2] }),
      usedRequest({ at: now, model: 'gpt-7', tokens: null }),
      usedRequest({ at: now }),
      usedRequest({ at: now - 4 * hourMs, provider: 'cloud_c', model: 'xx.new', tokens: [5, 5] }),
    ]);
    const { pricing, ...rest } = await lab.as.admin.ai.pricingDiagnostics({ query: {} });
    expect(pricing).toEqual((await lab.as.admin.ai.monthlyUsage({ query: {} })).pricing);
    expect(rest).toEqual({
      selectedModel: null,
      currentUnpricedModels: [
        {
          ...{ provider: 'cloud_b', model: 'gpt-7', requests: 2, lastUsedAt: now },
          ...{ inputTokens: 30, outputTokens: 3, totalTokens: 33 },
        },
      ],
      previousUnpricedModels: [
        {
          ...{ provider: 'cloud_c', model: 'xx.new', requests: 1, lastUsedAt: now - 4 * hourMs },
          ...{ inputTokens: 5, outputTokens: 5, totalTokens: 10 },
        },
      ],
    });
  },
);
