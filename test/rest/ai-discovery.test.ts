// What providers offer, as the API lists it: names of text models, profiles and guardrails, and how much of a list is read.
import { expect } from 'vitest';
import { aiProviderNames } from '#contract/ai-records.ts';
import { limits } from '#contract/limits.ts';
import { startAiLab } from '../support/ai-lab.ts';
import { refusal } from '../support/refusal.ts';
import { type CitingRow, verifies } from '../support/verifies.ts';

const region = 'us-east-1';

verifies(
  'rest.ai-models.region rest.ai-models.pricing rest.ai-models.omitted',
  'models of a region: those that answer with text, can be asked by their name and are no legacy, with their prices',
  async () => {
    await using lab = await startAiLab({ provider: 'local' });
    const { ai } = lab.as.admin;
    const { models, modelPricing, ...rest } = await ai.models({ body: { region } });
    expect(rest).toEqual({ success: true, provider: 'cloud_c' });
    expect(models).toEqual([
      'amazon.nova-pro-v1:0',
      'eu.anthropic.claude-sonnet-5',
      'global.anthropic.claude-sonnet-5',
      'meta.llama3-3-70b-instruct-v1:0',
      'us.anthropic.claude-opus-5-5',
      'us.anthropic.claude-sonnet-5',
      'us.meta.llama3-3-70b-instruct-v1:0',
    ]);
    expect(modelPricing.models.map(({ model }) => model)).toEqual(models);
    expect(modelPricing.priced + modelPricing.unpriced).toBe(models.length);
    expect(modelPricing.models.filter(({ priced }) => priced)).toHaveLength(modelPricing.priced);
    expect(new Set(lab.asked())).toEqual(
      new Set(['GET /cloud_c_control/foundation-models', 'GET /cloud_c_control/inference-profiles']),
    );
    for (const body of [{}, { region: '' }, { region: 'nowhere' }, { region, more: 1 }]) {
      expect((await refusal(ai.models({ body: body as never }))).status).toBe(400);
    }
    // Nothing was saved by looking.
    expect(await ai.config({})).toMatchObject({ provider: 'local', region: '' });
  },
);

verifies(
  'rest.ai-models.omitted',
  'profiles and names of models for pictures, sound, films and vectors are left out, also when only profiles are listed',
  async () => {
    const profile = (inferenceProfileId: string, model: string) => ({
      inferenceProfileId,
      inferenceProfileName: inferenceProfileId,
      models: [model],
      type: 'SYSTEM_DEFINED' as const,
    });
    const names = ['twelvelabs.marengo-embed-3', 'stability.stable-image-ultra', 'amazon.nova-canvas-v1:0'];
    await using lab = await startAiLab({
      provider: 'local',
      ai: {
        settings: {
          profiles: [
            ...names.map((name) => profile(`us.${name}`, name)),
            profile('us.anthropic.claude-sonnet-5', 'anthropic.claude-sonnet-5'),
            profile('us.amazon.no-text-v1:0', 'amazon.no-text-v1:0'),
          ],
          models: { local: ['b:1', 'a:1', 'a:1', 'mxbai-embed-large', 'bad\u0000name', ' padded '] },
        },
      },
    });
    const { ai } = lab.as.admin;
    const found = (await ai.models({ body: { region } })).models;
    expect(found.filter((name) => name.startsWith('us.'))).toEqual(['us.anthropic.claude-sonnet-5']);
    lab.ai.fail('server-error', { command: '/cloud_c_control/foundation-models' });
    expect((await ai.models({ body: { region } })).models).toEqual([
      'us.amazon.no-text-v1:0',
      'us.anthropic.claude-sonnet-5',
    ]);
    await lab.choose('local');
    expect((await ai.test({ body: {} })).models).toEqual(['a:1', 'b:1']);
  },
);

verifies(
  'rest.ai-models.manual rest.ai-models.region',
  'a listing that is forbidden, late or broken is empty, and a name can be entered by hand',
  async () => {
    await using lab = await startAiLab({ provider: 'local' });
    const { ai } = lab.as.admin;
    for (const fault of ['forbidden-list', 'unauthorized', 'rate-limited', 'html', 'not-json', 'redirect'] as const) {
      lab.ai.fail(fault);
      expect([fault, (await ai.models({ body: { region } })).models]).toEqual([fault, []]);
      lab.ai.clearFaults();
    }
    lab.ai.fail('no-answer');
    const late = ai.models({ body: { region } });
    await expect
      .poll(() => lab.asked().slice(-2))
      .toEqual(expect.arrayContaining(['GET /cloud_c_control/foundation-models']));
    expect((await lab.throughSilence(late)).models).toEqual([]);
    const manual = await ai.saveConfig({ body: { models: { cloud_c: 'eu.maker.model-of-tomorrow-v1:0' } } });
    expect(manual.models.cloud_c).toBe('eu.maker.model-of-tomorrow-v1:0');
  },
);

