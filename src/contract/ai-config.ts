// Who answers questions, and what it offers
// (docs/reference/wire-contract/4-endpoints.md#410-ai-configuration-and-discovery).
import { z } from 'zod';
import { get, post } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, can } from './access.ts';
import { aiLimits as limits } from './ai-limits.ts';
import { aiChoice, aiCost, aiKeyNames, aiModelPricing, aiPricingStatus, aiProvider } from './ai-records.ts';

const most = (characters: number) => `must be at most ${characters} characters`;
const modelName = z
  .string()
  .trim()
  .max(limits.aiModelName, most(limits.aiModelName))
  .describe('Name of the model at this provider; empty: none is chosen');
/** A foundation model, an inference profile or an ARN (docs/reference/rest-api.md#ai). */
const bedrockModel = z
  .string()
  .trim()
  .max(limits.aiModelArn, most(limits.aiModelArn))
  .regex(
    /^(?:|(?:(?:global|us|eu|apac|jp|au)\.)?[a-z0-9][a-z0-9-]*\.[A-Za-z0-9][A-Za-z0-9._:-]*|arn:[\x21-\x7e]+)$/,
    'must be the id of a foundation model, of an inference profile (global., us., eu., apac., jp. or au.) or an ARN',
  )
  .describe('Id of a foundation model or of an inference profile, or an ARN; empty: none is chosen');
const region = z
  .string()
  .max(limits.aiRegion, most(limits.aiRegion))
  .regex(/^[a-z]{2}(?:-[a-z]+)+-\d$/, 'must be a region such as eu-central-1')
  .describe('Region of AWS Bedrock');
const key = z
  .string()
  .max(limits.aiKey, most(limits.aiKey))
  .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without spaces')
  .describe('Empty or absent keeps the stored one');

const guardrail = z.object({ enabled: z.boolean(), id: z.string(), version: z.string() });
const keySet = z.boolean().describe('A key is stored; it is never shown');
const consented = z.boolean().describe('It was agreed that data is sent to this service');

export const aiConfig = z.object({
  provider: aiChoice,
  models: z.object({ local: z.string(), cloud_a: z.string(), cloud_b: z.string(), cloud_c: z.string() }),
  localEndpoint: z.string(),
  region: z.string(),
  guardrail,
  providers: z
    .object({
      local: z.object({ keySet: z.literal(false) }),
      cloud_a: z.object({ keySet, consented }),
      cloud_b: z.object({ keySet, consented }),
      cloud_c: z.object({ keySet: z.literal(false), consented }),
    })
    .describe('What is stored of each besides its model'),
  selectedModelPricing: aiPricingStatus.nullable().describe('Null when no provider or no model is chosen'),
});
export type AiConfig = z.output<typeof aiConfig>;

const listedGuardrail = z.object({
  id: z.string(),
  arn: z.string().nullable(),
  name: z.string(),
  versions: z.array(z.string()).describe('DRAFT first'),
});
export type AiGuardrail = z.output<typeof listedGuardrail>;

const agreed = z.boolean().optional().describe('Data may be sent to this service');
const consents = z.strictObject({ cloud_a: agreed, cloud_b: agreed, cloud_c: agreed });

