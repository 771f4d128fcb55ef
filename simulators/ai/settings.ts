// Settings of the simulated AI providers, which can be changed while they run: keys, models, guardrails, the answer.
import { z } from 'zod';
import { parseChange, pickDefined } from '../support/change.ts';
import {
  anthropicModelSchema,
  foundationModelSchema,
  guardrailSchema,
  initialFoundationModels,
  initialGuardrails,
  initialModels,
  initialProfiles,
  inventModels,
  modelIdSchema,
  profileSchema,
  toAnthropicModel,
} from './catalog.ts';

/** A key must fit into a header: printable ASCII without spaces. */
const key = z.string().regex(/^[\x21-\x7e]{1,200}$/);
const modelIdsSchema = z.array(modelIdSchema);

/** `accessKeyId` and `secretAccessKey` are the AWS keys of Bedrock. */
const keysSchema = z.strictObject({ cloud_a: key, cloud_b: key, accessKeyId: key, secretAccessKey: key });
export type AiKeys = z.output<typeof keysSchema>;

const modelsSchema = z.strictObject({
  local: modelIdsSchema,
  /** An id alone stands for an active model with default limits. */
  cloud_a: z.array(z.union([anthropicModelSchema, modelIdSchema.transform((id) => toAnthropicModel(id))])),
  cloud_b: modelIdsSchema,
});

export const settingsSchema = z.strictObject({
  keys: keysSchema,
  /** The AWS region of Bedrock. Signatures must name it. */
  region: z.string().regex(/^[a-z]{2}(?:-[a-z]+)+-\d$/),
  models: modelsSchema,
  foundationModels: z.array(foundationModelSchema),
  profiles: z.array(profileSchema),
  guardrails: z.array(guardrailSchema),
  /** How many invented models every provider has in addition. */
  madeUpModels: z.int().min(0).max(5000),
  /** The largest number of entries on a page of a listing. */
  pageLimit: z.int().min(1).max(1000),
  /** The text of every answer; null: the simulator writes one from the facts in the prompt. */
  answer: z.string().max(1_000_000).nullable(),
  /** How many tokens of a prompt an answer reports as cached; null: it reports no such number. */
  cachedTokens: z.int().min(0).nullable(),
});
export type AiSettings = z.output<typeof settingsSchema>;

export function createSettings(): AiSettings {
  return structuredClone({
    keys: {
      cloud_a: 'sk-ant-key-of-the-simulator',
      cloud_b: 'sk-proj-key-of-the-simulator',
      accessKeyId: 'AKIASIMULATOR0000001',
      secretAccessKey: 'secret-access-key-of-the-simulator',
    },
    region: 'us-east-1',
    models: initialModels,
    foundationModels: initialFoundationModels,
    profiles: initialProfiles,
    guardrails: initialGuardrails,
    madeUpModels: 0,
    pageLimit: 1000,
    answer: null,
    cachedTokens: null,
  });
}

const changeSchema = settingsSchema.extend({ keys: keysSchema.partial(), models: modelsSchema.partial() }).partial();

export type SettingsChange = z.input<typeof changeSchema>;

/** Returns the settings with the change applied. Throws an Error that names the first unknown or invalid member. */
export function changeSettings(settings: AiSettings, change: Record<string, unknown>): AiSettings {
  const { keys, models, ...rest } = pickDefined(parseChange(changeSchema, change));
  return {
    ...settings,
    ...rest,
    keys: { ...settings.keys, ...pickDefined(keys ?? {}) },
    models: { ...settings.models, ...pickDefined(models ?? {}) },
  };
}

/** Lists what every provider offers: the models of the settings, and then the invented ones. */
export function listOffers({ models, foundationModels, profiles, madeUpModels }: AiSettings) {
  const invented = inventModels(madeUpModels);
  return {
    local: [...models.local, ...invented.local],
    cloud_a: [...models.cloud_a, ...invented.cloud_a],
    cloud_b: [...models.cloud_b, ...invented.cloud_b],
    foundationModels: [...foundationModels, ...invented.foundationModels],
    profiles: [...profiles, ...invented.profiles],
  };
}
