// The AI settings through the API: what they show, what they accept, and what a refused change leaves as it was.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { aiProviderNames } from '#contract/ai-records.ts';
import { aiModels, startAiLab } from '../support/ai-lab.ts';
import { startLab } from '../support/lab.ts';
import { refusal } from '../support/refusal.ts';
import { verifies } from '../support/verifies.ts';

const first = {
  provider: 'disabled',
  models: { local: '', cloud_a: '', cloud_b: '', cloud_c: '' },
  localEndpoint: 'http://127.0.0.1:11434',
  region: '',
  guardrail: { enabled: false, id: '', version: '' },
  providers: {
    local: { keySet: false },
    cloud_a: { keySet: false, consented: false },
    cloud_b: { keySet: false, consented: false },
    cloud_c: { keySet: false, consented: false },
  },
  selectedModelPricing: null,
};

verifies(
  'rest.ai-config.read-fields rest.ai.provider-default rest.ai.provider-values',
  'a new hub asks nobody; each of five values is accepted and shown with its model and its price',
  async () => {
    await using lab = await startAiLab();
    const { ai } = lab.as.admin;
    expect(await ai.config({})).toEqual(first);
    for (const provider of aiProviderNames) {
      await lab.choose(provider);
      expect(await ai.config({})).toMatchObject({
        provider,
        models: { [provider]: aiModels[provider] },
        selectedModelPricing: { provider, model: aiModels[provider] },
      });
    }
    expect((await refusal(ai.saveConfig({ body: { provider: 'cloud_d' as never } }))).code).toBe('invalid_body');
    expect(await ai.saveConfig({ body: { provider: 'disabled' } })).toMatchObject({
      success: true,
      provider: 'disabled',
      selectedModelPricing: null,
    });
    expect(lab.asked()).toEqual([]);
  },
);

verifies(
  'rest.ai-config.keys-never rest.ai-config.write-fields',
  'keys are sealed and never shown; an empty one keeps what is stored, and what is cleared is cleared',
  async () => {
    await using lab = await startAiLab();
    const { ai } = lab.as.admin;
    const keys = { cloud_a: 'sk-ant-secret-of-a', cloud_b: 'sk-secret-of-b' };
    const shownKeys = async () => {
      const { status, text } = await lab.as.raw({ method: 'GET', path: '/api/config/ai' });
      expect(status).toBe(200);
      expect(text).not.toMatch(/secret-of/);
      const { providers } = await ai.config({});
      return [providers.cloud_a.keySet, providers.cloud_b.keySet];
    };
    const answer = await ai.saveConfig({
      body: {
        keys,
        models: { local: ' qwen3:8b ', cloud_a: 'a', cloud_b: 'b' },
        localEndpoint: 'https://192.168.100.9:8443/ai/v1/',
        region: 'eu-central-1',
        guardrail: { id: 'gr1', version: '3' },
      },
    });
    expect(JSON.stringify(answer)).not.toMatch(/secret-of/);
    expect(answer).toMatchObject({
      models: { local: 'qwen3:8b', cloud_a: 'a', cloud_b: 'b', cloud_c: '' },
      localEndpoint: 'https://192.168.100.9:8443/ai/v1/',
      region: 'eu-central-1',
      guardrail: { enabled: false, id: 'gr1', version: '3' },
    });
    expect(readFileSync(path.join(lab.dataDir, 'monitor.json'), 'utf8')).not.toMatch(/secret-of/);
    expect(await shownKeys()).toEqual([true, true]);
    await lab.restart();
    await lab.as.admin.ai.saveConfig({ body: { keys: { cloud_a: '' } } });
    await lab.as.admin.ai.saveConfig({ body: { models: { local: '' } } });
    expect((await lab.as.admin.ai.config({})).models).toMatchObject({ local: '', cloud_a: 'a' });
    expect((await lab.as.admin.ai.config({})).providers).toMatchObject({
      cloud_a: { keySet: true },
      cloud_b: { keySet: true },
    });
    const cleared = { body: { keys: { cloud_a: 'sk-secret-of-new' }, clearKeys: ['cloud_a' as const] } };
    expect((await lab.as.admin.ai.saveConfig(cleared)).providers).toMatchObject({
      cloud_a: { keySet: false },
      cloud_b: { keySet: true },
    });
  },
);

