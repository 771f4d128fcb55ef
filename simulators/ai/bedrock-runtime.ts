// `cloud_c`, its runtime: Converse as Bedrock has it, with models, profiles, ARNs and guardrails checked.
import { z } from 'zod';
import { profileArn } from './bedrock-control.ts';
import { refuseAsBedrock } from './bedrock-errors.ts';
import { type Completion, createCompletion } from './completion.ts';
import type { Exchange, ProviderApi } from './provider.ts';
import { readJsonObject } from './received.ts';
import { asJson, type Reply } from './reply.ts';
import { type AiSettings, listOffers } from './settings.ts';
import { signatureRefusal } from './signature.ts';
import { reportUsage } from './usage.ts';

const block = z.looseObject({ text: z.string().regex(/\S/, 'The text field in the ContentBlock object is blank.') });
const requestSchema = z.strictObject({
  messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(block).min(1) })).min(1),
  system: z.array(block).optional(),
  inferenceConfig: z
    .strictObject({
      maxTokens: z.int().min(1).optional(),
      temperature: z.number().min(0).max(1).optional(),
      topP: z.number().min(0).max(1).optional(),
      stopSequences: z.array(z.string()).optional(),
    })
    .optional(),
  guardrailConfig: z
    .strictObject({
      guardrailIdentifier: z.string(),
      guardrailVersion: z.string(),
      trace: z.enum(['enabled', 'disabled', 'enabled_full']).optional(),
    })
    .optional(),
});

export const bedrockRuntime: ProviderApi = {
  refuse: refuseAsBedrock,
  answer(exchange) {
    const { method, path } = exchange.request;
    const [, encoded] = /^\/model\/([^/]+)\/converse$/.exec(path) ?? [];
    return (
      signatureRefusal(exchange) ??
      (method === 'POST' && encoded !== undefined
        ? converse(exchange, decodeURIComponent(encoded))
        : refuseAsBedrock('not-found', `Unable to determine the operation of ${method} ${path}`))
    );
  },
};

function converse(exchange: Exchange, model: string): Reply {
  const { settings, takeFault } = exchange;
  const json = readJsonObject(exchange.request);
  const parsed = requestSchema.safeParse(json);
  if (!parsed.success) {
    return refuseAsBedrock('invalid', typeof json === 'string' ? json : z.prettifyError(parsed.error));
  }
  const { messages, system = [], inferenceConfig, guardrailConfig } = parsed.data;
  if (messages.some(({ role }, index) => role !== (index % 2 === 0 ? 'user' : 'assistant'))) {
    const message = 'A conversation must start with a user message and alternate between user and assistant roles.';
    return refuseAsBedrock('invalid', message);
  }
  const problem = modelProblem(settings, model);
  if (problem !== null) {
    return refuseAsBedrock('unknown-model', problem);
  }
  if (guardrailConfig && takeFault('forbidden-guardrail')) {
    const message = 'User is not authorized to perform: bedrock:ApplyGuardrail on the resource of the guardrail.';
    return refuseAsBedrock('forbidden', message);
  }
  if (guardrailConfig && !hasGuardrail(settings, guardrailConfig)) {
    const message = 'The guardrail identifier or version provided in the request does not exist.';
    return refuseAsBedrock('invalid', message);
  }
  const text = (blocks: readonly { text: string }[]) => blocks.map((one) => one.text).join('\n');
  const first = system.length === 0 ? [] : [{ role: 'system' as const, text: text(system) }];
  const turns = [...first, ...messages.map(({ role, content }) => ({ role, text: text(content) }))];
  const done = createCompletion({ turns, maxTokens: inferenceConfig?.maxTokens ?? null }, exchange);
  const { input, output, cached } = done.usage;
  const usage = {
    inputTokens: input - (cached ?? 0),
    outputTokens: output,
    totalTokens: input + output,
    ...(cached === null ? {} : { cacheReadInputTokens: cached, cacheWriteInputTokens: 0 }),
  };
  return asJson({
    metrics: { latencyMs: 7 },
    ...toOutput(done, exchange.request.number),
    ...reportUsage(usage, takeFault),
  });
}

/** What is wrong with a model id, profile id or ARN; null when it can be invoked. */
function modelProblem(settings: AiSettings, model: string): string | null {
  const { foundationModels, profiles } = listOffers(settings);
  const isProfile = profiles.some((one) => one.inferenceProfileId === model || profileArn(settings, one) === model);
  const id = model.startsWith(`arn:aws:bedrock:${settings.region}::foundation-model/`) ? model.split('/')[1] : model;
  const known = foundationModels.find(({ modelId }) => modelId === id);
  if (isProfile || known?.inferenceTypesSupported.includes('ON_DEMAND')) {
    return known?.outputModalities.includes('TEXT') === false ? `The model ${model} has no text as output.` : null;
  }
  return known
    ? `Invocation of model ID ${model} with on-demand throughput isn't supported. Retry your request with the ID or ARN of an inference profile that contains this model.`
    : 'The provided model identifier is invalid.';
}

function hasGuardrail(
  { guardrails }: AiSettings,
  asked: { guardrailIdentifier: string; guardrailVersion: string },
): boolean {
  const { guardrailIdentifier: name, guardrailVersion: version } = asked;
  return guardrails.some(
    ({ id, versions }) =>
      (id === name || name.endsWith(`:guardrail/${id}`)) && ['DRAFT', ...versions].includes(version),
  );
}

function toOutput({ text, stop, injectedCall }: Completion, number: number): object {
  const reasons = {
    end: 'end_turn',
    length: 'max_tokens',
    refusal: 'content_filtered',
    filtered: 'content_filtered',
    guardrail: 'guardrail_intervened',
    tool: 'tool_use',
  } as const;
  const use = injectedCall
    ? [{ toolUse: { toolUseId: `tooluse_${number}`, name: 'send_more', input: injectedCall } }]
    : [];
  const content = injectedCall ? use : text === '' || reasons[stop] === 'content_filtered' ? [] : [{ text }];
  return { output: { message: { role: 'assistant', content } }, stopReason: reasons[stop] };
}
