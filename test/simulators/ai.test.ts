// The simulated AI providers as the official clients see them: models, answers, usage, keys and rules.
import {
  ListFoundationModelsCommand,
  ListGuardrailsCommand,
  paginateListInferenceProfiles,
} from '@aws-sdk/client-bedrock';
import { ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
import { expect } from 'vitest';
import { startAi } from '#simulators/ai/ai.ts';
import { noFacts, unreadableFacts } from '#simulators/ai/answer.ts';
import { anthropicClient, bedrockClients, localClient, openAiClient } from '../support/ai-clients.ts';
import { verifies } from '../support/verifies.ts';

const facts = {
  current: { connections: 1234, warn: 5, danger: 3 },
  previous: { connections: 987 },
  topDestinations: [{ ip: '203.0.113.80', host: 'cdn.example', connections: 400 }],
  threats: [{ ip: '198.51.100.66', level: 'danger' }],
  devices: [{ name: 'laptop-01', ip: '192.168.100.7', notes: 'secret note' }],
};
const prompt = `What happened?\n<facts>\n${JSON.stringify(facts, null, 1)}\n</facts>\nAnswer in one paragraph.`;
const answer =
  'There were 1234 connections, and 987 in the period before. Of these, 3 are dangerous and 5 suspicious. ' +
  'Most of them went to 203.0.113.80 (cdn.example). The first threat is 198.51.100.66. ' +
  'The first device is laptop-01 at 192.168.100.7.';
const promptTokens = Math.ceil(Buffer.byteLength(prompt) / 4);
const answerTokens = Math.ceil(answer.length / 4);
const user = [{ role: 'user' as const, content: prompt }];
const sonnet = { model: 'claude-sonnet-5-5', max_tokens: 1000 };
const profile = 'us.anthropic.claude-sonnet-5';

/** What a call is refused with. */
async function refusal(call: Promise<unknown>): Promise<Record<string, unknown>> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Error);
  return error as Record<string, unknown>;
}

verifies('sim.ai.official-clients', 'an OpenAI-compatible server: models, chat completion, usage', async () => {
  await using ai = await startAi();
  const client = localClient(ai);
  expect((await client.models.list()).data.map(({ id }) => id)).toContain('qwen3:8b');
  const done = await client.chat.completions.create({ model: 'qwen3:8b', messages: user, max_tokens: 500 });
  expect(done.choices).toMatchObject([{ message: { role: 'assistant', content: answer }, finish_reason: 'stop' }]);
  expect(done.usage).toEqual({
    prompt_tokens: promptTokens,
    completion_tokens: answerTokens,
    total_tokens: promptTokens + answerTokens,
  });
  const short = await client.chat.completions.create({ model: 'qwen3:8b', messages: user, max_tokens: 3 });
  expect(short.choices).toMatchObject([{ message: { content: answer.slice(0, 12) }, finish_reason: 'length' }]);
  expect(await refusal(client.chat.completions.create({ model: 'absent', messages: user }))).toMatchObject({
    status: 404,
    code: 'model_not_found',
  });
  expect(await refusal(client.chat.completions.create({ model: 'qwen3:8b', messages: [] }))).toMatchObject({
    status: 400,
  });
});

verifies('sim.ai.official-clients', 'Anthropic: models by page, messages, usage with what was cached', async () => {
  await using ai = await startAi({ settings: { cachedTokens: 10 } });
  const client = anthropicClient(ai);
  const names: string[] = [];
  for await (const model of client.models.list({ limit: 2 })) {
    expect(model).toMatchObject({ type: 'model', display_name: expect.stringMatching(/^Claude /) });
    names.push(model.id);
  }
  expect(names).toEqual([
    'claude-sonnet-5-5',
    'claude-opus-5-5',
    'claude-haiku-5-5',
    'claude-sonnet-5',
    'claude-opus-4-7',
  ]);
  expect(ai.requests().map(({ query }) => query)).toEqual([
    'limit=2',
    'limit=2&after_id=claude-opus-5-5',
    'limit=2&after_id=claude-sonnet-5',
  ]);
  const done = await client.messages.create({ ...sonnet, messages: user });
  expect(done).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'text', text: answer }] });
  expect(done.usage).toMatchObject({
    input_tokens: promptTokens - 10,
    cache_read_input_tokens: 10,
    output_tokens: answerTokens,
  });
  expect(await refusal(client.messages.create({ ...sonnet, model: 'claude-0', messages: user }))).toMatchObject({
    status: 404,
    type: 'not_found_error',
  });
});