verifies(
  'rest.ai-config.consent',
  'a cloud provider is chosen with consent to this one, and the consent cannot be taken from the chosen one',
  async () => {
    await using lab = await startAiLab();
    const { ai } = lab.as.admin;
    for (const provider of ['cloud_a', 'cloud_b', 'cloud_c'] as const) {
      const others = { cloud_a: true, cloud_b: true, cloud_c: true, [provider]: false };
      for (const cloudConsent of [undefined, {}, others]) {
        const refused = await refusal(ai.saveConfig({ body: { provider, region: 'eu-west-1', cloudConsent } }));
        expect([refused.status, refused.code]).toEqual([400, 'ai_consent_missing']);
        expect(refused.message).toMatch(/outside this network: agree with cloudConsent/);
        expect(await ai.config({})).toEqual(first);
      }
    }
    const chosen = await ai.saveConfig({ body: { provider: 'cloud_b', cloudConsent: true } });
    expect(chosen.providers).toMatchObject({
      cloud_a: { consented: false },
      cloud_b: { consented: true },
      cloud_c: { consented: false },
    });
    const taken = await refusal(ai.saveConfig({ body: { cloudConsent: { cloud_b: false } } }));
    expect(taken.code).toBe('ai_consent_missing');
    // The consent stays when another provider is chosen for a while.
    await ai.saveConfig({ body: { provider: 'local' } });
    await ai.saveConfig({ body: { provider: 'cloud_b' } });
    // `true` is for the provider of the request, and for none without a cloud provider.
    await ai.saveConfig({ body: { provider: 'disabled', cloudConsent: true } });
    const withdrawn = await ai.saveConfig({ body: { cloudConsent: { cloud_b: false } } });
    expect(withdrawn.providers.cloud_a.consented || withdrawn.providers.cloud_b.consented).toBe(false);
  },
);

verifies(
  'rest.ai-config.cloud-c-model rest.ai-config.arn-400',
  'names of foundation models, of profiles of six places, and ARNs of 400 characters are accepted',
  async () => {
    await using lab = await startLab();
    const { ai } = lab.as.admin;
    const save = (cloud_c: string) => ai.saveConfig({ body: { models: { cloud_c } } });
    const arn = 'arn:aws:bedrock:eu-central-1:111122223333:inference-profile/';
    const places = ['global', 'us', 'eu', 'apac', 'jp', 'au'].map((place) => `${place}.anthropic.claude-sonnet-5`);
    for (const model of ['amazon.nova-pro-v1:0', ...places, arn.padEnd(400, 'x'), '']) {
      expect((await save(model)).models.cloud_c).toBe(model);
    }
    for (const model of [arn.padEnd(401, 'x'), 'claude sonnet', 'mars.anthropic.claude sonnet', 'no-dot', 'arn:x y']) {
      expect((await refusal(save(model))).message).toMatch(/models\.cloud_c must be/);
    }
    for (const models of [{ local: 'x'.repeat(201) }, { cloud_a: 'x'.repeat(201) }, { cloud_d: 'x' }]) {
      expect((await refusal(ai.saveConfig({ body: { models: models as never } }))).code).toBe('invalid_body');
    }
  },
);

verifies(
  'rest.ai.local-endpoint',
  'the local endpoint is any http or https address of this machine or network, and none that hands out secrets',
  async () => {
    await using lab = await startLab();
    const { ai } = lab.as.admin;
    const save = (localEndpoint: string) => ai.saveConfig({ body: { localEndpoint } });
    const allowed = ['http://127.0.0.1:11434', 'http://[::1]:1234/v1', 'http://192.168.1.9', 'https://ai.lan/base'];
    for (const endpoint of allowed) {
      expect((await save(endpoint)).localEndpoint).toBe(endpoint);
    }
    const refused = [
      ...['', 'ftp://192.168.1.9', 'http://', 'http://user:secret@192.168.1.9', 'http://192.168.1.9?a=1'],
      ...['http://192.168.1.9#a', 'http://169.254.169.254', 'http://169.254.1.1', 'http://[fe80::1]'],
      ...['http://0.0.0.0', 'http://[::]', 'http://224.0.0.1', 'http://255.255.255.255', 'http://[fd00:ec2::254]'],
      ...['http://[::ffff:169.254.169.254]', 'http://2852039166', 'http://100.100.100.200', 'file:///etc/passwd'],
    ];
    for (const endpoint of refused) {
      const { status, code } = await refusal(save(endpoint));
      expect([endpoint, status, code]).toEqual([endpoint, 400, 'ai_endpoint_rejected']);
    }
    expect((await refusal(save(`http://192.168.1.9/${'x'.repeat(2048)}`))).code).toBe('invalid_body');
    expect((await ai.config({})).localEndpoint).toBe('https://ai.lan/base');
    // No other provider has an address to change.
    const foreign = await refusal(ai.saveConfig({ body: { endpoints: { cloud_a: 'http://127.0.0.1' } } as never }));
    expect(foreign.code).toBe('invalid_body');
  },
);

