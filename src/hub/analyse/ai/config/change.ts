// A change of the AI settings as a whole: what results from it is valid, or nothing is changed.
import type { z } from 'zod';
import type { aiConfigRoutes } from '#contract/ai-config.ts';
import { aiCloudNames, aiKeyNames } from '#contract/ai-records.ts';
import { AppError, refuseField } from '#kernel/errors.ts';
import { withChanges } from '#kernel/text/changes.ts';
import { type AiSettings, isConsented, isReachableOffline, providerTitles } from '../choice.ts';
import { requireEndpoint } from '../providers/endpoint.ts';

export type AiChange = z.output<typeof aiConfigRoutes.saveConfig.body>;

/**
 * The settings with what `change` names; the rest stays. Throws AppError `ai_endpoint_rejected`, `invalid_body`,
 * `ai_consent_missing` or `ai_offline`.
 */
export function applyAiChange(before: AiSettings, change: AiChange, offline: boolean): AiSettings {
  const { provider = before.provider, models = {}, localEndpoint, region, guardrail = {} } = change;
  const after: AiSettings = {
    ...withChanges(before, { provider, localEndpoint, region }),
    models: withChanges(before.models, models),
    keys: applyKeys(before, change),
    consents: applyConsents(before, change),
    guardrail: withChanges(before.guardrail, guardrail),
    notifications: dropAutomationConsentOnSwitch(before, provider),
  };
  if (localEndpoint !== undefined) {
    requireEndpoint(localEndpoint);
  }
  if (after.guardrail.enabled && after.guardrail.id === '') {
    throw refuseField(
      'invalid_body',
      'guardrail.id',
      'is missing: name the guardrail, or set guardrail.enabled to false',
      'missing',
    );
  }
  if (provider !== 'disabled' && !isConsented(after, provider)) {
    throw new AppError(
      'ai_consent_missing',
      `${providerTitles[provider]} is a service outside this network: agree with cloudConsent: {"${provider}": true} that data is sent to it, or choose another provider`,
    );
  }
  const isChosenNow = change.provider !== undefined || localEndpoint !== undefined;
  if (offline && isChosenNow && provider !== 'disabled' && !isReachableOffline(after)) {
    throw new AppError(
      'ai_offline',
      'the hub is in offline mode: choose local with the private IP address of the AI server as localEndpoint, or disabled',
    );
  }
  return after;
}

/** An empty key keeps the stored one. A key in `clearKeys` is cleared even when `keys` has a new one. */
function applyKeys({ keys: before }: AiSettings, { keys = {}, clearKeys = [] }: AiChange): AiSettings['keys'] {
  const next = { ...before };
  for (const name of aiKeyNames) {
    next[name] = clearKeys.includes(name) ? '' : keys[name] || before[name];
  }
  return next;
}

/** `cloudConsent: true` consents to the provider that this change leaves chosen. */
function applyConsents(before: AiSettings, change: AiChange): AiSettings['consents'] {
  const { provider = before.provider, cloudConsent = {} } = change;
  if (cloudConsent !== true) {
    return withChanges(before.consents, cloudConsent);
  }
  const name = aiCloudNames.find((cloud) => cloud === provider);
  return name === undefined ? before.consents : { ...before.consents, [name]: true };
}

/** The consent to automatic requests is for one provider. It ends with a switch, and a switch back does not restore it. */
function dropAutomationConsentOnSwitch({ provider, notifications }: AiSettings, next: AiSettings['provider']) {
  return next === provider ? notifications : { ...notifications, automationConsent: null };
}