verifies('sim.ai.official-clients', 'OpenAI: models of every kind, responses, usage', async () => {
  await using ai = await startAi();
  const client = openAiClient(ai);
  const names = (await client.models.list()).data.map(({ id }) => id);
  expect(names).toEqual(expect.arrayContaining(['gpt-6-sol', 'gpt-image-2', 'tts-1-hd', 'text-embedding-3-large']));
  const done = await client.responses.create({
    model: 'gpt-6-sol',
    input: prompt,
    store: false,
    max_output_tokens: 900,
  });
  expect(done).toMatchObject({ status: 'completed', output_text: answer, store: false });
  expect(done.usage).toMatchObject({ input_tokens: promptTokens, output_tokens: answerTokens });
  const short = await client.responses.create({ model: 'gpt-6-sol', input: prompt, max_output_tokens: 16 });
  expect(short).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
  expect(short.output_text).toBe(answer.slice(0, 64));
  expect(await refusal(client.responses.create({ model: 'gpt-0', input: prompt }))).toMatchObject({
    status: 404,
    code: 'model_not_found',
  });
  const wrong = { model: 'gpt-6-sol', input: prompt, max_tokens: 5 };
  expect(await refusal(client.responses.create(wrong))).toMatchObject({
    status: 400,
    message: "400 Unknown parameter: 'max_tokens'.",
  });
});

verifies('sim.ai.official-clients', 'Bedrock: models, profiles and guardrails by page, Converse, usage', async () => {
  await using ai = await startAi({ settings: { pageLimit: 2 } });
  using clients = bedrockClients(ai);
  const { control, runtime } = clients;
  const { modelSummaries = [] } = await control.send(new ListFoundationModelsCommand({ byOutputModality: 'TEXT' }));
  expect(modelSummaries.map(({ modelId }) => modelId)).not.toContain('amazon.titan-embed-text-v2:0');
  expect(modelSummaries.map(({ inferenceTypesSupported = [] }) => inferenceTypesSupported[0])).toEqual(
    expect.arrayContaining(['ON_DEMAND', 'PROVISIONED', 'INFERENCE_PROFILE']),
  );
  const profiles: (string | undefined)[] = [];
  for await (const page of paginateListInferenceProfiles({ client: control }, {})) {
    profiles.push(...(page.inferenceProfileSummaries ?? []).map((one) => one.inferenceProfileId));
  }
  expect(profiles).toHaveLength(5);
  expect(profiles[0]).toBe(profile);
  const { guardrails = [] } = await control.send(new ListGuardrailsCommand({}));
  expect(guardrails.map(({ name, version }) => [name, version])).toEqual([
    ['home-network', 'DRAFT'],
    ['draft-only', 'DRAFT'],
  ]);
  const first = { guardrailIdentifier: guardrails[0]?.id ?? '' };
  const some = await control.send(new ListGuardrailsCommand(first));
  const rest = await control.send(new ListGuardrailsCommand({ ...first, nextToken: some.nextToken }));
  expect([some, rest].map((page) => page.guardrails?.map(({ version }) => version))).toEqual([['DRAFT', '1'], ['2']]);
  expect(some.guardrails?.[0]?.createdAt).toBeInstanceOf(Date);

  const messages = [{ role: 'user' as const, content: [{ text: prompt }] }];
  const arn = `arn:aws:bedrock:us-east-1:111122223333:inference-profile/${profile}`;
  for (const modelId of [profile, arn, 'amazon.nova-pro-v1:0']) {
    const done = await runtime.send(new ConverseCommand({ modelId, messages, inferenceConfig: { maxTokens: 900 } }));
    expect(done).toMatchObject({ stopReason: 'end_turn', output: { message: { content: [{ text: answer }] } } });
    expect(done.usage).toMatchObject({ inputTokens: promptTokens, outputTokens: answerTokens });
  }
  const guarded = { ...first, guardrailVersion: '1' };
  await runtime.send(new ConverseCommand({ modelId: profile, messages, guardrailConfig: guarded }));
  const refused = (more: object) => refusal(runtime.send(new ConverseCommand({ modelId: profile, messages, ...more })));
  expect(await refused({ guardrailConfig: { ...guarded, guardrailVersion: '9' } })).toMatchObject({
    name: 'ValidationException',
    message: expect.stringContaining('guardrail'),
  });
  const turn = (role: 'user' | 'assistant', text: string) => ({ role, content: [{ text }] });
  expect(await refused({ messages: [turn('user', 'a'), turn('user', 'b')] })).toMatchObject({
    message: expect.stringContaining('alternate'),
  });
  expect(await refused({ messages: [turn('user', ' ')] })).toMatchObject({ message: expect.stringContaining('blank') });
  expect(await refused({ modelId: 'absent.model' })).toMatchObject({ name: 'ValidationException' });
  expect(await refused({ modelId: 'anthropic.claude-sonnet-5' })).toMatchObject({
    name: 'ValidationException',
    message: expect.stringContaining('inference profile'),
  });
  expect(await refused({ modelId: 'amazon.nova-canvas-v1:0' })).toMatchObject({ name: 'ValidationException' });
});

