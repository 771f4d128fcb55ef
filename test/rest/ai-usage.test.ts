// What requests to AI providers used and cost, by months of the caller: what is known, what is not, and that the two stay apart.
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { utcTime } from '#kernel/time/clock.ts';
import { hourMs } from '#kernel/time/time.ts';
import { appendRequests, usedRequest } from '../support/ai-usage-rows.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { verifies } from '../support/verifies.ts';

/** The month of the clock of a lab. */
const march = { from: utcTime(2026, 3, 1), to: utcTime(2026, 4, 1) };
const february = { from: utcTime(2026, 2, 1), to: march.from };
const nothing = {
  ...{ requests: 0, inputTokens: 0, outputTokens: 0, totalTokens: 0, pricedRequests: 0, pricedTokens: 0 },
  ...{
    usageMissingRequests: 0,
    unknownPriceRequests: 0,
    unpricedTokens: 0,
    estimatedCostUsd: null,
    unpricedModels: [],
    unanswered: { requests: 0, totalTokens: 0, pricedRequests: 0, estimatedCostUsd: null },
  },
};
const usage = (lab: Lab<never>, timezoneOffset?: number) =>
  lab.as.admin.ai.monthlyUsage({
    query: timezoneOffset === undefined ? {} : { timezoneOffset: String(timezoneOffset) },
  });

verifies(
  'rest.ai-usage.totals rest.ai-usage.priced-tokens rest.ai-usage.unpriced-models',
  'requests and tokens of this month and the one before; models without a price in groups, most tokens first',
  async () => {
    await using lab = await startLab();
    const now = lab.clock.now();
    expect(await usage(lab)).toMatchObject({
      current: { ...march, ...nothing },
      previous: { ...february, ...nothing },
    });
    appendRequests(lab, [
      usedRequest({ at: now }),
      usedRequest({ at: now, provider: 'local', model: 'qwen3:8b', tokens: [50, 5] }),
      usedRequest({ at: now - hourMs, model: 'gpt-7', tokens: [10, 1] }),
      usedRequest({ at: now, model: 'gpt-7', tokens: [20, 2], errorCode: 'ai_failed' }),
      usedRequest({ at: now, provider: 'cloud_a', model: 'gpt-7', tokens: [200, 20] }),
      usedRequest({ at: february.to - 1, tokens: [7, 0] }),
      usedRequest({ at: february.from - 1, tokens: [9000, 0] }),
      usedRequest({ at: march.to, tokens: [9000, 0] }),
    ]);
    const { current, previous } = await usage(lab);
    expect(current).toEqual({
      ...{ ...march, requests: 5, inputTokens: 1280, outputTokens: 128, totalTokens: 1408 },
      ...{ pricedRequests: 2, pricedTokens: 1155, usageMissingRequests: 0 },
      ...{ unknownPriceRequests: 3, unpricedTokens: 253, estimatedCostUsd: expect.closeTo(0.003, 12) },
      unanswered: { requests: 1, totalTokens: 22, pricedRequests: 0, estimatedCostUsd: null },
      unpricedModels: [
        {
          ...{ provider: 'cloud_a', model: 'gpt-7', requests: 1, lastUsedAt: now },
          ...{ inputTokens: 200, outputTokens: 20, totalTokens: 220 },
        },
        {
          ...{ provider: 'cloud_b', model: 'gpt-7', requests: 2, lastUsedAt: now },
          ...{ inputTokens: 30, outputTokens: 3, totalTokens: 33 },
        },
      ],
    });
    expect(previous).toMatchObject({ ...february, requests: 1, totalTokens: 7, pricedTokens: 7 });
  },
);

verifies(
  'rest.ai-usage.unknown-price rest.ai-usage.missing rest.ai-usage.distinct',
  'a request without a price and one without usage are counted apart, each once',
  async () => {
    await using lab = await startLab();
    const at = lab.clock.now();
    appendRequests(lab, [
      usedRequest({ at, tokens: null }),
      usedRequest({ at, model: 'gpt-7', tokens: null }),
      usedRequest({ at, model: 'gpt-7', tokens: [10, 1] }),
    ]);
    const { current } = await usage(lab);
    expect(current).toMatchObject({
      ...{ requests: 3, pricedRequests: 0, usageMissingRequests: 2, unknownPriceRequests: 1 },
      ...{ totalTokens: 11, pricedTokens: 0, unpricedTokens: 11 },
      unpricedModels: [{ model: 'gpt-7', requests: 1, totalTokens: 11 }],
    });
  },
);

verifies(
  'rest.ai-usage.never-zero',
  'an unknown cost is null, also in a month; 0 is what a local server costs',
  async () => {
    await using lab = await startLab();
    const at = lab.clock.now();
    const cost = async () => (await usage(lab)).current.estimatedCostUsd;
    expect(await cost()).toBeNull();
    appendRequests(lab, [usedRequest({ at, tokens: null }), usedRequest({ at, model: 'gpt-7' })]);
    expect(await cost()).toBeNull();
    appendRequests(lab, [usedRequest({ at, provider: 'local', model: 'qwen3:8b', tokens: null })]);
    expect(await cost()).toBeNull();
    appendRequests(lab, [usedRequest({ at, provider: 'local', model: 'qwen3:8b' })]);
    expect(await cost()).toBe(0);
    appendRequests(lab, [usedRequest({ at, tokens: [1_000_000, 100_000] })]);
    expect(await cost()).toBeCloseTo(3, 12);
  },
);

