// The models that the simulated providers offer at the start, and invented ones. `cloud_a` is Anthropic, `cloud_b`
// OpenAI, `local` an OpenAI-compatible server such as Ollama. Foundation models, profiles, guardrails are Bedrock's.
import { z } from 'zod';

export const modelIdSchema = z.string().min(1).max(400);
const text = z.string().max(400);

export const anthropicModelSchema = z.strictObject({
  id: modelIdSchema,
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
  modelId: modelIdSchema,
  modelName: text,
  providerName: text,
  inputModalities: z.array(text),
  outputModalities: z.array(text),
  /** How it can be invoked: ON_DEMAND by its own id, INFERENCE_PROFILE through a profile, PROVISIONED not here. */
  inferenceTypesSupported: z.array(text),
  status: z.enum(['ACTIVE', 'LEGACY']),
});
export type FoundationModel = z.output<typeof foundationModelSchema>;

export const profileSchema = z.strictObject({
  inferenceProfileId: modelIdSchema,
  inferenceProfileName: text,
  /** Ids of the foundation models behind the profile. */
  models: z.array(modelIdSchema),
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

export function toAnthropicModel(id: string, overrides: Partial<AnthropicModel> = {}): AnthropicModel {
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
    ...overrides,
  };
}

export const initialModels = {
  local: ['qwen3:8b', 'llama3.2:3b', 'nomic-embed-text:latest'],
  cloud_a: [
    toAnthropicModel('claude-sonnet-5-5'),
    toAnthropicModel('claude-opus-5-5'),
    toAnthropicModel('claude-haiku-5-5', { max_input_tokens: 200_000 }),
    toAnthropicModel('claude-sonnet-5'),
    toAnthropicModel('claude-opus-4-7', {
      lifecycle: 'deprecated',
      deprecated_at: '2026-08-01T00:00:00Z',
      retires_at: '2027-02-01T00:00:00Z',
    }),
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

function toBedrockModel(modelId: string, overrides: Partial<FoundationModel> = {}): FoundationModel {
  const [maker = ''] = modelId.split('.');
  return {
    modelId,
    modelName: modelId.slice(maker.length + 1),
    providerName: maker.charAt(0).toUpperCase() + maker.slice(1),
    inputModalities: ['TEXT'],
    outputModalities: ['TEXT'],
    inferenceTypesSupported: ['ON_DEMAND'],
    status: 'ACTIVE',
    ...overrides,
  };
}

export const initialFoundationModels: FoundationModel[] = [
  toBedrockModel('amazon.nova-pro-v1:0', { inputModalities: ['TEXT', 'IMAGE', 'VIDEO'] }),
  toBedrockModel('amazon.nova-pro-v1:0:300k', { inferenceTypesSupported: ['PROVISIONED'] }),
  toBedrockModel('amazon.nova-sonic-v1:0', { inputModalities: ['SPEECH'], outputModalities: ['SPEECH', 'TEXT'] }),
  toBedrockModel('amazon.titan-embed-text-v2:0', { outputModalities: ['EMBEDDING'] }),
  toBedrockModel('amazon.nova-canvas-v1:0', { inputModalities: ['TEXT', 'IMAGE'], outputModalities: ['IMAGE'] }),
  toBedrockModel('anthropic.claude-sonnet-5', { inferenceTypesSupported: ['INFERENCE_PROFILE'] }),
  toBedrockModel('anthropic.claude-opus-5-5', { inferenceTypesSupported: ['INFERENCE_PROFILE'] }),
  toBedrockModel('meta.llama3-3-70b-instruct-v1:0', { inferenceTypesSupported: ['ON_DEMAND', 'INFERENCE_PROFILE'] }),
  toBedrockModel('anthropic.claude-v2:1', { status: 'LEGACY' }),
];

function toProfile(inferenceProfileId: string): Profile {
  const [place = ''] = inferenceProfileId.split('.');
  const model = inferenceProfileId.slice(place.length + 1);
  return {
    inferenceProfileId,
    inferenceProfileName: `${place.toUpperCase()} ${model}`,
    models: [model],
    type: 'SYSTEM_DEFINED',
  };
}

export const initialProfiles: Profile[] = [
  toProfile('us.anthropic.claude-sonnet-5'),
  toProfile('us.anthropic.claude-opus-5-5'),
  toProfile('us.meta.llama3-3-70b-instruct-v1:0'),
  toProfile('eu.anthropic.claude-sonnet-5'),
  toProfile('global.anthropic.claude-sonnet-5'),
];

export const initialGuardrails: Guardrail[] = [
  { id: 'gr1homenetwork', name: 'home-network', versions: ['1', '2'] },
  { id: 'gr2draftonly', name: 'draft-only', versions: [] },
];

/** Invents `count` models for every provider, always the same. */
export function inventModels(count: number) {
  const numbers = Array.from({ length: count }, (_, index) => String(index + 1).padStart(4, '0'));
  const modelIds = numbers.map((number) => `made-up.model-${number}-v1:0`);
  return {
    local: numbers.map((number) => `made-up-${number}:1b`),
    cloud_a: numbers.map((number) => toAnthropicModel(`claude-made-up-${number}`)),
    cloud_b: numbers.map((number) => `gpt-made-up-${number}`),
    foundationModels: modelIds.map((id) => toBedrockModel(id)),
    profiles: modelIds.map((id) => toProfile(`us.${id}`)),
  };
}
