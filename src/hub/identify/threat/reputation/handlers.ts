// Handlers of the manual look-up.
import { type ProviderName, providerNames } from '#contract/threat.ts';
import { AppError } from '#kernel/errors.ts';
import { canonicalIp, isPublicIp } from '#kernel/net/address.ts';
import { withChanges } from '#kernel/text/changes.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { RouteHandlers } from '../../../base/feature.ts';
import type { SettingsDocument } from '../../../base/settings/document.ts';
import type { Reputation, Result } from './look-up.ts';

export type ReputationHandlers = RouteHandlers<'threat', 'manualThreat' | 'saveManualThreat' | 'lookUp'>;

export function createReputationHandlers({
  reputation,
  document,
  clock,
  offline,
}: {
  reputation: Reputation;
  document: SettingsDocument;
  clock: Clock;
  offline: boolean;
}): ReputationHandlers {
  const readConfig = () => {
    const { keys, cacheTtlMinutes, minIntervalSeconds } = document.current().threat;
    const set = (name: ProviderName) => ({ keySet: keys[name] !== '' });
    const providers = { rep_a: set('rep_a'), rep_b: set('rep_b'), rep_c: set('rep_c') };
    return { providers, cacheTtlMinutes, minIntervalSeconds };
  };
  return {
    manualThreat: readConfig,
    saveManualThreat({ body }) {
      const { keys = {}, clearKeys = [], ...changes } = body;
      document.update((all) => {
        const next = { ...all.threat.keys };
        for (const name of providerNames) {
          next[name] = clearKeys.includes(name) ? '' : keys[name] || next[name];
        }
        return { ...all, threat: { ...withChanges(all.threat, changes), keys: next } };
      });
      reputation.forget();
      return { success: true, ...readConfig() };
    },
    async lookUp({ body, signal }) {
      const ip = requirePublicAddress(body.ip);
      if (offline) {
        throw new AppError('offline_mode', 'the hub is in offline mode: it asks no reputation service');
      }
      const asked = providerNames.filter((name) => body.providers.includes(name));
      const found = await Promise.all(asked.map(async (name) => [name, await reputation.lookUp(name, ip, signal)]));
      const results = Object.fromEntries(found) as { [N in ProviderName]?: Result<N> };
      return { success: true, ip, checkedAt: clock.now(), results };
    },
  };
}

function requirePublicAddress(text: string): string {
  const ip = canonicalIp(text);
  // An IPv4-mapped IPv6 address is refused, not converted.
  if (ip === null || ip.includes(':') !== text.includes(':') || text.includes('%') || !isPublicIp(ip)) {
    throw new AppError('address_not_public', 'ip must be a public IPv4 or IPv6 address');
  }
  return ip;
}
