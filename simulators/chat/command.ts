// `gatehouse sim chat`.
import { wholeOption } from '#kernel/process/option-value.ts';
import { UsageError } from '#kernel/process/program.ts';
import { type SimulatorCommand, serveControl, text } from '../command.ts';
import { chatFaults } from './faults.ts';
import { plainSettings } from './settings.ts';
import { startChat } from './workspace.ts';

export const chatCommand: SimulatorCommand = {
  kind: 'chat',
  ports: { port: 4020, control: 2937 },
  help: {
    title: 'Chat workspace',
    text: `  --token TEXT             the bot's token, 8 to 512 characters (a random one)
  --pace MS                milliseconds between two messages of a channel, else 429; 0 to 60000 (0)
`,
  },
  options: { token: { type: 'string' }, pace: { type: 'string' } },
  plan(given) {
    const token = text(given, 'token');
    if (token !== null && !/^[\x21-\x7e]{8,512}$/.test(token)) {
      throw new UsageError('--token takes 8 to 512 printable characters without spaces');
    }
    const channelPaceMs = wholeOption('pace', text(given, 'pace') ?? '0', [0, 60_000]);
    return async (starting) => {
      const { place, clock, stack, onEntry } = starting;
      const settings = { ...(token === null ? {} : { tokens: plainSettings(token).tokens }), channelPaceMs };
      const chat = stack.use(await startChat({ clock, host: place.host, port: place.port, settings, onEntry }));
      const control = await serveControl(starting, {
        title: 'Simulated chat workspace',
        control: chat.control,
        faults: chatFaults,
      });
      return { url: chat.url.href, control, ...chat.credentials };
    };
  },
};