verifies(
  'rest.ai-usage.timezone rest.ai-pricing.diagnostics-timezone',
  'the month is that of the caller; offsets that nobody has are refused',
  async () => {
    await using lab = await startLab();
    // 2026-03-01 03:00 UTC: in UTC-5 it is still February.
    appendRequests(lab, [usedRequest({ at: lab.clock.now() - 1, model: 'gpt-7' })]);
    const west = await usage(lab, 300);
    expect(west.current).toMatchObject({ from: february.from + 5 * hourMs, to: march.from + 5 * hourMs, requests: 1 });
    expect((await usage(lab, -540)).current).toMatchObject({ from: march.from - 9 * hourMs, requests: 1 });
    lab.clock.jump(march.from + 5 * hourMs);
    expect(await usage(lab, 300)).toMatchObject({ current: { requests: 0 }, previous: { ...west.current } });
    const { currentUnpricedModels, previousUnpricedModels } = await lab.as.admin.ai.pricingDiagnostics({
      query: { timezoneOffset: '300' },
    });
    expect([currentUnpricedModels.length, previousUnpricedModels.length]).toEqual([0, 1]);
    for (const path of ['/api/ai/usage/monthly', '/api/ai/pricing/diagnostics']) {
      for (const offset of ['840', '-840', '0', '-0']) {
        expect([
          offset,
          (await lab.as.raw({ method: 'GET', path: `${path}?timezoneOffset=${offset}` })).status,
        ]).toEqual([offset, 200]);
      }
      for (const offset of ['841', '-841', '', 'x', '1.5', '1e2', '+60', '60&timezoneOffset=61']) {
        const { status, body } = await lab.as.raw({ method: 'GET', path: `${path}?timezoneOffset=${offset}` });
        expect([offset, status]).toEqual([offset, 400]);
        expect((body as { error: string }).error).toMatch(/^timezoneOffset /);
      }
    }
  },
);

verifies('rest.ai-usage.pricing', 'the version of the prices, their day, and where they are from', async () => {
  await using lab = await startLab();
  const { pricing, selectedModel } = await usage(lab);
  expect(pricing).toMatchObject({ currency: 'USD', approximate: true });
  expect(pricing.catalogVersion).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(pricing.effectiveFrom <= pricing.catalogVersion).toBe(true);
  expect(pricing.sourceUrls).toContain('https://aws.amazon.com/bedrock/pricing/');
  expect(pricing.sourceUrls.every((url) => url.startsWith('https://'))).toBe(true);
  expect(selectedModel).toBeNull();
});

test('of many models without a price the 20 with most tokens are named; the sums have them all', async () => {
  await using lab = await startLab();
  const at = lab.clock.now();
  const models = Array.from({ length: limits.aiUnpricedModels + 5 }, (_, index) => index + 1);
  appendRequests(
    lab,
    models.map((tokens) => usedRequest({ at, model: `unknown-${tokens}`, tokens: [tokens, 0] })),
  );
  const { current } = await usage(lab);
  expect(current.unpricedModels.map((one) => one.totalTokens)).toEqual(
    models.toReversed().slice(0, limits.aiUnpricedModels),
  );
  expect(current).toMatchObject({ unknownPriceRequests: 25, unpricedTokens: (25 * 26) / 2 });
});

test('sums that no number of JSON can hold are the largest one; the answer is no error', async () => {
  await using lab = await startLab();
  const at = lab.clock.now();
  const most = Number.MAX_SAFE_INTEGER;
  const huge = { input: most, output: most, total: most, cacheRead: 0, cacheWrite: 0 };
  // Four thousand of them are more than 64 bits hold.
  const requests = Array.from({ length: 4100 }, () => ({ ...usedRequest({ at, model: 'gpt-7' }), usage: huge }));
  appendRequests(lab, requests);
  expect((await usage(lab)).current).toMatchObject({
    ...{ requests: 4100, inputTokens: most, totalTokens: most, unpricedTokens: most, pricedTokens: 0 },
    unpricedModels: [{ requests: 4100, totalTokens: most, lastUsedAt: at }],
  });
});

test('nobody without ai.run sees what was used', async () => {
  await using lab = await startLab();
  const reader = await lab.as.identity(['network.read']);
  const runner = await lab.as.identity(['ai.run']);
  expect((await runner.client.ai.monthlyUsage({ query: {} })).current.requests).toBe(0);
  for (const path of ['/api/ai/usage/monthly', '/api/ai/pricing/diagnostics']) {
    const asked = (headers: Record<string, string>) => lab.as.raw({ method: 'GET', path, headers });
    expect((await asked({ 'x-admin-token': reader.token })).status).toBe(403);
    expect((await asked({ 'x-admin-token': 'nobody' })).status).toBe(401);
  }
});
