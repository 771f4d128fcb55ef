// What /api/status says of the providers: which one is chosen, and whether it can be asked.
import { type AiProviderName, aiProviderNames } from '#contract/ai-records.ts';
import type { StatusFacts } from '../../base/feature.ts';
import { type AiSettings, isConsented, isReachableOffline } from './choice.ts';

export function describeAvailability(settings: AiSettings, offline: boolean): NonNullable<StatusFacts['features']> {
  const facts = aiProviderNames.map((name) => {
    const reason = findReason(name, settings, offline);
    return [`ai-${name}`, { enabled: reason === null, reason }] as const;
  });
  return Object.fromEntries(facts);
}

/** Why the provider cannot be asked; null when it can. */
function findReason(name: AiProviderName, settings: AiSettings, offline: boolean): string | null {
  const { provider, models, keys, region } = settings;
  if (offline && name !== 'local') {
    return 'offline_mode';
  }
  if (provider !== name) {
    return 'switched_off';
  }
  if (offline && !isReachableOffline(settings)) {
    return 'offline_mode_requires_internal_endpoint';
  }
  const isKeyMissing = (name === 'cloud_a' || name === 'cloud_b') && keys[name] === '';
  const isRegionMissing = name === 'cloud_c' && region === '';
  return models[name] === '' || isKeyMissing || isRegionMissing || !isConsented(settings, name)
    ? 'not_configured'
    : null;
}
