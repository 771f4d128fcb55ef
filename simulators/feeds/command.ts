// `gatehouse sim feeds`.
import { wholeOption } from '#kernel/process/option-value.ts';
import { type SimulatorCommand, serveControl, text } from '../command.ts';
import { feedsControlRoutes } from './control.ts';
import { feedFaults } from './faults.ts';
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
  options: { entries: { type: 'string' } },
  plan(given) {
    const entries = text(given, 'entries');
    const count = entries === null ? null : wholeOption('entries', entries, [0, 200_000]);
    return async (starting) => {
      const { place, clock, stack } = starting;
      const feeds = stack.use(
        await startFeeds({ clock, host: place.host, port: place.port, onEntry: starting.onEntry }),
      );
      if (count !== null) {
        feeds.control.patch({ madeUp: { ioc: count, url: count } });
      }
      const control = await serveControl(starting, {
        title: 'Simulated threat feeds',
        control: feeds.control,
        faults: feedFaults,
        extra: feedsControlRoutes(feeds.control),
      });
      return { url: feeds.url.origin, control, authKey: feeds.authKey, ...feeds.keys };
    };
  },
};
