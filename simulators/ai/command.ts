// `gatehouse sim ai`.
import { wholeOption } from '#kernel/process/option-value.ts';
import { UsageError } from '#kernel/process/program.ts';
import { type SimulatorCommand, serveControl, text } from '../command.ts';
import { startAi } from './ai.ts';
import { aiControlRoutes } from './control.ts';
import { aiFaults } from './faults.ts';
import { changedSettings, plainSettings } from './settings.ts';

export const aiCommand: SimulatorCommand = {
  kind: 'ai',
  ports: { port: 4030, control: 2941 },
  help: {
    title: 'AI providers',
    text: `  --models N               made-up models besides the standing ones at every provider, 0 to 5000 (0)
  --region NAME            region of Bedrock, which signatures must name (us-east-1)
`,
  },
  options: { models: { type: 'string' }, region: { type: 'string' } },
  plan(given) {
    const madeUpModels = wholeOption('models', text(given, 'models') ?? '0', [0, 5000]);
    const region = text(given, 'region') ?? plainSettings().region;
    const settings = { madeUpModels, region };
    try {
      changedSettings(plainSettings(), settings);
    } catch {
      throw new UsageError(`--region takes the name of an AWS region such as us-east-1, not "${region}"`);
    }
    return async (starting) => {
      const { place, clock, stack, onEntry } = starting;
      const ai = stack.use(
        await startAi({ clock, signatureClock: clock, host: place.host, port: place.port, settings, onEntry }),
      );
      const control = await serveControl(starting, {
        title: 'Simulated AI providers',
        control: ai.control,
        faults: aiFaults,
        extra: aiControlRoutes(ai.control),
      });
      return { url: ai.url.origin, control, ...ai.urls, region: ai.region, keys: ai.keys };
    };
  },
};
