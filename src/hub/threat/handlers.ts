// Handlers of the threat feeds.
import { feedNames, type threatRoutes } from '#contract/threat.ts';
import type { Clock } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import type { Handlers } from '#kernel/http/route.ts';
import type { Principal } from '../auth/principal.ts';
import type { SettingsDocument } from '../settings/document.ts';
import { parseAllowed } from './feeds/false-positives.ts';
import type { Threat } from './threat.ts';

export interface FeedHandlerOptions {
  threat: Threat;
  document: SettingsDocument;
  clock: Clock;
}

type Mine = Pick<Handlers<typeof threatRoutes, Principal>, 'feeds' | 'feedsConfig' | 'saveFeedsConfig'>;

export function feedHandlers({ threat, document, clock }: FeedHandlerOptions): Mine {
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
  };
}
