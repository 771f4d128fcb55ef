// What of the simulated AI providers can be changed while they run: keys, models, guardrails, the answer.
import { z } from 'zod';
import { parseChange, pickDefined } from '../support/change.ts';
import {
  anthropicModel,
  anthropicModelSchema,
  firstFoundationModels,
  firstGuardrails,
  firstModels,
  firstProfiles,
  foundationModelSchema,
  guardrailSchema,
  madeUpModels,
  profileSchema,
} from './catalog.ts';

/** Printable, without spaces: what fits into a header. */
const key = z.string().regex(/^[\x21-\x7e]{1,200}$/);
const ids = z.array(z.string().min(1).max(400));

const keysSchema = z.strictObject({ cloud_a: key, cloud_b: key, accessKeyId: key, secretAccessKey: key });
export type AiKeys = z.output<typeof keysSchema>;

const modelsSchema = z.strictObject({
  local: ids,
  /** An id alone stands for a model that is active. */
  cloud_a: z.array(
    z.union([
      anthropicModelSchema,
      z
        .string()
        .min(1)
        .max(400)
        .transform((id) => anthropicModel(id)),
    ]),
  ),
  cloud_b: ids,
});

export const settingsSchema = z.strictObject({
  keys: keysSchema,
  /** Region of Bedrock, which signatures must name. */
  region: z.string().regex(/^[a-z]{2}(?:-[a-z]+)+-\d$/),
  models: modelsSchema,
  foundationModels: z.array(foundationModelSchema),
  profiles: z.array(profileSchema),
  guardrails: z.array(guardrailSchema),
  /** Models besides those, at every provider. */
  madeUpModels: z.int().min(0).max(5000),
  /** A page of a listing has at most so many entries. */
  pageLimit: z.int().min(1).max(1000),
  /** The text of every answer; null: made from the facts. */
  answer: z.string().max(1_000_000).nullable(),
  /** So many tokens of a prompt were cached; null: the usage does not tell. */
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
    models: firstModels,
    foundationModels: [...firstFoundationModels],
    profiles: [...firstProfiles],
    guardrails: [...firstGuardrails],
    madeUpModels: 0,
    pageLimit: 1000,
    answer: null,
    cachedTokens: null,
  });
}

const changeSchema = settingsSchema.extend({ keys: keysSchema.partial(), models: modelsSchema.partial() }).partial();

/** Part of the settings. */
export type SettingsChange = z.input<typeof changeSchema>;

/** The settings with part of them changed; throws naming the first member that is unknown or invalid. */
export function changeSettings(settings: AiSettings, change: Record<string, unknown>): AiSettings {
  const { keys, models, ...rest } = pickDefined(parseChange(changeSchema, change));
  return {
    ...settings,
    ...rest,
    keys: { ...settings.keys, ...pickDefined(keys ?? {}) },
    models: { ...settings.models, ...pickDefined(models ?? {}) },
  };
}

export function listOffers({ models, foundationModels, profiles, madeUpModels: count }: AiSettings) {
  const more = madeUpModels(count);
  return {
    local: [...models.local, ...more.local],
    cloud_a: [...models.cloud_a, ...more.cloud_a],
    cloud_b: [...models.cloud_b, ...more.cloud_b],
    foundationModels: [...foundationModels, ...more.foundationModels],
    profiles: [...profiles, ...more.profiles],
  };
}
