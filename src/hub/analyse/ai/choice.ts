// The provider that the settings choose, and whether it may be asked.
import type { AiProviderName } from '#contract/ai-records.ts';
import { AppError } from '#kernel/errors.ts';
import { canonicalIp, isLoopback, isPrivateIp, unbracketed } from '#kernel/net/address.ts';
import type { Settings } from '../../base/settings/schema.ts';
import type { Target } from './providers/provider.ts';

export type AiSettings = Settings['ai'];

export const providerTitles: Readonly<Record<AiProviderName, string>> = {
  local: 'the local AI server',
  cloud_a: 'Anthropic',
  cloud_b: 'OpenAI',
  cloud_c: 'AWS Bedrock',
};

/** Whether a request to the provider leaves the network. */
export function isCloud(provider: AiProviderName): provider is Exclude<AiProviderName, 'local'> {
  return provider !== 'local';
}

/** Whether a hub in offline mode may ask the provider: only a local server whose endpoint names a private IP address. */
export function isReachableOffline({
  provider,
  localEndpoint,
}: Pick<AiSettings, 'provider' | 'localEndpoint'>): boolean {
  const ip = canonicalIp(unbracketed(URL.parse(localEndpoint)?.hostname ?? ''));
  return provider === 'local' && ip !== null && (isPrivateIp(ip) || isLoopback(ip));
}

/**
 * The chosen provider, for a listing of its models. Throws AppError `ai_disabled`, `ai_offline`, `ai_key_missing` or
 * `ai_region_missing`.
 */
export function resolveListingTarget(settings: AiSettings, offline: boolean): Target {
  const { provider, models, localEndpoint, region, guardrail } = settings;
  if (provider === 'disabled') {
    throw new AppError('ai_disabled', 'no AI provider is chosen: choose one in the settings, under AI providers');
  }
  if (offline && !isReachableOffline(settings)) {
    throw new AppError(
      'ai_offline',
      `the hub is in offline mode: it asks no AI provider but a local server that is named by a private address`,
    );
  }
  const key = provider === 'cloud_a' || provider === 'cloud_b' ? settings.keys[provider] : '';
  if ((provider === 'cloud_a' || provider === 'cloud_b') && key === '') {
    throw new AppError(
      'ai_key_missing',
      `${providerTitles[provider]} has no key: save one in the settings, under AI providers`,
    );
  }
  if (provider === 'cloud_c' && region === '') {
    throw new AppError(
      'ai_region_missing',
      'AWS Bedrock has no region: choose one in the settings, under AI providers',
    );
  }
  return {
    provider,
    model: models[provider],
    key,
    region: provider === 'cloud_c' ? region : '',
    endpoint: provider === 'local' ? localEndpoint.replace(/\/+$/, '') : '',
    guardrail:
      provider === 'cloud_c' && guardrail.enabled && guardrail.id !== ''
        ? { id: guardrail.id, version: guardrail.version || 'DRAFT' }
        : null,
  };
}

/** As `resolveListingTarget`, for a question. Throws AppError `ai_model_missing` too. */
export function resolveQuestionTarget(settings: AiSettings, offline: boolean): Target {
  const target = resolveListingTarget(settings, offline);
  if (target.model === '') {
    throw new AppError(
      'ai_model_missing',
      `no model of ${providerTitles[target.provider]} is chosen: choose one in the settings, under AI providers`,
    );
  }
  return target;
}

/** Whether the settings hold the consent that data is sent to the provider; a local one needs none. */
export function isConsented(settings: AiSettings, provider: AiProviderName): boolean {
  return !isCloud(provider) || settings.consents[provider];
}

/** Throws AppError `ai_consent_required` when a cloud provider lacks the saved consent, or `confirmed` is false. */
export function requireConsent(settings: AiSettings, { provider }: Pick<Target, 'provider'>, confirmed: boolean): void {
  if (!isConsented(settings, provider)) {
    throw new AppError(
      'ai_consent_required',
      `nobody has agreed that data is sent to ${providerTitles[provider]}: agree in the settings, under AI providers`,
    );
  }
  if (isCloud(provider) && !confirmed) {
    throw new AppError(
      'ai_consent_required',
      `this would be sent to ${providerTitles[provider]}: confirm it with cloudConsentConfirmed: true`,
    );
  }
}
