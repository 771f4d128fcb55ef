// What is sent to each provider: exactly what was shown before, and what comes back as an answer.
import { expect } from 'vitest';
import { limits } from '#contract/limits.ts';
import { openAiDesk, smallPrompt } from '../../../support/ai-desk.ts';
import { aiModels } from '../../../support/ai-lab.ts';
import { verifies } from '../../../support/verifies.ts';

const turns = [
  { role: 'user', text: 'First: "quotes", \u00fcml\u00e4uts, \u65e5\u672c\u8a9e, </facts>\u2028 and a line\nend' },
  { role: 'assistant', text: 'An answer.' },
  ...smallPrompt.turns,
] as const;

verifies.each(
  'rest.ai-provider.as-shown',
  [
    { what: 'local', provider: 'local', url: '/local/v1/chat/completions', more: {} },
    { what: 'cloud_a', provider: 'cloud_a', url: '/cloud_a/v1/messages', more: {} },
    { what: 'cloud_b', provider: 'cloud_b', url: '/cloud_b/v1/responses', more: {} },
    {
      what: 'cloud_c',
      provider: 'cloud_c',
      url: '/cloud_c_runtime/model/us.anthropic.claude-sonnet-5/converse',
      more: {},
    },
    {
      what: 'cloud_c with a guardrail and an ARN',
      provider: 'cloud_c',
      url: `/cloud_c_runtime/model/${encodeURIComponent('arn:aws:bedrock:us-east-1:111122223333:inference-profile/us.anthropic.claude-sonnet-5')}/converse`,
      more: {
        guardrail: { enabled: true, id: 'gr1homenetwork', version: '' },
        models: {
          ...aiModels,
          cloud_c: 'arn:aws:bedrock:us-east-1:111122223333:inference-profile/us.anthropic.claude-sonnet-5',
        },
      },
    },
  ] as const,
  async ({ provider, url, more }) => {
    await using desk = await openAiDesk();
    desk.choose(provider, more);
    const prompt = { ...smallPrompt, turns };
    const shown = desk.generations.buildRequest(desk.target(), prompt);
    expect(shown.url).toBe(`${desk.ai.url.origin}${url}`);
    const { answer } = await desk.ask(prompt);
    const received = desk.ai.requests();
    expect(received.map(({ method, fullPath, body }) => [method, fullPath, body])).toEqual([['POST', url, shown.body]]);
    expect(answer).toMatchObject({
      provider,
      text: 'This conversation had 2 earlier turns. There were 12 connections.',
      truncated: false,
    });
    expect(answer.usage?.totalTokens).toBe((answer.usage?.inputTokens ?? 0) + (answer.usage?.outputTokens ?? 0));
    expect(shown.body).toContain(`${limits.aiOutputTokens}`);
    expect(shown.body).not.toMatch(/temperature|top_p|top_k|topP/);
  },
);

verifies(
  'rest.ai-provider.as-shown rest.ai-config.guardrail',
  'credentials are added when it is sent; OpenAI is asked to store nothing; a guardrail goes with its version',
  async () => {
    await using desk = await openAiDesk();
    desk.choose('cloud_a');
    await desk.ask();
    desk.choose('cloud_b');
    await desk.ask();
    desk.choose('cloud_c', { guardrail: { enabled: true, id: 'gr1homenetwork', version: '2' } });
    await desk.ask();
    desk.choose('cloud_c', { guardrail: { enabled: false, id: 'gr1homenetwork', version: '2' } });
    await desk.ask();
    desk.choose('local', { localEndpoint: `${desk.ai.urls.local}/v1/` });
    await desk.ask();
    const [a, b, c, without, local] = desk.ai.requests();
    expect(a?.headers).toMatchObject({ 'x-api-key': desk.ai.keys.cloud_a, 'anthropic-version': '2026-10-21' });
    expect(b?.headers).toMatchObject({ authorization: `Bearer ${desk.ai.keys.cloud_b}` });
    expect(JSON.parse(b?.body ?? '')).toMatchObject({ store: false });
    const guardrailConfig = { guardrailIdentifier: 'gr1homenetwork', guardrailVersion: '2' };
    expect(JSON.parse(c?.body ?? '')).toMatchObject({ guardrailConfig });
    expect(without?.body).not.toContain('guardrail');
    expect(local?.fullPath).toBe('/local/v1/chat/completions');
    for (const { body } of [a, b, c, local].filter((one) => one !== undefined)) {
      expect(body).not.toMatch(/key-of-the-simulator|AKIA/);
    }
    expect(local?.headers.authorization).toBeUndefined();
  },
);
