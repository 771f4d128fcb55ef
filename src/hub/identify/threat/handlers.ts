// Handlers of the threat feeds.
import type { z } from 'zod';
import { type feedChanges, feedNames } from '#contract/threat.ts';
import { refuseField } from '#kernel/errors.ts';
import { withChanges } from '#kernel/text/changes.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { RouteHandlers } from '../../base/feature.ts';
import type { SettingsDocument } from '../../base/settings/document.ts';
import type { Settings } from '../../base/settings/schema.ts';
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
      const { authKey, clearAuthKey } = body;
      document.update((all) => {
        const changed = changeFeeds(all.threat, body);
        return { ...all, threat: { ...changed, authKey: clearAuthKey ? '' : authKey || changed.authKey } };
      });
      threat.settingsChanged();
      return { success: true, ...feedsConfig() };
    },
  };
}

/** Returns the settings with `changes`. Throws AppError `invalid_body`, whose field begins with `path`. */
export function changeFeeds(
  saved: Settings['threat'],
  { feeds = {}, dropLevel, allowList }: z.output<typeof feedChanges>,
  path = '',
): Settings['threat'] {
  requireAllowed(allowList ?? [], path);
  const switches = { ...saved.feeds };
  for (const name of feedNames) {
    switches[name] = feeds[name]?.enabled ?? switches[name];
  }
  return { ...withChanges(saved, { dropLevel, allowList }), feeds: switches };
}

/** Throws AppError `invalid_body` for the first entry of an allow list that cannot be listed; its field begins with `path`. */
function requireAllowed(allowList: readonly string[], path = ''): void {
  const wrong = allowList.findIndex((entry) => parseAllowed(entry) === null);
  if (wrong >= 0) {
    const field = `${path}allowList.${wrong}`;
    throw refuseField('invalid_body', field, 'must be a public address, a range of them or a name', 'not_public');
  }
}
