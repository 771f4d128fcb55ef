// `cloud_b`: models and responses as OpenAI has them.
import { z } from 'zod';
import { type Completion, createCompletion, type Stop } from './completion.ts';
import { openAiModels, refuseAsOpenAi } from './openai-errors.ts';
import type { Exchange, ProviderApi } from './provider.ts';
import { readBearer, readJsonObject } from './received.ts';
import { asJson, type Reply } from './reply.ts';
import { listOffers } from './settings.ts';
import { reportUsage } from './usage.ts';

const part = z.looseObject({ type: z.enum(['input_text', 'output_text']), text: z.string() });
const item = z.looseObject({
  type: z.literal('message').optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), z.array(part)]),
});
const requestSchema = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(item).min(1)]),
  instructions: z.string().nullish(),
  max_output_tokens: z.int().min(16).nullish(),
  store: z.boolean().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  reasoning: z.looseObject({}).nullish(),
  text: z.looseObject({}).optional(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  safety_identifier: z.string().optional(),
  service_tier: z.string().nullish(),
  stream: z.literal(false).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
});

export const openAi: ProviderApi = {
  refuse: refuseAsOpenAi,
  answer(exchange) {
    const { request, settings } = exchange;
    if (readBearer(request) !== settings.keys.cloud_b) {
      return refuseAsOpenAi('unauthorized', 'Incorrect API key provided.');
    }
    if (request.path === '/v1/models' && request.method === 'GET') {
      return asJson(openAiModels(listOffers(settings).cloud_b, 'system'));
    }
    return request.path === '/v1/responses' && request.method === 'POST'
      ? respond(exchange)
      : refuseAsOpenAi('not-found', `Invalid URL (${request.method} ${request.path})`);
  },
};

function respond(exchange: Exchange): Reply {
  const json = readJsonObject(exchange.request);
  const parsed = requestSchema.safeParse(json);
  if (!parsed.success) {
    return refuseAsOpenAi('invalid', typeof json === 'string' ? json : describeProblem(parsed.error));
  }
  const { model, input, instructions = null, max_output_tokens = null, store } = parsed.data;
  if (!listOffers(exchange.settings).cloud_b.includes(model)) {
    return refuseAsOpenAi('unknown-model', `The model '${model}' does not exist or you do not have access to it.`);
  }
  const first = instructions === null ? [] : [{ role: 'system' as const, text: instructions }];
  const turns = [...first, ...toTurns(input)];
  const done = createCompletion({ turns, maxTokens: max_output_tokens }, exchange);
  const { input: read, output, cached } = done.usage;
  const usage = {
    input_tokens: read,
    input_tokens_details: { cached_tokens: cached ?? 0, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: read + output,
  };
  const { number } = exchange.request;
  const incomplete = { length: 'max_output_tokens', filtered: 'content_filter' } as Partial<Record<Stop, string>>;
  const reason = incomplete[done.stop];
  const gaveUp = exchange.takeFault('gives-up') !== null;
  return asJson({
    id: `resp_${number}`,
    object: 'response',
    created_at: Math.floor(exchange.now / 1000),
    status: gaveUp ? 'failed' : reason === undefined ? 'completed' : 'incomplete',
    error: gaveUp ? { code: 'server_error', message: 'The model failed to generate a response.' } : null,
    incomplete_details: reason === undefined ? null : { reason },
    instructions,
    max_output_tokens,
    model,
    output: [{ id: `rs_${number}`, type: 'reasoning', summary: [] }, ...(gaveUp ? [] : toItems(done, number))],
    parallel_tool_calls: true,
    previous_response_id: null,
    store: store ?? true,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    ...reportUsage(usage, exchange.takeFault),
    metadata: {},
  });
}

function describeProblem({ issues: [issue] }: z.ZodError): string {
  return issue?.code === 'unrecognized_keys'
    ? `Unknown parameter: '${issue.keys[0]}'.`
    : `Invalid value for '${issue?.path.join('.')}': ${issue?.message}`;
}

function toTurns(input: z.output<typeof requestSchema>['input']) {
  if (typeof input === 'string') {
    return [{ role: 'user' as const, text: input }];
  }
  return input.map(({ role, content }) => ({
    role: role === 'developer' ? ('system' as const) : role,
    text: typeof content === 'string' ? content : content.map(({ text }) => text).join('\n'),
  }));
}

function toItems({ text, stop, injectedCall }: Completion, number: number): object[] {
  const status = stop === 'length' ? 'incomplete' : 'completed';
  if (injectedCall) {
    const called = { name: 'send_more', arguments: JSON.stringify(injectedCall) };
    return [{ id: `fc_${number}`, type: 'function_call', status, call_id: `call_${number}`, ...called }];
  }
  if (text === '' || stop === 'filtered') {
    return [];
  }
  const said = stop === 'refusal' ? { type: 'refusal', refusal: text } : { type: 'output_text', text, annotations: [] };
  return [{ id: `msg_${number}`, type: 'message', status, role: 'assistant', content: [said] }];
}
