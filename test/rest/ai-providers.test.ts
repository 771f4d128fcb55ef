// The four providers through the API: what is asked for their models, and what their test does.
import { expect } from 'vitest';
import { limits } from '#contract/limits.ts';
import { aiModels, awsCredentials, startAiLab } from '../support/ai-lab.ts';
import { refusal } from '../support/refusal.ts';
import { type CitingRow, verifies } from '../support/verifies.ts';

interface ListingRow extends CitingRow {
  provider: 'local' | 'cloud_a' | 'cloud_b';
  models: string[];
  asked: string[];
}

verifies.each<ListingRow>(
  [
    {
      ids: 'rest.ai-test.fetch-models rest.ai-test.empty-body',
      what: 'local: the test lists the text models of the server',
      provider: 'local',
      models: ['llama3.2:3b', 'qwen3:8b'],
      asked: ['GET /local/v1/models'],
    },
    {
      ids: 'rest.ai-test.fetch-models',
      what: 'cloud_a: the test lists the models of Anthropic',
      provider: 'cloud_a',
      models: ['claude-haiku-5-5', 'claude-opus-4-7', 'claude-opus-5-5', 'claude-sonnet-5', 'claude-sonnet-5-5'],
      asked: ['GET /cloud_a/v1/models'],
    },
    {
      ids: 'rest.ai-test.fetch-models',
      what: 'cloud_b: the test lists the models of OpenAI that answer with text',
      provider: 'cloud_b',
      models: ['gpt-5.4-mini', 'gpt-6-astra', 'gpt-6-luna', 'gpt-6-sol'],
      asked: ['GET /cloud_b/v1/models'],
    },
  ],
  async ({ provider, models, asked }) => {
    await using lab = await startAiLab({ provider });
    const { ai } = lab.as.admin;
    const answer = await ai.test({ body: {} });
    expect(answer).toMatchObject({ success: true, provider, models });
    expect(answer.modelPricing.models.map(({ model }) => model)).toEqual(models);
    expect('verified' in answer).toBe(false);
    expect(lab.asked()).toEqual(asked);
    expect((await refusal(ai.test({ body: { more: 1 } as never }))).code).toBe('invalid_body');
    const [request] = lab.ai.requests();
    const key = { local: undefined, cloud_a: lab.ai.keys.cloud_a, cloud_b: `Bearer ${lab.ai.keys.cloud_b}` }[provider];
    expect(request?.headers['x-api-key'] ?? request?.headers.authorization).toBe(key);
  },
);

verifies(
  'rest.ai-test.cloud-c rest.ai-test.no-data rest.ai.cloud-c-region',
  'cloud_c: the test lists what can be asked, and sends a short fixed sentence to the chosen model',
  async () => {
    await using lab = await startAiLab({ provider: 'cloud_c' });
    const { ai } = lab.as.admin;
    const answer = await ai.test({ body: {} });
    expect(answer).toMatchObject({ provider: 'cloud_c', verified: true, model: aiModels.cloud_c });
    expect(answer.usage?.totalTokens).toBeGreaterThan(0);
    expect(answer.estimatedCostUsd).toBeGreaterThan(0);
    expect(answer.models).toEqual([
      'amazon.nova-pro-v1:0',
      'eu.anthropic.claude-sonnet-5',
      'global.anthropic.claude-sonnet-5',
      'meta.llama3-3-70b-instruct-v1:0',
      'us.anthropic.claude-opus-5-5',
      'us.anthropic.claude-sonnet-5',
      'us.meta.llama3-3-70b-instruct-v1:0',
    ]);
    const said = lab.ai.requests().find(({ method }) => method === 'POST');
    expect(JSON.parse(said?.body ?? '')).toEqual({
      messages: [{ role: 'user', content: [{ text: 'Answer with the word: ready' }] }],
      system: [{ text: 'This is a test of the connection.' }],
      inferenceConfig: { maxTokens: limits.aiOutputTokens },
    });
    await ai.saveConfig({ body: { models: { cloud_c: '' } } });
    expect(await ai.test({ body: {} })).toMatchObject({ verified: false });
    // A listing that is forbidden stops nothing.
    await ai.saveConfig({ body: { models: { cloud_c: aiModels.cloud_c } } });
    lab.ai.fail('forbidden-list');
    expect(await ai.test({ body: {} })).toMatchObject({ models: [], verified: true });
  },
);

verifies(
  'rest.ai.cloud-c-no-key',
  'cloud_c takes its credentials from where AWS looks for them, also when they change, and says when there are none',
  async () => {
    await using lab = await startAiLab({ provider: 'cloud_c' });
    const { ai } = lab.as.admin;
    {
      using _ = awsCredentials({ keys: null });
      const none = await refusal(ai.test({ body: {} }));
      expect([none.status, none.code, none.message]).toEqual([
        502,
        'ai_key_rejected',
        'the hub finds no credentials for AWS: give its process some that AWS accepts (environment, profile or role)',
      ]);
    }
    {
      using _ = awsCredentials({ keys: { ...lab.ai.keys, secretAccessKey: 'another' } });
      const wrong = await refusal(ai.test({ body: {} }));
      expect([wrong.code, wrong.message]).toEqual([
        'ai_key_rejected',
        'AWS refused the credentials of the hub (InvalidSignatureException): renew them (environment, profile or role)',
      ]);
    }
    expect(await ai.test({ body: {} })).toMatchObject({ verified: true });
  },
);
