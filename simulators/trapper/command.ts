// `gatehouse sim trapper`.
import { optionText, type SimulatorCommand, serveControl } from '../command.ts';
import type { ApiName, OptionTable } from '../option-table.ts';
import { trapperControlRoutes } from './control.ts';
import { requireFaultOptions, trapperFaults } from './faults.ts';
import { startTrapper, type TrapperOptions } from './trapper.ts';

const upsKeys = ['status', 'load', 'runtime', 'voltage', 'battery', 'batteryvoltage'].map((item) => `ups.${item}`);

export const trapperOptions = {
  'known-host': {
    takes: 'NAME',
    says: `processes only the values ${upsKeys.join(', ')}\nof this host (any host with any key)`,
    api: 'known',
    differs: 'the keys of each host by its name, such as `{ ups1: ["ups.load"] }`',
  },
} satisfies OptionTable<ApiName<TrapperOptions>>;

export const trapperCommand: SimulatorCommand = {
  kind: 'trapper',
  ports: { port: 10051, control: 2936 },
  help: { title: 'Trapper listener' },
  options: trapperOptions,
  faults: trapperFaults,
  checkFault: requireFaultOptions,
  plan(given) {
    const host = optionText(given, 'known-host');
    return async (starting) => {
      const known = host === null ? null : { [host]: upsKeys };
      const trapper = starting.stack.use(await startTrapper({ ...starting.options, known }));
      const control = await serveControl(starting, {
        title: 'Simulated trapper listener',
        control: trapper,
        extra: trapperControlRoutes(trapper),
      });
      return { url: trapper.url.href, control };
    };
  },
};
