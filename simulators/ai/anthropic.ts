// Simulates Anthropic, the provider `cloud_a`: lists models by page and answers messages, by the rules of each API version.
import { z } from 'zod';
import { type Completion, createCompletion } from './completion.ts';
import type { Exchange, ProviderApi, Refusal } from './provider.ts';
import { readBearer, readJsonObject } from './received.ts';
import { asJson, type Reply } from './reply.ts';
import { listOffers } from './settings.ts';
import { reportUsage } from './usage.ts';

const refusals: Readonly<Record<Refusal, readonly [status: number, type: string]>> = {
  unauthorized: [401, 'authentication_error'],
  forbidden: [403, 'permission_error'],
  'not-found': [404, 'not_found_error'],
  'unknown-model': [404, 'not_found_error'],
  invalid: [400, 'invalid_request_error'],
  'too-long': [400, 'invalid_request_error'],
  'rate-limited': [429, 'rate_limit_error'],
  'server-error': [500, 'api_error'],
  overloaded: [529, 'overloaded_error'],
};

const requestId = 'req_simulator';
const versionWithoutSampling = '2026-10-21';
const versions = ['2023-01-01', '2023-06-01', versionWithoutSampling];
const samplingParameters = ['temperature', 'top_p', 'top_k'];

function refuse(refusal: Refusal, message: string): Reply {
  const [status, type] = refusals[refusal];
  const body = { type: 'error', error: { type, message }, request_id: requestId };
  return asJson(body, status, { 'request-id': requestId });
}

const nonEmptyText = z.string().regex(/\S/, 'text content must be non-empty');
const block = z.looseObject({ type: z.literal('text'), text: nonEmptyText });
const content = z.union([nonEmptyText, z.array(block)]);
const requestSchema = z.looseObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content })).min(1),
  system: content.optional(),
  stream: z.literal(false).optional(),
});

export const anthropic: ProviderApi = {
  refuse,
  answer(exchange) {
    const { request, settings } = exchange;
    const version = request.headers['anthropic-version'];
    if ((request.headers['x-api-key'] ?? readBearer(request)) !== settings.keys.cloud_a) {
      return refuse('unauthorized', 'invalid x-api-key');
    }
    if (version === undefined || !versions.includes(version)) {
      const wrong = version === undefined ? 'header is required' : `"${version}" is not a valid version`;
      return refuse('invalid', `anthropic-version: ${wrong}`);
    }
    if (request.path === '/v1/models' && request.method === 'GET') {
      return list(exchange);
    }
    return request.path === '/v1/messages' && request.method === 'POST'
      ? message(exchange, version)
      : refuse('not-found', `Not found: ${request.method} ${request.path}`);
  },
};

function list({ request, settings }: Exchange): Reply {
  const query = new URLSearchParams(request.query);
  const limit = Number(query.get('limit') ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
    return refuse('invalid', 'limit: must be from 1 to 1000');
  }
  const all = listOffers(settings).cloud_a;
  const after = query.get('after_id');
  const start = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
  if (after !== null && start === 0) {
    return refuse('invalid', `after_id: there is no model ${after}`);
  }
  const end = start + Math.min(limit, settings.pageLimit);
  const data = all.slice(start, end).map((model) => ({ type: 'model', ...model, capabilities: null }));
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  return asJson({ data, has_more: end < all.length, ...ends }, 200, { 'request-id': requestId });
}

function message(exchange: Exchange, version: string): Reply {
  const bodyOrFailure = readJsonObject(exchange.request);
  const parsed = requestSchema.safeParse(bodyOrFailure);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refuse(
      'invalid',
      typeof bodyOrFailure === 'string' ? bodyOrFailure : `${issue?.path.join('.')}: ${issue?.message}`,
    );
  }
  const refused = samplingParameters.find((name) => Object.hasOwn(parsed.data, name));
  if (version === versionWithoutSampling && refused !== undefined) {
    return refuse('invalid', `${refused}: Extra inputs are not permitted`);
  }
  const { model, max_tokens, messages, system } = parsed.data;
  const known = listOffers(exchange.settings).cloud_a.find(({ id }) => id === model);
  if (!known || known.lifecycle === 'retired') {
    return refuse('unknown-model', `model: ${model}`);
  }
  const turns = messages.map((one) => ({ role: one.role, text: toText(one.content) }));
  const systemTurns = system === undefined ? [] : [{ role: 'system' as const, text: toText(system) }];
  const completion = createCompletion({ turns: [...systemTurns, ...turns], maxTokens: max_tokens }, exchange);
  const { input, output, cached } = completion.usage;
  const usage = {
    input_tokens: input - (cached ?? 0),
    output_tokens: output,
    cache_creation_input_tokens: cached === null ? null : 0,
    cache_read_input_tokens: cached,
    service_tier: 'standard',
  };
  const answer = {
    id: `msg_${exchange.request.number}`,
    type: 'message',
    role: 'assistant',
    model,
    ...toContent(completion, exchange.request.number),
    stop_sequence: null,
    ...reportUsage(usage, exchange.takeFault),
  };
  return asJson(answer, 200, { 'request-id': requestId });
}

function toText(given: z.output<typeof content>): string {
  return typeof given === 'string' ? given : given.map(({ text }) => text).join('\n');
}

function toContent({ text, stop, injectedCall }: Completion, number: number): object {
  if (stop === 'refusal' || stop === 'filtered') {
    const details = { type: 'refusal', category: null, explanation: text };
    return { content: [], stop_reason: 'refusal', stop_details: details };
  }
  if (injectedCall) {
    const use = { type: 'tool_use', id: `toolu_${number}`, name: 'send_more', input: injectedCall };
    return { content: [use], stop_reason: 'tool_use', stop_details: null };
  }
  const blocks = text === '' ? [] : [{ type: 'text', text, citations: null }];
  return { content: blocks, stop_reason: stop === 'length' ? 'max_tokens' : 'end_turn', stop_details: null };
}
