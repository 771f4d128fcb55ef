// What would be sent is shown, byte for byte, and only that is sent for it.
import { expect, test } from 'vitest';
import { aiProviderNames } from '#contract/ai-records.ts';
import { limits } from '#contract/limits.ts';
import type { Context } from '#hub/analyse/insights/context-shape.ts';
import { hourMs } from '#kernel/time/time.ts';
import { type AiLab, makeContact, postJson, startAiLab } from '../support/ai-lab.ts';
import { listAsThreat } from '../support/detection-lab.ts';
import { verifies } from '../support/verifies.ts';

/** What is seen at an instant lies in no period that ends with it. */
const contact = async (lab: AiLab<'home'>, dst: string) => {
  await makeContact(lab, '192.168.100.23', dst);
  await lab.advance(1);
};

async function startWatching(provider: (typeof aiProviderNames)[number]) {
  const lab = await startAiLab({ provider, routers: { home: 'vendor_a' } });
  await contact(lab, '203.0.113.80');
  return lab;
}

const analyze = (lab: AiLab<'home'>, body: object) => postJson(lab, '/api/ai/analyze', body);

for (const provider of aiProviderNames) {
  verifies(
    'rest.ai-preview.exact rest.ai-preview.sends-nothing',
    `${provider}: the provider receives the bytes that were shown, also when more was seen since`,
    async () => {
      await using lab = await startWatching(provider);
      const from = lab.clock.now() - hourMs;
      const before = lab.asked();
      const shown = await lab.as.admin.ai.preview({ body: { from, language: 'ja' } });
      expect(lab.asked()).toEqual(before);
      expect(shown).toMatchObject({
        ...{ provider, external: provider !== 'local', consented: true, method: 'POST' },
        maxOutputTokens: limits.aiOutputTokens,
      });
      expect(shown.bytes).toBe(Buffer.byteLength(shown.body));
      expect(shown.body).toContain(JSON.stringify(shown.facts).slice(1, -1));
      expect(JSON.parse(shown.facts)).toMatchObject({ schemaVersion: 3, topDestinations: [{ ip: '203.0.113.80' }] });
      expect(shown.estimatedInputTokens).toBeGreaterThan(100);
      await contact(lab, '203.0.113.81');
      const { previewId } = shown;
      expect(await analyze(lab, { from, previewId, cloudConsentConfirmed: true })).toMatchObject({ status: 200 });
      const sent = lab.ai.requests().at(-1);
      expect(sent?.body).toBe(shown.body);
      expect(new URL(shown.url).pathname.endsWith(sent?.path ?? '?')).toBe(true);
      const again = await lab.as.admin.ai.preview({ body: { from } });
      expect(again.facts).toContain('203.0.113.81');
    },
  );
}

verifies(
  'rest.ai-preview.bound',
  'what was shown is sent for nothing else: another period, source, provider or model, or 15 minutes later',
  async () => {
    await using lab = await startWatching('local');
    const now = lab.clock.now();
    const from = now - hourMs;
    const preview = async (more = {}) =>
      (await lab.as.admin.ai.preview({ body: { from, to: now, ...more } })).previewId;
    const previewId = await preview();
    const scope = { sourceKind: 'router', sourceId: lab.routers.home.id };
    const before = lab.asked();
    const others = [
      { from: from + 1, to: now },
      { from, to: now + 1 },
      { from, to: now, ...scope },
      { from, to: now, language: 'en' },
    ];
    const expired = {
      status: 409,
      body: { code: 'ai_preview_expired', error: expect.stringMatching(/look at it again/) },
    };
    for (const body of others) {
      expect([body, await analyze(lab, { ...body, previewId })]).toMatchObject([body, expired]);
    }
    expect(await analyze(lab, { from, previewId: '00000000-0000-4000-8000-000000000000' })).toMatchObject(expired);
    // A message that was shown is no analysis.
    const message = await preview({ message: 'What is 203.0.113.80?' });
    expect(await analyze(lab, { from, to: now, previewId: message })).toMatchObject(expired);
    await lab.choose('local', { models: { local: 'another:1b' } });
    expect(await analyze(lab, { from, to: now, previewId })).toMatchObject(expired);
    await lab.choose('cloud_a');
    expect(await analyze(lab, { from, to: now, previewId, cloudConsentConfirmed: true })).toMatchObject(expired);
    expect(lab.asked()).toEqual(before);
    await lab.choose('local');
    expect(await analyze(lab, { from, to: now, previewId })).toMatchObject({ status: 200 });
    await lab.advance(limits.aiPreviewMs);
    expect(await analyze(lab, { from, to: now, previewId })).toMatchObject(expired);
  },
);