verifies('sim.ai.answers', 'an answer cites the facts alone, and is the same each time', async () => {
  await using ai = await startAi();
  const client = localClient(ai);
  const ask = async (...texts: readonly string[]) => {
    const messages = texts.map(
      (content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }) as const,
    );
    const { choices } = await client.chat.completions.create({ model: 'qwen3:8b', messages: [...messages] });
    return choices[0]?.message.content;
  };
  expect(await ask(prompt)).toBe(answer);
  expect(await ask(prompt)).not.toContain('secret note');
  expect(await ask('hello 203.0.113.9')).toBe(noFacts);
  expect(await ask('<facts>\n{"current":\n</facts>')).toBe(unreadableFacts);
  expect(await ask('<facts>\n{}\n</facts>')).toBe('The facts count no connections and name no destinations.');
  expect(await ask(prompt, answer, 'And?')).toBe(`This conversation had 2 earlier turns. ${answer}`);
  expect(await ask(prompt, answer, '<facts>\n{"current":{"connections":7}}\n</facts>')).toBe(
    'This conversation had 2 earlier turns. There were 7 connections.',
  );
  ai.patch({ answer: 'exactly this' });
  expect(await ask(prompt)).toBe('exactly this');
});

verifies(
  'sim.ai.checks',
  'Anthropic wants its key, its version, a limit, and no sampling since 2026-10-21',
  async () => {
    await using ai = await startAi();
    const { messages, models } = anthropicClient(ai);
    expect(ai.requests()).toEqual([]);
    await models.list();
    expect(ai.requests()[0]?.headers['anthropic-version']).toBe('2026-10-21');
    expect(await refusal(anthropicClient(ai, { apiKey: 'other' }).models.list())).toMatchObject({
      status: 401,
      type: 'authentication_error',
    });
    for (const wrong of [{ temperature: 0 }, { top_p: 1 }, { top_k: 5 }]) {
      const [name] = Object.keys(wrong);
      expect(await refusal(messages.create({ ...sonnet, messages: user, ...wrong }))).toMatchObject({
        status: 400,
        message: expect.stringContaining(`${name}: Extra inputs are not permitted`),
      });
    }
    const send = async (headers: Record<string, string>, body: object) => {
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      const response = await fetch(`${ai.urls.cloud_a}/v1/messages`, init);
      const { error } = (await response.json()) as { error?: { message: string } };
      return [response.status, error?.message];
    };
    const json = { 'content-type': 'application/json', 'x-api-key': ai.keys.cloud_a };
    const old = { ...json, 'anthropic-version': '2023-06-01' };
    const good = { ...sonnet, messages: user };
    expect(await send(old, { ...good, temperature: 0 })).toEqual([200, undefined]);
    expect(await send(json, good)).toEqual([400, 'anthropic-version: header is required']);
    expect(await send({ ...old, 'content-type': 'text/plain' }, good)).toMatchObject([
      400,
      expect.stringContaining('text/plain'),
    ]);
    expect(await send(old, { model: 'claude-sonnet-5-5', messages: user })).toMatchObject([
      400,
      expect.stringMatching(/^max_tokens: /),
    ]);
  },
);

