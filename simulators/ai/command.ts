// `gatehouse sim ai`.
import { UsageError } from '#kernel/process/program.ts';
import { optionNumber, optionText, type SimulatorCommand, serveControl } from '../command.ts';
import type { ApiName, OptionTable } from '../option-table.ts';
import { type AiOptions, startAi } from './ai.ts';
import { aiControlRoutes } from './control.ts';
import { aiFaults, requireFaultOptions } from './faults.ts';
import { changeSettings, createSettings } from './settings.ts';

export const aiOptions = {
  models: {
    takes: 'N',
    says: 'made-up models besides the standing ones at every provider, 0 to 5000 (0)',
    api: 'settings.madeUpModels',
  },
  region: { takes: 'NAME', says: 'region of Bedrock, which signatures must name (us-east-1)', api: 'settings.region' },
} satisfies OptionTable<ApiName<AiOptions>>;

export const aiCommand: SimulatorCommand = {
  kind: 'ai',
  ports: { port: 4030, control: 2941 },
  help: { title: 'AI providers' },
  options: aiOptions,
  faults: aiFaults,
  checkFault: requireFaultOptions,
  plan(given) {
    const madeUpModels = optionNumber(given, 'models', [0, 5000], 0);
    const region = optionText(given, 'region') ?? createSettings().region;
    const settings = { madeUpModels, region };
    try {
      changeSettings(createSettings(), settings);
    } catch {
      throw new UsageError(`--region takes the name of an AWS region such as us-east-1, not "${region}"`);
    }
    return async (starting) => {
      const { options, stack } = starting;
      const ai = stack.use(await startAi({ ...options, signatureClock: options.clock, settings }));
      const control = await serveControl(starting, {
        title: 'Simulated AI providers',
        control: ai,
        extra: aiControlRoutes(ai),
      });
      return { url: ai.url.origin, control, ...ai.urls, region: ai.region, keys: ai.keys };
    };
  },
};
