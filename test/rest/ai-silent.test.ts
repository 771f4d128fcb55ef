// A hub that asks no provider: by its settings, in offline mode, without consent; and one whose client leaves.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { openApi } from '../../scripts/reference/openapi.ts';
import { raw } from '../support/actors.ts';
import { type AiLab, startAiLab } from '../support/ai-lab.ts';
import { refusal } from '../support/refusal.ts';
import { verifies } from '../support/verifies.ts';

interface Operation {
  requestBody?: { content: Record<string, { example?: unknown }> };
  parameters?: { name: string; in: string; example?: unknown }[];
}

/** Every AI route but the settings, with the body and the parameters of its example. */
function aiCalls() {
  const { paths } = openApi('1.2.3') as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths)
    .filter(([route]) => route.startsWith('/api/ai/'))
    .flatMap(([route, methods]) =>
      Object.entries(methods).map(([method, { requestBody, parameters = [] }]) => {
        const query = parameters.flatMap(({ name, in: where, example }) =>
          where === 'query' && example !== undefined ? [`${name}=${encodeURIComponent(String(example))}`] : [],
        );
        const given = parameters.find((parameter) => parameter.in === 'path')?.example;
        const filled = route.replace(/\{[^}]+\}/, String(given));
        const body = requestBody?.content['application/json']?.example;
        return { method: method.toUpperCase(), path: `${filled}?${query.join('&')}`, body };
      }),
    );
}

async function callAll(lab: AiLab): Promise<string[]> {
  const answers: string[] = [];
  for (const { method, path: address, body } of aiCalls()) {
    const confirmed = typeof body === 'object' ? JSON.stringify(body) : undefined;
    const headers = confirmed === undefined ? {} : { 'content-type': 'application/json' };
    const call = { method: method as 'POST', path: address, headers };
    const { status } = await lab.as.raw(confirmed === undefined ? call : { ...call, body: confirmed });
    answers.push(`${method} ${address.split('?')[0]} ${status}`);
  }
  return answers;
}

verifies(
  'rest.ai.all-protected',
  'every AI route asks for a credential, and for a permission that reading the network does not give',
  async () => {
    await using lab = await startAiLab();
    const { token } = await lab.as.identity(['network.read']);
    const config = ['GET', 'POST'].map((method) => ({
      method,
      path: '/api/config/ai',
      body: method === 'POST' ? {} : undefined,
    }));
    const statuses = new Map<string, number[]>();
    for (const { method, path: address, body } of [...aiCalls(), ...config]) {
      const answers: number[] = [];
      for (const credential of ['', token]) {
        const headers = {
          'x-admin-token': credential,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        };
        const call = { method: method as 'POST', path: address, headers };
        answers.push((await lab.as.raw(body === undefined ? call : { ...call, body: JSON.stringify(body) })).status);
      }
      statuses.set(`${method} ${address.split('?')[0]}`, answers);
    }
    expect(statuses.get('GET /api/ai/facts')).toEqual([401, 200]);
    statuses.delete('GET /api/ai/facts');
    expect(statuses.size).toBeGreaterThan(8);
    expect([...statuses].filter(([, answers]) => `${answers}` !== '401,403')).toEqual([]);
    expect(lab.asked()).toEqual([]);
  },
);

verifies('rest.ai-provider.silent', 'with the provider disabled no route sends anything', async () => {
  await using lab = await startAiLab();
  const answers = await callAll(lab);
  expect(answers).toEqual(
    expect.arrayContaining(['POST /api/ai/models 400', 'POST /api/ai/guardrails 400', 'POST /api/ai/test 400']),
  );
  expect(lab.asked()).toEqual([]);
  expect((await refusal(lab.as.admin.ai.test({ body: {} }))).message).toBe(
    'no AI provider is chosen: choose one in the settings, under AI providers',
  );
});