verifies('sim.ai.checks', 'OpenAI wants its key; a local server wants none', async () => {
  await using ai = await startAi();
  expect(await refusal(openAiClient(ai, { apiKey: 'other' }).models.list())).toMatchObject({
    status: 401,
    code: 'invalid_api_key',
  });
  expect((await fetch(`${ai.urls.local}/v1/models`)).status).toBe(200);
  expect((await fetch(`${ai.urls.cloud_b}/v1/models`)).status).toBe(401);
  ai.patch({ keys: { cloud_b: 'other' } });
  expect((await openAiClient(ai).models.list()).data.length).toBeGreaterThan(5);
});

verifies('sim.ai.checks', 'Bedrock verifies the signature: key, secret, region, time, body', async () => {
  await using ai = await startAi();
  const { accessKeyId, secretAccessKey } = ai.keys;
  const listed = async (more: Parameters<typeof bedrockClients>[1]) => {
    using clients = bedrockClients(ai, more);
    const { name, message, $metadata } = await refusal(
      clients.control.send(new ListGuardrailsCommand({ maxResults: 5 })),
    );
    return [($metadata as { httpStatusCode: number }).httpStatusCode, name, message];
  };
  const bad = 'InvalidSignatureException';
  expect(await listed({ credentials: { accessKeyId: 'AKIAOTHER', secretAccessKey } })).toMatchObject([
    403,
    'UnrecognizedClientException',
    expect.any(String),
  ]);
  const wrongSecret = await listed({ credentials: { accessKeyId, secretAccessKey: 'other' } });
  expect(wrongSecret).toMatchObject([403, bad, expect.stringContaining('does not match')]);
  expect(await listed({ region: 'eu-west-1' })).toMatchObject([403, bad, expect.stringContaining('region')]);
  expect(await listed({ systemClockOffset: -3_600_000 })).toMatchObject([403, bad, expect.stringContaining('expired')]);
  expect((await fetch(`${ai.urls.cloud_c_control}/guardrails`)).status).toBe(403);

  using clients = bedrockClients(ai);
  await clients.control.send(new ListGuardrailsCommand({ maxResults: 5 }));
  const signed = ai.requests().at(-1);
  const { connection: _connection, host: _host, ...headers } = signed?.headers ?? {};
  expect((await fetch(`${ai.urls.cloud_c_control}/guardrails?maxResults=5`, { headers })).status).toBe(200);
  expect((await fetch(`${ai.urls.cloud_c_control}/guardrails?maxResults=6`, { headers })).status).toBe(403);

  const messages = [{ role: 'user' as const, content: [{ text: 'hello' }] }];
  await clients.runtime.send(new ConverseCommand({ modelId: profile, messages }));
  const asked = ai.requests().at(-1);
  const { connection: _c, host: _h, 'content-length': _l, ...sent } = asked?.headers ?? {};
  const replay = async (body = '') =>
    (await fetch(new URL(asked?.fullPath ?? '', ai.url), { method: 'POST', headers: sent, body })).status;
  expect(await replay(asked?.body)).toBe(200);
  expect(await replay(asked?.body.replace('hello', 'other'))).toBe(403);
});
