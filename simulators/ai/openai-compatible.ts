// `local`: models and chat completions as an OpenAI-compatible server such as Ollama has them; it looks at no key.
import { z } from 'zod';
import { type Completion, createCompletion } from './completion.ts';
import { openAiModels, refuseAsOpenAi } from './openai-errors.ts';
import type { Exchange, ProviderApi } from './provider.ts';
import { readJsonObject } from './received.ts';
import { asJson, type Reply } from './reply.ts';
import { listOffers } from './settings.ts';
import { reportUsage } from './usage.ts';

const part = z.looseObject({ type: z.literal('text'), text: z.string() });
const requestSchema = z.looseObject({
  model: z.string().min(1),
  messages: z
    .array(
      z.looseObject({
        role: z.enum(['system', 'developer', 'user', 'assistant']),
        content: z.union([z.string(), z.array(part)]),
      }),
    )
    .min(1),
  max_tokens: z.int().min(1).nullish(),
  stream: z.literal(false).optional(),
});

export const openAiCompatible: ProviderApi = {
  refuse: refuseAsOpenAi,
  answer(exchange) {
    const { request, settings } = exchange;
    if (request.path === '/v1/models' && request.method === 'GET') {
      return asJson(openAiModels(listOffers(settings).local, 'library'));
    }
    return request.path === '/v1/chat/completions' && request.method === 'POST'
      ? chatCompletion(exchange)
      : refuseAsOpenAi('not-found', `404 page not found: ${request.method} ${request.path}`);
  },
};

function chatCompletion(exchange: Exchange): Reply {
  const json = readJsonObject(exchange.request);
  const parsed = requestSchema.safeParse(json);
  if (!parsed.success) {
    return refuseAsOpenAi('invalid', typeof json === 'string' ? json : z.prettifyError(parsed.error));
  }
  const { model, messages, max_tokens } = parsed.data;
  if (!listOffers(exchange.settings).local.includes(model)) {
    return refuseAsOpenAi('unknown-model', `model "${model}" not found, try pulling it first`);
  }
  const turns = messages.map(({ role, content }) => ({
    role: role === 'developer' ? ('system' as const) : role,
    text: typeof content === 'string' ? content : content.map(({ text }) => text).join('\n'),
  }));
  const done = createCompletion({ turns, maxTokens: max_tokens ?? null }, exchange);
  const { input, output, cached } = done.usage;
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(cached === null ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
  };
  return asJson({
    id: `chatcmpl-${exchange.request.number}`,
    object: 'chat.completion',
    created: Math.floor(exchange.now / 1000),
    model,
    system_fingerprint: 'fp_simulator',
    choices: [{ index: 0, ...toChoice(done, exchange.request.number) }],
    ...reportUsage(usage, exchange.takeFault),
  });
}

function toChoice({ text, stop, injectedCall }: Completion, number: number): object {
  if (stop === 'refusal') {
    return { message: { role: 'assistant', content: null, refusal: text }, finish_reason: 'stop' };
  }
  if (stop === 'filtered') {
    return { message: { role: 'assistant', content: '' }, finish_reason: 'content_filter' };
  }
  if (injectedCall) {
    const called = { name: 'send_more', arguments: JSON.stringify(injectedCall) };
    const calls = [{ id: `call_${number}`, type: 'function', function: called }];
    return { message: { role: 'assistant', content: '', tool_calls: calls }, finish_reason: 'tool_calls' };
  }
  return { message: { role: 'assistant', content: text }, finish_reason: stop === 'length' ? 'length' : 'stop' };
}