export const aiConfigRoutes = {
  config: get('/api/config/ai', can('settings.write'), {
    summary: 'The AI provider, its models and what was agreed to; keys are never shown',
    reply: { 200: aiConfig },
  }),
  saveConfig: post('/api/config/ai', can('settings.write'), {
    summary: 'Change the AI provider and its settings; what is left out stays',
    details:
      'A cloud provider can be chosen only with consent: cloudConsent names the providers to which data may be sent, or is true for the one chosen in this request. Nothing is sent by saving.',
    refusals: ['ai_consent_missing', 'ai_offline', 'ai_endpoint_rejected', 'save_failed'],
    body: z.strictObject({
      provider: aiChoice.optional().describe('Who is asked'),
      models: z
        .strictObject({
          local: modelName.optional(),
          cloud_a: modelName.optional(),
          cloud_b: modelName.optional(),
          cloud_c: bedrockModel.optional(),
        })
        .optional()
        .describe('The model of each provider'),
      keys: z
        .strictObject({ cloud_a: key.optional(), cloud_b: key.optional() })
        .optional()
        .describe('Keys of the services that have one'),
      clearKeys: z
        .array(z.enum(aiKeyNames))
        .max(aiKeyNames.length)
        .optional()
        .describe('Whose stored key is removed, also one of this request'),
      cloudConsent: z
        .union([z.literal(true), consents])
        .optional()
        .describe('To which services data may be sent; true: to the provider that is chosen with this request'),
      localEndpoint: z
        .string()
        .trim()
        .max(limits.aiEndpoint, most(limits.aiEndpoint))
        .optional()
        .describe('http or https address of the local AI server, with or without /v1 at its end'),
      region: z
        .union([z.literal(''), region])
        .optional()
        .describe('Region of AWS Bedrock; empty: none is chosen'),
      guardrail: z
        .strictObject({
          enabled: z.boolean().optional(),
          id: z
            .string()
            .trim()
            .max(limits.aiGuardrailId, most(limits.aiGuardrailId))
            .optional()
            .describe('Id or ARN of the guardrail'),
          version: z
            .string()
            .trim()
            .max(limits.aiGuardrailVersion, most(limits.aiGuardrailVersion))
            .optional()
            .describe('DRAFT or a number; DRAFT when empty'),
        })
        .optional()
        .describe('Guardrail of AWS Bedrock that filters questions and answers; it does not keep them in a country'),
    }),
    reply: { 200: z.object({ success: z.literal(true), ...aiConfig.shape }) },
  }),
  models: post('/api/ai/models', can('settings.write'), {
    summary: `Text models and inference profiles of AWS Bedrock in a region, ${limits.aiModels} at most; nothing is generated`,
    details:
      'A listing that the account may not make, or that fails, is empty: the name of a model can always be entered by hand.',
    refusals: ['ai_offline', 'ai_disabled'],
    body: z.strictObject({ region }),
    reply: {
      200: z.object({
        success: z.literal(true),
        provider: z.literal('cloud_c'),
        models: z.array(z.string()),
        modelPricing: aiModelPricing,
      }),
    },
  }),
  checkPricing: post('/api/ai/pricing/check', can('settings.write'), {
    summary: 'Whether the price catalog has a standard price per token of a model; no provider is asked',
    body: z.strictObject({
      provider: aiProvider.describe('Whose model it is'),
      model: z.string().trim().min(1).max(limits.aiModelArn).describe('Name of the model, as the provider calls it'),
    }),
    reply: { 200: z.object({ success: z.literal(true), ...aiPricingStatus.shape }) },
  }),
  guardrails: post('/api/ai/guardrails', can('settings.write'), {
    summary: `Guardrails of AWS Bedrock in a region, ${limits.aiGuardrails} at most; nothing is generated`,
    details:
      'A listing that the account may not make, or that fails, is empty. A guardrail filters texts; it does not make sure that they are processed in a country.',
    refusals: ['ai_offline', 'ai_disabled'],
    body: z.strictObject({ region }),
    reply: {
      200: z.object({
        success: z.literal(true),
        provider: z.literal('cloud_c'),
        guardrails: z.array(listedGuardrail),
      }),
    },
  }),
  test: post('/api/ai/test', can('settings.write'), {
    summary: 'Ask the chosen provider for its models; AWS Bedrock also gets a short fixed sentence',
    details: 'No data of the network, of a device or of a threat is sent.',
    refusals: [
      'ai_disabled',
      'ai_offline',
      'ai_key_missing',
      'ai_region_missing',
      'ai_consent_required',
      'ai_busy',
      'ai_key_rejected',
      'ai_limited',
      'ai_model_unknown',
      'ai_answer_refused',
      'ai_endpoint_rejected',
      'ai_failed',
      'ai_timeout',
    ],
    body: z.strictObject({}),
    reply: {
      200: z.object({
        success: z.literal(true),
        provider: aiProvider,
        models: z.array(z.string()),
        modelPricing: aiModelPricing,
        verified: z
          .boolean()
          .optional()
          .describe('Of cloud_c: the chosen model answered. false: no model is chosen, nothing was sent to one'),
        model: z.string().optional(),
        generatedAt: z.int().optional(),
        usage: aiCost.usage.optional(),
        pricing: aiCost.pricing.optional(),
        estimatedCostUsd: aiCost.estimatedCostUsd.optional(),
      }),
    },
  }),
} as const satisfies RouteTable<Access>;
