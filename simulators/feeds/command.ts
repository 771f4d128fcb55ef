// `gatehouse sim feeds`.
import { optionNumber, type SimulatorCommand, serveControl } from '../command.ts';
import { feedsControlRoutes } from './control.ts';
import { feedFaults, requireFaultValue } from './faults.ts';
import { startFeeds } from './feeds.ts';

export const feedsCommand: SimulatorCommand = {
  kind: 'feeds',
  ports: { port: 4010, control: 2938 },
  help: {
    title: 'Threat feeds and reputation services',
    text: `  --entries N              made-up entries of ThreatFox and URLhaus, 0 to 200000, instead of a few standing ones
                           A hub asks here with MONITOR_THREAT_MIRROR=http://127.0.0.1:4010
`,
  },
  options: ['entries'],
  faults: feedFaults,
  checkFault: requireFaultValue,
  plan(given) {
    const count = optionNumber(given, 'entries', [0, 200_000], null);
    return async (starting) => {
      const feeds = starting.stack.use(await startFeeds(starting.options));
      if (count !== null) {
        feeds.control.patch({ madeUp: { ioc: count, url: count } });
      }
      const control = await serveControl(starting, {
        title: 'Simulated threat feeds',
        control: feeds.control,
        extra: feedsControlRoutes(feeds.control),
      });
      return { url: feeds.url.origin, control, authKey: feeds.authKey, ...feeds.keys };
    };
  },
};
