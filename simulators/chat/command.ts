// `gatehouse sim chat`.
import { UsageError } from '#kernel/process/program.ts';
import { optionNumber, optionText, type SimulatorCommand, serveControl } from '../command.ts';
import type { ApiName, OptionTable } from '../option-table.ts';
import { chatFaults, requireFaultOptions } from './faults.ts';
import { createSettings } from './settings.ts';
import { type ChatOptions, startChat } from './workspace.ts';

export const chatOptions = {
  token: {
    takes: 'TEXT',
    says: "the bot's token, 8 to 512 characters (a random one)",
    api: 'settings.tokens',
    differs: 'a list of tokens with their scopes',
  },
  pace: {
    takes: 'MS',
    says: 'milliseconds between two messages of a channel, else 429; 0 to 60000 (0)',
    api: 'settings.channelPaceMs',
  },
} satisfies OptionTable<ApiName<ChatOptions>>;

export const chatCommand: SimulatorCommand = {
  kind: 'chat',
  ports: { port: 4020, control: 2937 },
  help: { title: 'Chat workspace' },
  options: chatOptions,
  faults: chatFaults,
  checkFault: requireFaultOptions,
  plan(given) {
    const token = optionText(given, 'token');
    if (token !== null && !/^[\x21-\x7e]{8,512}$/.test(token)) {
      throw new UsageError('--token takes 8 to 512 printable characters without spaces');
    }
    const channelPaceMs = optionNumber(given, 'pace', [0, 60_000], 0);
    return async (starting) => {
      const settings = { ...(token === null ? {} : { tokens: createSettings(token).tokens }), channelPaceMs };
      const chat = starting.stack.use(await startChat({ ...starting.options, settings }));
      const control = await serveControl(starting, {
        title: 'Simulated chat workspace',
        control: chat,
      });
      return { url: chat.url.href, control, ...chat.credentials };
    };
  },
};
