// Handlers of the threat feeds.
import { feedNames } from '#contract/threat.ts';
import { refuseField } from '#kernel/errors.ts';
import { withChanges } from '#kernel/text/changes.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { RouteHandlers } from '../../base/feature.ts';
import type { SettingsDocument } from '../../base/settings/document.ts';
import { parseAllowed } from './feeds/false-positives.ts';
import type { Threat } from './threat.ts';

export interface FeedHandlerOptions {
  threat: Threat;
  document: SettingsDocument;
  clock: Clock;
}

export type FeedHandlers = RouteHandlers<'threat', 'feeds' | 'feedsConfig' | 'saveFeedsConfig'>;

export function createFeedHandlers({ threat, document, clock }: FeedHandlerOptions): FeedHandlers {
  const feedsConfig = () => {
    const { authKey, feeds, dropLevel, allowList } = document.current().threat;
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
      const { authKey, clearAuthKey, feeds = {}, ...changes } = body;
      requireAllowed(changes.allowList ?? []);
      document.update((all) => {
        const threat = withChanges(all.threat, changes);
        const switches = { ...threat.feeds };
        for (const name of feedNames) {
          switches[name] = feeds[name]?.enabled ?? switches[name];
        }
        const key = clearAuthKey ? '' : authKey || threat.authKey;
        return { ...all, threat: { ...threat, authKey: key, feeds: switches } };
      });
      threat.settingsChanged();
      return { success: true, ...feedsConfig() };
    },
  };
}

/** Throws AppError `invalid_body` for the first entry of an allow list that cannot be listed. */
export function requireAllowed(allowList: readonly string[]): void {
  const wrong = allowList.findIndex((entry) => parseAllowed(entry) === null);
  if (wrong >= 0) {
    throw refuseField(
      'invalid_body',
      `allowList.${wrong}`,
      'must be a public address, a range of them or a name',
      'not_public',
    );
  }
}
