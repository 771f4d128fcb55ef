// The control surface of the simulated AI providers: requests, holding, settings, journal, the command.
import { ListFoundationModelsCommand, ListInferenceProfilesCommand } from '@aws-sdk/client-bedrock';
import { expect, test } from 'vitest';
import { startAi } from '#simulators/ai/ai.ts';
import { aiControlRoutes } from '#simulators/ai/control.ts';
import { createShiftedClock } from '#simulators/support/shifted-clock.ts';
import { anthropicClient, bedrockClients, localClient, openAiClient } from '../support/ai-clients.ts';
import { serveControl } from '../support/control-client.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { startProgram } from '../support/program.ts';
import { verifies } from '../support/verifies.ts';

async function startControlled() {
  const clock = createShiftedClock();
  await using stack = new AsyncDisposableStack();
  const ai = stack.use(await startAi({ clock }));
  const extra = aiControlRoutes(ai);
  const { ask } = stack.use(await serveControl({ control: ai, clock, extra }));
  const all = stack.move();
  return { ai, ask, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const question = { model: 'qwen3:8b', messages: [{ role: 'user' as const, content: 'hello' }] };

verifies('sim.ai.held', 'a request is held until it is released, others pass', async () => {
  await using ai = await startAi();
  const client = localClient(ai);
  ai.fail('hold', { command: '/local/v1/chat' });
  const two = [client.chat.completions.create(question), client.chat.completions.create(question)];
  await ai.held(2);
  expect((await client.models.list()).data).not.toEqual([]);
  expect(ai.state().held).toBe(2);
  expect(ai.release()).toBe(2);
  expect(await Promise.all(two)).toMatchObject([{ object: 'chat.completion' }, { object: 'chat.completion' }]);
  const third = client.chat.completions.create(question);
  await ai.held();
  ai.clearFaults();
  expect(await third).toMatchObject({ object: 'chat.completion' });
});

verifies('sim.ai.held', 'a client that leaves is held no longer, and gets no answer', async () => {
  await using ai = await startAi();
  ai.fail('hold', { times: 1 });
  const leaving = new AbortController();
  const asked = localClient(ai).chat.completions.create(question, { signal: leaving.signal });
  await ai.held();
  leaving.abort();
  await expect(asked).rejects.toThrow('aborted');
  await expect.poll(() => ai.state().held).toBe(0);
  await expect.poll(() => ai.journal().at(-1)?.kind).toBe('gone');
});

verifies('sim.ai.held sim.ai.control', 'holding and releasing over HTTP', async () => {
  await using controlled = await startControlled();
  const { ai, ask } = controlled;
  expect((await ask('POST', '/faults', { fault: 'hold', times: 1 })).status).toBe(201);
  const asked = localClient(ai).models.list();
  await ai.held();
  expect((await ask('GET', '/held')).body).toEqual({ held: 1 });
  expect((await ask('POST', '/release')).body).toEqual({ released: 1 });
  expect((await asked).data).not.toEqual([]);
});

verifies(
  'sim.ai.journal',
  'requests as they were sent; credentials in neither the journal nor the control API',
  async () => {
    await using controlled = await startControlled();
    const { ai, ask } = controlled;
    using clients = bedrockClients(ai);
    await openAiClient(ai).responses.create({ model: 'gpt-6-sol', input: 'a question', store: false });
    await anthropicClient(ai).models.list();
    await clients.control.send(new ListInferenceProfilesCommand({ maxResults: 7 }));
    await fetch(new URL('/nowhere', ai.url));
    const sent = ai.requests();
    expect(sent).toMatchObject([
      {
        provider: 'cloud_b',
        surface: 'cloud_b',
        method: 'POST',
        path: '/v1/responses',
        fullPath: '/cloud_b/v1/responses',
      },
      { provider: 'cloud_a', method: 'GET', path: '/v1/models' },
      { provider: 'cloud_c', surface: 'cloud_c_control', path: '/inference-profiles', query: 'maxResults=7' },
    ]);
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({ model: 'gpt-6-sol', input: 'a question', store: false });
    expect(sent[0]?.headers.authorization).toBe(`Bearer ${ai.keys.cloud_b}`);
    const journal = ai.journal().map(({ kind, path, status }) => [kind, path ?? status]);
    expect(journal.slice(-3)).toEqual([
      ['request', '/cloud_c_control/inference-profiles'],
      ['answer', 200],
      ['request', '/nowhere'],
    ]);
    const shown = [
      (await ask('GET', '/requests')).text,
      (await ask('GET', '/journal')).text,
      (await ask('GET', '/state')).text,
    ];
    expect(shown[0]).toContain('a question');
    for (const secret of [...Object.values(ai.keys), 'Signature=']) {
      expect(shown.join('\n')).not.toContain(secret);
    }
    expect(JSON.stringify(sent)).toContain('Signature=');
    ai.clearJournal();
    expect(ai.requests()).toEqual([]);
  },
);

verifies('sim.ai.control', 'keys, models and guardrails change; what is wrong changes nothing', async () => {
  await using controlled = await startControlled();
  const { ai, ask } = controlled;
  const change = {
    keys: { cloud_a: 'another-key' },
    models: { local: ['one'], cloud_a: ['claude-test-9-1'], cloud_b: ['gpt-9'] },
    foundationModels: [],
    profiles: [{ inferenceProfileId: 'jp.x.y', inferenceProfileName: 'y', models: ['x.y'], type: 'SYSTEM_DEFINED' }],
    guardrails: [{ id: 'gr9', name: 'nine', versions: ['1'] }],
    region: 'ap-northeast-1',
  };
  expect((await ask('PATCH', '/state', change)).status).toBe(200);
  expect((await anthropicClient(ai).models.list()).data).toMatchObject([
    { id: 'claude-test-9-1', display_name: 'Claude Test 9.1', lifecycle: 'active' },
  ]);
  expect((await openAiClient(ai).models.list()).data.map(({ id }) => id)).toEqual(['gpt-9']);
  expect(ai.region).toBe('ap-northeast-1');
  using clients = bedrockClients(ai);
  const { inferenceProfileSummaries } = await clients.control.send(new ListInferenceProfilesCommand({}));
  expect(inferenceProfileSummaries).toMatchObject([
    { inferenceProfileArn: 'arn:aws:bedrock:ap-northeast-1:111122223333:inference-profile/jp.x.y' },
  ]);
  for (const wrong of [
    { nope: 1 },
    { keys: { cloud_a: 'a key' } },
    { region: 'x' },
    { models: { cloud_d: [] } },
    { answer: 'changed?', cachedTokens: -1 },
  ]) {
    expect((await ask('PATCH', '/state', wrong)).status).toBe(400);
  }
  expect(ai.settings.answer).toBeNull();
  ai.reset();
  expect((await localClient(ai).models.list()).data.map(({ id }) => id)).toContain('qwen3:8b');
  expect(ai.keys.cloud_a).not.toBe('another-key');
});

verifies('sim.ai.control', 'made-up models at every provider', async () => {
  await using ai = await startAi({ settings: { madeUpModels: 250 } });
  using clients = bedrockClients(ai);
  expect((await localClient(ai).models.list()).data).toHaveLength(253);
  expect((await openAiClient(ai).models.list()).data.at(-1)?.id).toBe('gpt-made-up-0250');
  expect((await anthropicClient(ai).models.list({ limit: 1000 })).data).toHaveLength(255);
  const { modelSummaries = [] } = await clients.control.send(new ListFoundationModelsCommand({}));
  expect(modelSummaries.at(-1)?.modelId).toBe('made-up.model-0250-v1:0');
  await expect(startAi({ settings: { madeUpModels: -1 } })).rejects.toThrow('madeUpModels');
});

test('a signature is compared with the wall clock, whatever the clock of the simulator says', async () => {
  await using ai = await startAi({ clock: new ManualClock() });
  using clients = bedrockClients(ai);
  await clients.control.send(new ListInferenceProfilesCommand({}));
  expect(ai.requests()[0]?.at).toBe(new ManualClock().now());
});

verifies('sim.ai.control', 'the command prints addresses and keys, and its clock makes signatures expire', async () => {
  const options = ['--port', '0', '--models', '3', '--region', 'eu-central-1'];
  await using program = startProgram(['src/main.ts', 'sim', 'ai', ...options]);
  const [, line = ''] = await program.printed(/^(\{.*\})$/m);
  const { control, region, keys, ...urls } = JSON.parse(line);
  const ai = { urls, keys, region } as Awaited<ReturnType<typeof startAi>>;
  expect((await openAiClient(ai).models.list()).data.at(-1)?.id).toBe('gpt-made-up-0003');
  using clients = bedrockClients(ai);
  await clients.control.send(new ListInferenceProfilesCommand({}));
  await fetch(new URL('/clock', control), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advanceMs: 3_600_000 }),
  });
  await expect(clients.control.send(new ListInferenceProfilesCommand({}))).rejects.toThrow('expired');
  program.kill('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
});

test.each([
  ['--models', '-1'],
  ['--region', 'nowhere'],
])('the command refuses %s %s', async (option, value) => {
  await using program = startProgram(['src/main.ts', 'sim', 'ai', `${option}=${value}`]);
  expect(await program.ended).toMatchObject({ code: 2 });
});
