// Handlers of the threat feeds and of the manual look-up.
import { feedNames, type ProviderName, providerNames, type threatRoutes } from '#contract/threat.ts';
import { canonicalIp, isPublicIp } from '#kernel/address.ts';
import type { Clock } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { SettingsDocument } from '../settings/document.ts';
import { parseAllowed } from './feeds/false-positives.ts';
import type { Reputation } from './look-up.ts';
import type { Threat } from './threat.ts';

export interface ThreatHandlerOptions {
  threat: Threat;
  reputation: Reputation;
  document: SettingsDocument;
  clock: Clock;
  offline: boolean;
}

export function threatHandlers<P>(options: ThreatHandlerOptions): Handlers<typeof threatRoutes, P> {
  const { threat, reputation, document, clock, offline } = options;
  const settings = () => document.current().threat;
  type Settings = ReturnType<typeof settings>;
  const save = (change: (before: Settings) => Settings) => {
    document.update((all) => ({ ...all, threat: change(all.threat) }));
  };

  const feedsConfig = () => {
    const { authKey, feeds, dropLevel, allowList } = settings();
    const switches = Object.fromEntries(feedNames.map((name) => [name, { enabled: feeds[name] }]));
    return {
      authKeySet: authKey !== '',
      feeds: switches as Record<keyof typeof feeds, { enabled: boolean }>,
      dropLevel,
      allowList,
    };
  };
  const manual = () => {
    const { keys, cacheTtlMinutes, minIntervalSeconds } = settings();
    const set = (name: ProviderName) => ({ keySet: keys[name] !== '' });
    const providers = { rep_a: set('rep_a'), rep_b: set('rep_b'), rep_c: set('rep_c') };
    return { providers, cacheTtlMinutes, minIntervalSeconds };
  };

  return {
    feeds() {
      const { available, feeds, falsePositives } = threat.state();
      return { available, feeds, falsePositives, serverTime: clock.now() };
    },
    feedsConfig,
    saveFeedsConfig({ body }) {
      const { authKey, clearAuthKey, feeds = {}, dropLevel, allowList } = body;
      const wrong = allowList?.findIndex((entry) => parseAllowed(entry) === null) ?? -1;
      if (wrong >= 0) {
        throw new AppError('invalid_body', `allowList.${wrong} must be a public address, a range of them or a name`);
      }
      save((before) => {
        const switches = { ...before.feeds };
        for (const name of feedNames) {
          switches[name] = feeds[name]?.enabled ?? before.feeds[name];
        }
        return {
          ...before,
          authKey: clearAuthKey ? '' : authKey || before.authKey,
          feeds: switches,
          dropLevel: dropLevel ?? before.dropLevel,
          allowList: allowList ?? before.allowList,
        };
      });
      threat.settingsChanged();
      return { success: true, ...feedsConfig() };
    },
    manualThreat: manual,
    saveManualThreat({ body }) {
      const { keys = {}, clearKeys = [], cacheTtlMinutes, minIntervalSeconds } = body;
      save((before) => {
        const next = { ...before.keys };
        for (const name of providerNames) {
          next[name] = clearKeys.includes(name) ? '' : keys[name] || before.keys[name];
        }
        return {
          ...before,
          keys: next,
          cacheTtlMinutes: cacheTtlMinutes ?? before.cacheTtlMinutes,
          minIntervalSeconds: minIntervalSeconds ?? before.minIntervalSeconds,
        };
      });
      reputation.forget();
      return { success: true, ...manual() };
    },
    async lookUp({ body, signal }) {
      const ip = publicAddress(body.ip);
      if (offline) {
        throw new AppError('offline_mode', 'the hub is in offline mode: it asks no reputation service');
      }
      const asked = (name: ProviderName) => body.providers.includes(name);
      const [a, b, c] = await Promise.all([
        asked('rep_a') ? reputation.lookUp('rep_a', ip, signal) : undefined,
        asked('rep_b') ? reputation.lookUp('rep_b', ip, signal) : undefined,
        asked('rep_c') ? reputation.lookUp('rep_c', ip, signal) : undefined,
      ]);
      const results = { ...(a && { rep_a: a }), ...(b && { rep_b: b }), ...(c && { rep_c: c }) };
      return { success: true, ip, checkedAt: clock.now(), results };
    },
  };
}

function publicAddress(text: string): string {
  const ip = canonicalIp(text);
  // An IPv4 address in the clothes of IPv6 is refused, not undressed.
  if (ip === null || ip.includes(':') !== text.includes(':') || text.includes('%') || !isPublicIp(ip)) {
    throw new AppError('address_not_public', 'ip must be a public IPv4 or IPv6 address');
  }
  return ip;
}