verifies(
  'rest.ai-config.guardrail rest.ai-config.write-fields',
  'an enabled guardrail has an id; regions, unknown members and too long texts are refused in words',
  async () => {
    await using lab = await startLab();
    const { ai } = lab.as.admin;
    const save = (body: object) => ai.saveConfig({ body: body as never });
    expect((await refusal(save({ guardrail: { enabled: true } }))).message).toMatch(/guardrail\.id is missing/);
    expect((await save({ guardrail: { enabled: true, id: 'gr1' } })).guardrail).toEqual({
      enabled: true,
      id: 'gr1',
      version: '',
    });
    for (const [body, message] of [
      [{ region: 'Frankfurt' }, /region must be a region such as/],
      [{ region: 'eu' }, /region/],
      [{ keys: { cloud_a: 'with space' } }, /keys\.cloud_a must be printable ASCII/],
      [{ keys: { cloud_a: 'x'.repeat(4097) } }, /4096/],
      [{ keys: { cloud_c: 'x' } }, /cloud_c/],
      [{ clearKeys: ['cloud_c'] }, /clearKeys/],
      [{ guardrail: { id: 'x'.repeat(2049) } }, /2048/],
      [{ cloudConsent: false }, /cloudConsent/],
      [{ more: 1 }, /more/],
    ] as const) {
      const refused = await refusal(save(body));
      expect([refused.code, refused.message]).toEqual(['invalid_body', expect.stringMatching(message)]);
    }
  },
);

verifies('rest.ai-config.write-fields', 'when the settings cannot be saved nothing of them is changed', async () => {
  await using lab = await startAiLab({ provider: 'cloud_a' });
  const { ai } = lab.as.admin;
  const before = await ai.config({});
  const file = path.join(lab.dataDir, 'monitor.json');
  rmSync(file);
  mkdirSync(path.join(file, 'in-the-way'), { recursive: true });
  const refused = await refusal(
    ai.saveConfig({ body: { provider: 'local', clearKeys: ['cloud_a'], cloudConsent: { cloud_a: false } } }),
  );
  expect([refused.status, refused.code]).toEqual([500, 'save_failed']);
  expect(await ai.config({})).toEqual(before);
});

verifies(
  'rest.ai.cloud-external',
  'in offline mode only a local server at a private address can be chosen, and nothing is asked',
  async () => {
    await using lab = await startAiLab({ hub: { offline: true } });
    const { ai } = lab.as.admin;
    const save = (body: object) => ai.saveConfig({ body: body as never });
    for (const body of [
      { provider: 'cloud_a', cloudConsent: true },
      { provider: 'cloud_b', cloudConsent: true },
      { provider: 'cloud_c', cloudConsent: true },
      { provider: 'local', localEndpoint: 'http://203.0.113.9:11434' },
      { provider: 'local', localEndpoint: 'http://ai.example.org' },
    ]) {
      const { status, code, message } = await refusal(save(body));
      expect([status, code]).toEqual([400, 'ai_offline']);
      expect(message).toMatch(/offline mode: choose local with the private IP address/);
    }
    expect(await ai.config({})).toEqual(first);
    for (const call of [
      ai.models({ body: { region: 'us-east-1' } }),
      ai.guardrails({ body: { region: 'us-east-1' } }),
    ]) {
      expect((await refusal(call)).code).toBe('ai_offline');
    }
    await lab.choose('local');
    expect((await lab.as.admin.status.status({})).features).toMatchObject({
      'ai-local': { enabled: true, reason: null },
      'ai-cloud_a': { enabled: false, reason: 'offline_mode' },
      'ai-cloud_c': { enabled: false, reason: 'offline_mode' },
    });
    expect(lab.asked()).toEqual([]);
  },
);
