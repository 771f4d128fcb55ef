// The models that the simulated providers offer at the start, and made-up ones beyond them.
import { z } from 'zod';

const name = z.string().min(1).max(400);
const text = z.string().max(400);

export const anthropicModelSchema = z.strictObject({
  id: name,
  display_name: text,
  created_at: text,
  lifecycle: z.enum(['active', 'deprecated', 'retired']),
  line: z.enum(['haiku', 'sonnet', 'opus']).nullable(),
  max_input_tokens: z.int().nullable(),
  max_tokens: z.int().nullable(),
  deprecated_at: text.nullable(),
  retires_at: text.nullable(),
});
export type AnthropicModel = z.output<typeof anthropicModelSchema>;

export const foundationModelSchema = z.strictObject({
  modelId: name,
  modelName: text,
  providerName: text,
  inputModalities: z.array(text),
  outputModalities: z.array(text),
  /** ON_DEMAND, PROVISIONED, or INFERENCE_PROFILE: by a profile alone. */
  inferenceTypesSupported: z.array(text),
  status: z.enum(['ACTIVE', 'LEGACY']),
});
export type FoundationModel = z.output<typeof foundationModelSchema>;

export const profileSchema = z.strictObject({
  inferenceProfileId: name,
  inferenceProfileName: text,
  /** Ids of the foundation models that it leads to. */
  models: z.array(name),
  type: z.enum(['SYSTEM_DEFINED', 'APPLICATION']),
});
export type Profile = z.output<typeof profileSchema>;

export const guardrailSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9]{1,64}$/),
  name: text,
  /** Numbered versions besides DRAFT, such as `1`. */
  versions: z.array(z.string().regex(/^[1-9]\d{0,7}$/)),
});
export type Guardrail = z.output<typeof guardrailSchema>;

export function anthropicModel(id: string, more: Partial<AnthropicModel> = {}): AnthropicModel {
  const words = id.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return {
    id,
    display_name: words.join(' ').replace(/ (\d+) (\d+)$/, ' $1.$2'),
    created_at: '2026-06-01T00:00:00Z',
    lifecycle: 'active',
    line: (['haiku', 'sonnet', 'opus'] as const).find((line) => id.includes(line)) ?? null,
    max_input_tokens: 1_000_000,
    max_tokens: 64_000,
    deprecated_at: null,
    retires_at: null,
    ...more,
  };
}

const retiring = { deprecated_at: '2026-08-01T00:00:00Z', retires_at: '2027-02-01T00:00:00Z' };

export const firstModels = {
  local: ['qwen3:8b', 'llama3.2:3b', 'nomic-embed-text:latest'],
  cloud_a: [
    anthropicModel('claude-sonnet-5-5'),
    anthropicModel('claude-opus-5-5'),
    anthropicModel('claude-haiku-5-5', { max_input_tokens: 200_000 }),
    anthropicModel('claude-sonnet-5'),
    anthropicModel('claude-opus-4-7', { lifecycle: 'deprecated', ...retiring }),
  ],
  cloud_b: [
    'gpt-6-sol',
    'gpt-6-luna',
    'gpt-6-astra',
    'gpt-5.4-mini',
    'gpt-image-2',
    'gpt-4o-transcribe',
    'gpt-audio-2',
    'gpt-realtime-2',
    'tts-1-hd',
    'whisper-1',
    'text-embedding-3-large',
    'omni-moderation-latest',
    'sora-2',
    'dall-e-3',
  ],
};

function foundation(modelId: string, more: Partial<FoundationModel> = {}): FoundationModel {
  const [maker = ''] = modelId.split('.');
  return {
    modelId,
    modelName: modelId.slice(maker.length + 1),
    providerName: maker.charAt(0).toUpperCase() + maker.slice(1),
    inputModalities: ['TEXT'],
    outputModalities: ['TEXT'],
    inferenceTypesSupported: ['ON_DEMAND'],
    status: 'ACTIVE',
    ...more,
  };
}

export const firstFoundationModels: readonly FoundationModel[] = [
  foundation('amazon.nova-pro-v1:0', { inputModalities: ['TEXT', 'IMAGE', 'VIDEO'] }),
  foundation('amazon.nova-pro-v1:0:300k', { inferenceTypesSupported: ['PROVISIONED'] }),
  foundation('amazon.nova-sonic-v1:0', { inputModalities: ['SPEECH'], outputModalities: ['SPEECH', 'TEXT'] }),
  foundation('amazon.titan-embed-text-v2:0', { outputModalities: ['EMBEDDING'] }),
  foundation('amazon.nova-canvas-v1:0', { inputModalities: ['TEXT', 'IMAGE'], outputModalities: ['IMAGE'] }),
  foundation('anthropic.claude-sonnet-5', { inferenceTypesSupported: ['INFERENCE_PROFILE'] }),
  foundation('anthropic.claude-opus-5-5', { inferenceTypesSupported: ['INFERENCE_PROFILE'] }),
  foundation('meta.llama3-3-70b-instruct-v1:0', { inferenceTypesSupported: ['ON_DEMAND', 'INFERENCE_PROFILE'] }),
  foundation('anthropic.claude-v2:1', { status: 'LEGACY' }),
];

function profile(inferenceProfileId: string, model: string): Profile {
  const [place = ''] = inferenceProfileId.split('.');
  return {
    inferenceProfileId,
    inferenceProfileName: `${place.toUpperCase()} ${model}`,
    models: [model],
    type: 'SYSTEM_DEFINED',
  };
}

export const firstProfiles: readonly Profile[] = [
  profile('us.anthropic.claude-sonnet-5', 'anthropic.claude-sonnet-5'),
  profile('us.anthropic.claude-opus-5-5', 'anthropic.claude-opus-5-5'),
  profile('us.meta.llama3-3-70b-instruct-v1:0', 'meta.llama3-3-70b-instruct-v1:0'),
  profile('eu.anthropic.claude-sonnet-5', 'anthropic.claude-sonnet-5'),
  profile('global.anthropic.claude-sonnet-5', 'anthropic.claude-sonnet-5'),
];

export const firstGuardrails: readonly Guardrail[] = [
  { id: 'gr1homenetwork', name: 'home-network', versions: ['1', '2'] },
  { id: 'gr2draftonly', name: 'draft-only', versions: [] },
];

/** `count` names; `write` gets `0001` and so on. */
function numbered<T>(count: number, write: (number: string) => T): T[] {
  return Array.from({ length: count }, (_, index) => write(String(index + 1).padStart(4, '0')));
}

/** So many models more at every provider. */
export function madeUpModels(count: number) {
  const model = (number: string) => `made-up.model-${number}-v1:0`;
  return {
    local: numbered(count, (number) => `made-up-${number}:1b`),
    cloud_a: numbered(count, (number) => anthropicModel(`claude-made-up-${number}`)),
    cloud_b: numbered(count, (number) => `gpt-made-up-${number}`),
    foundationModels: numbered(count, (number) => foundation(model(number))),
    profiles: numbered(count, (number) => profile(`us.${model(number)}`, model(number))),
  };
}
