// `gatehouse sim trapper`.
import { type SimulatorCommand, serveControl, text } from '../command.ts';
import { trapperControlRoutes } from './control-routes.ts';
import { trapperFaults } from './faults.ts';
import { startTrapper } from './trapper.ts';

const upsKeys = ['status', 'load', 'runtime', 'voltage', 'battery', 'batteryvoltage'].map((item) => `ups.${item}`);

export const trapperCommand: SimulatorCommand = {
  kind: 'trapper',
  ports: { port: 10051, control: 2936 },
  help: {
    title: 'Trapper listener',
    text: `  --known-host NAME        processes only the values ${upsKeys.join(', ')}
                           of this host (any host with any key)
`,
  },
  options: { 'known-host': { type: 'string' } },
  plan(given) {
    const host = text(given, 'known-host');
    return async (starting) => {
      const { place, clock, stack } = starting;
      const trapper = stack.use(
        await startTrapper({
          clock,
          host: place.host,
          port: place.port,
          known: host === null ? null : { [host]: upsKeys },
          onEntry: starting.onEntry,
        }),
      );
      const control = await serveControl(starting, {
        title: 'Simulated trapper listener',
        control: trapper.control,
        faults: trapperFaults,
        extra: trapperControlRoutes(trapper.control),
      });
      return { url: trapper.url.href, control };
    };
  },
};