verifies(
  'rest.ai-provider.silent rest.ai.cloud-external',
  'in offline mode nothing is sent, also when a provider was chosen before',
  async () => {
    await using lab = await startAiLab({ hub: { offline: true } });
    const file = path.join(lab.dataDir, 'monitor.json');
    for (const chosen of [
      { provider: 'cloud_c', region: 'us-east-1', models: { cloud_c: 'us.anthropic.claude-sonnet-5' } },
      { provider: 'local', localEndpoint: 'http://ai.example.org', models: { local: 'qwen3:8b' } },
    ]) {
      await lab.stop();
      const stored = JSON.parse(readFileSync(file, 'utf8'));
      const consents = { cloud_a: true, cloud_b: true, cloud_c: true };
      writeFileSync(file, JSON.stringify({ ...stored, ai: { ...chosen, consents } }), { mode: 0o600 });
      await lab.restart();
      const answers = await callAll(lab);
      expect(answers).toEqual(
        expect.arrayContaining(['POST /api/ai/models 400', 'POST /api/ai/guardrails 400', 'POST /api/ai/test 400']),
      );
      expect((await refusal(lab.as.admin.ai.test({ body: {} }))).code).toBe('ai_offline');
      // What else is set can be changed there.
      await lab.as.admin.ai.saveConfig({ body: { clearKeys: ['cloud_a'] } });
    }
    expect((await lab.as.admin.status.status({})).features['ai-local']).toEqual({
      enabled: false,
      reason: 'offline_mode_requires_internal_endpoint',
    });
    expect(lab.asked()).toEqual([]);
  },
);

verifies(
  'rest.ai-config.consent',
  'a key, a region and the consent are asked for before anything is sent',
  async () => {
    await using lab = await startAiLab();
    const { ai, status } = lab.as.admin;
    const refused = async () => (await refusal(ai.test({ body: {} }))).code;
    const feature = async (name: 'ai-cloud_a' | 'ai-cloud_c') => (await status.status({})).features[name];
    await lab.choose('cloud_a', { keys: {} });
    expect([await refused(), await feature('ai-cloud_a')]).toEqual([
      'ai_key_missing',
      { enabled: false, reason: 'not_configured' },
    ]);
    await lab.choose('cloud_c', { region: '' });
    expect(await refused()).toBe('ai_region_missing');
    const file = path.join(lab.dataDir, 'monitor.json');
    await lab.stop();
    const stored = JSON.parse(readFileSync(file, 'utf8'));
    stored.ai = { ...stored.ai, region: 'us-east-1', consents: {} };
    writeFileSync(file, JSON.stringify(stored), { mode: 0o600 });
    await lab.restart();
    const without = await refusal(lab.as.admin.ai.test({ body: {} }));
    expect([without.status, without.code]).toEqual([403, 'ai_consent_required']);
    expect(lab.asked()).toEqual([]);
    await lab.choose('cloud_c');
    expect((await lab.as.admin.status.status({})).features).toMatchObject({
      'ai-cloud_c': { enabled: true, reason: null },
      'ai-local': { enabled: false, reason: 'switched_off' },
    });
  },
);

verifies(
  'rest.ai-provider.one-place rest.ai-test.cloud-c',
  'two tests at once: the second is refused; a client that leaves frees the place',
  async () => {
    await using lab = await startAiLab({ provider: 'cloud_c' });
    const { ai } = lab.as.admin;
    lab.ai.fail('hold', { times: 1, command: '/cloud_c_runtime' });
    const leaving = new AbortController();
    const left = fetch(new URL('/api/ai/test', lab.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-admin-token': lab.adminToken },
      body: '{}',
      signal: leaving.signal,
    });
    const gone = left.catch((error: unknown) => String(error));
    await lab.ai.held();
    const second = await raw(lab.url, {
      method: 'POST',
      path: '/api/ai/test',
      headers: { 'content-type': 'application/json', 'x-admin-token': lab.adminToken },
      body: '{}',
    });
    expect(second).toMatchObject({ status: 409, body: { code: 'ai_busy' } });
    leaving.abort();
    expect(await gone).toMatch(/abort/i);
    await expect.poll(() => ai.test({ body: {} }).catch(() => null)).toMatchObject({ verified: true });
  },
);

verifies('rest.ai-provider.one-place', 'a hub that stops waits for an answer no longer than for others', async () => {
  await using lab = await startAiLab({ provider: 'cloud_c' });
  lab.ai.fail('hold', { times: 1, command: '/cloud_c_runtime' });
  const asked = lab.as.admin.ai.test({ body: {} }).catch((error: unknown) => String(error));
  await lab.ai.held();
  await lab.throughSilence(lab.stop());
  expect(await asked).toMatch(/./);
});
