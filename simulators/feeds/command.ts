// `gatehouse sim feeds`.
import { optionNumber, type SimulatorCommand, serveControl } from '../command.ts';
import type { ApiName, OptionTable } from '../option-table.ts';
import { feedsControlRoutes } from './control.ts';
import { feedFaults, requireFaultValue } from './faults.ts';
import { type FeedsOptions, startFeeds } from './feeds.ts';
import { mostEntries } from './listing.ts';

export const feedsOptions = {
  entries: {
    takes: 'N',
    says: `made-up entries of ThreatFox and URLhaus, 0 to ${mostEntries}, instead of a few standing ones\nA hub asks here with MONITOR_THREAT_MIRROR=http://127.0.0.1:4010`,
    api: 'entries',
  },
} satisfies OptionTable<ApiName<FeedsOptions>>;

export const feedsCommand: SimulatorCommand = {
  kind: 'feeds',
  ports: { port: 4010, control: 2938 },
  help: { title: 'Threat feeds and reputation services' },
  options: feedsOptions,
  faults: feedFaults,
  checkFault: requireFaultValue,
  plan(given) {
    const entries = optionNumber(given, 'entries', [0, mostEntries], null);
    return async (starting) => {
      const options = { ...starting.options, ...(entries === null ? {} : { entries }) };
      const feeds = starting.stack.use(await startFeeds(options));
      const control = await serveControl(starting, {
        title: 'Simulated threat feeds',
        control: feeds,
        extra: feedsControlRoutes(feeds),
      });
      return { url: feeds.url.origin, control, authKey: feeds.authKey, ...feeds.keys };
    };
  },
};