test('the facts of a source are of what it saw in the period; those of the network are of all sources', async () => {
  await using lab = await startAiLab({ provider: 'local', routers: { home: 'vendor_a', other: 'vendor_a' } });
  const [near, far] = ['203.0.113.80', '203.0.113.81'];
  for (const [name, src, dst] of [
    ['home', '192.168.100.23', near],
    ['other', '192.168.7.24', far],
  ] as const) {
    lab.routers[name].flow({ src, dst, dport: 443, proto: 'tcp', lastsMs: 90_000, ends: 'silent' });
  }
  await lab.poll();
  await lab.advance(1);
  await listAsThreat(lab.dataDir, near);
  await listAsThreat(lab.dataDir, far, { level: 'warn' });
  const shown = async (about: object) => {
    const { facts } = await lab.as.admin.ai.preview({ body: { from: lab.clock.now() - hourMs, ...about } });
    const { deviceInventory, threats } = JSON.parse(facts) as Context;
    const [active, idle] = [true, false].map((isActive) =>
      deviceInventory.devices.flatMap(({ ip, connections }) => (connections > 0 === isActive ? (ip ?? []) : [])),
    );
    return {
      devices: active?.sort(),
      isIdleShown: idle?.includes('192.168.100.23'),
      threats: threats.map(({ ip, level, devices }) => [ip, level, devices.map((device) => device.ip)]),
    };
  };
  const both = [
    [near, 'danger', ['192.168.100.23']],
    [far, 'warn', ['192.168.7.24']],
  ];
  expect(await shown({})).toEqual({ devices: ['192.168.100.23', '192.168.7.24'], isIdleShown: false, threats: both });
  const scope = { sourceKind: 'router' as const, sourceId: lab.routers.other.id };
  expect(await shown(scope)).toEqual({ devices: ['192.168.7.24'], isIdleShown: false, threats: both.slice(1) });
  expect(await shown({ to: lab.clock.now() - hourMs / 2 })).toEqual({ devices: [], isIdleShown: true, threats: [] });
});

test('the latest 8 previews can be sent; consent is asked of what was shown, too', async () => {
  await using lab = await startWatching('cloud_a');
  const from = lab.clock.now() - hourMs;
  const ids: string[] = [];
  for (let count = 0; count <= limits.aiPreviews; count += 1) {
    const { previewId } = await lab.as.admin.ai.preview({ body: { from } });
    ids.push(previewId);
  }
  const [oldest, second] = ids;
  const confirmed = { from, cloudConsentConfirmed: true };
  expect(await analyze(lab, { ...confirmed, previewId: oldest })).toMatchObject({ status: 409 });
  expect(await analyze(lab, { from, previewId: second })).toMatchObject({ status: 403 });
  expect(await analyze(lab, { ...confirmed, previewId: second })).toMatchObject({ status: 200 });
});

test('the cost at most is that of the price catalog; without a price it is null, never 0', async () => {
  await using lab = await startWatching('cloud_a');
  const from = lab.clock.now() - hourMs;
  const priced = await lab.as.admin.ai.preview({ body: { from } });
  const { inputUsdPerMillion = 0, outputUsdPerMillion = 0 } = priced.pricing ?? {};
  const cost = (priced.estimatedInputTokens * inputUsdPerMillion + limits.aiOutputTokens * outputUsdPerMillion) / 1e6;
  expect(cost).toBeGreaterThan(0);
  expect(priced.estimatedCostUsd).toBeCloseTo(cost, 12);
  await lab.choose('cloud_a', { models: { cloud_a: 'unheard-of-1' } });
  expect(await lab.as.admin.ai.preview({ body: { from } })).toMatchObject({ pricing: null, estimatedCostUsd: null });
});

test('of a message, what it would send with its analysis; an unknown conversation is refused', async () => {
  await using lab = await startWatching('local');
  const from = lab.clock.now() - hourMs;
  const body = { from, message: ' What is 203.0.113.80? ', priorAnalysis: 'There was one connection.' };
  const shown = await lab.as.admin.ai.preview({ body });
  const { messages } = JSON.parse(shown.body) as { messages: { role: string; content: string }[] };
  expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
  expect(messages.slice(-2).map(({ content }) => content)).toEqual([
    'There was one connection.',
    'What is 203.0.113.80?',
  ]);
  const unknown = { ...body, conversationId: '00000000-0000-4000-8000-000000000000' };
  expect(await postJson(lab, '/api/ai/preview', unknown)).toMatchObject({ status: 404 });
});

test('what is chosen decides: without a provider, model or key there is nothing to show', async () => {
  await using lab = await startAiLab({ routers: { home: 'vendor_a' } });
  const ask = () => postJson(lab, '/api/ai/preview', { from: lab.clock.now() - hourMs });
  expect(await ask()).toMatchObject({ status: 400, body: { code: 'ai_disabled' } });
  await lab.choose('local', { models: { local: '' } });
  expect(await ask()).toMatchObject({ status: 400, body: { code: 'ai_model_missing' } });
  await lab.choose('cloud_b', { keys: {}, clearKeys: ['cloud_b'] });
  expect(await ask()).toMatchObject({ status: 400, body: { code: 'ai_key_missing' } });
});