verifies('rest.ai-models.200', 'of thousands of models 200 are listed, over all pages', async () => {
  await using lab = await startAiLab({ provider: 'local', ai: { settings: { madeUpModels: 1500, pageLimit: 90 } } });
  const { ai } = lab.as.admin;
  const { models, modelPricing } = await ai.models({ body: { region } });
  expect(models).toHaveLength(limits.aiModels);
  expect(modelPricing.models).toHaveLength(limits.aiModels);
  for (const provider of aiProviderNames) {
    await lab.choose(provider);
    expect((await ai.test({ body: {} })).models).toHaveLength(limits.aiModels);
  }
  const pages = lab.ai.requests().filter(({ fullPath }) => fullPath === '/cloud_a/v1/models');
  expect(pages.map(({ query }) => query.replace(/after_id=.+/, 'after_id=…'))).toEqual([
    'limit=200',
    'limit=200&after_id=…',
    'limit=200&after_id=…',
  ]);
});

verifies.each<CitingRow & { provider: 'local' | 'cloud_a' | 'cloud_b' }>(
  [
    { ids: 'rest.ai-test.limits', what: 'local: a listing has 10 s and 1 MB', provider: 'local' },
    { ids: 'rest.ai-test.limits', what: 'cloud_a: a listing has 10 s and 1 MB', provider: 'cloud_a' },
    { ids: 'rest.ai-test.limits', what: 'cloud_b: a listing has 10 s and 1 MB', provider: 'cloud_b' },
  ],
  async ({ provider }) => {
    await using lab = await startAiLab({ provider });
    const { ai } = lab.as.admin;
    lab.ai.fail('huge', { value: 1_048_576, times: 1 });
    const large = await refusal(ai.test({ body: {} }));
    expect([large.code, large.message]).toEqual(['ai_failed', expect.stringMatching(/more than 1 MB/)]);
    lab.ai.fail('huge', { value: 900_000, times: 1 });
    expect((await ai.test({ body: {} })).models.length).toBeGreaterThan(1);
    lab.ai.fail('no-answer', { times: 1 });
    const asked = lab.asked().length;
    const late = refusal(ai.test({ body: {} }));
    await expect.poll(() => lab.asked().length).toBe(asked + 1);
    await lab.clock.advance(limits.aiTestMs - 1);
    expect(await Promise.race([late, 'still waiting'])).toBe('still waiting');
    await lab.clock.advance(1);
    expect(await late).toMatchObject({ status: 504, code: 'ai_timeout', message: expect.stringMatching(/10 s/) });
  },
);

verifies(
  'rest.ai-guardrails.list rest.ai-guardrails.fail-open',
  'guardrails of a region have id, ARN, name and versions, DRAFT first; without the permission the list is empty',
  async () => {
    await using lab = await startAiLab({ provider: 'local' });
    const { ai } = lab.as.admin;
    const list = () => ai.guardrails({ body: { region } });
    expect(await list()).toEqual({
      success: true,
      provider: 'cloud_c',
      guardrails: [
        {
          id: 'gr1homenetwork',
          arn: 'arn:aws:bedrock:us-east-1:111122223333:guardrail/gr1homenetwork',
          name: 'home-network',
          versions: ['DRAFT', '1', '2'],
        },
        {
          id: 'gr2draftonly',
          arn: 'arn:aws:bedrock:us-east-1:111122223333:guardrail/gr2draftonly',
          name: 'draft-only',
          versions: ['DRAFT'],
        },
      ],
    });
    expect(new Set(lab.asked())).toEqual(new Set(['GET /cloud_c_control/guardrails']));
    for (const fault of ['forbidden-list', 'server-error', 'truncated'] as const) {
      lab.ai.fail(fault);
      expect([fault, (await list()).guardrails]).toEqual([fault, []]);
      lab.ai.clearFaults();
    }
    const many = Array.from({ length: 130 }, (_, index) => ({
      id: `gr${index}x`,
      name: `G${index}`,
      versions: ['10', '9'],
    }));
    lab.ai.patch({ guardrails: many, pageLimit: 40 });
    const { guardrails } = await list();
    expect(guardrails).toHaveLength(limits.aiGuardrails);
    expect(guardrails.at(-1)).toMatchObject({ id: 'gr99x', versions: ['DRAFT', '9', '10'] });
    expect((await refusal(ai.guardrails({ body: {} as never }))).status).toBe(400);
  },
);

verifies(
  'rest.ai-config.guardrail-permission rest.ai-config.guardrail-no-residency',
  'without the permission to apply the guardrail the test names it; nothing says that a guardrail keeps data in a country',
  async () => {
    await using lab = await startAiLab({ provider: 'cloud_c' });
    const { ai } = lab.as.admin;
    await ai.saveConfig({ body: { guardrail: { enabled: true, id: 'gr1homenetwork', version: '1' } } });
    lab.ai.fail('forbidden-guardrail', { times: 1 });
    const refused = await refusal(ai.test({ body: {} }));
    expect([refused.code, refused.message]).toEqual([
      'ai_key_rejected',
      expect.stringMatching(
        /AccessDeniedException.*allow bedrock:InvokeModel, with a guardrail bedrock:ApplyGuardrail too/,
      ),
    ]);
    expect(await ai.test({ body: {} })).toMatchObject({ verified: true });
    const document = JSON.stringify(await lab.as.admin.status.openapi({}));
    const sentences = document.match(/[^."]*[gG]uardrail[^."]*\bcountry\b[^."]*/g) ?? [];
    expect(sentences.length).toBeGreaterThan(0);
    expect(sentences.filter((sentence) => !/does not/.test(sentence))).toEqual([]);
  },
);
