// The questions of `gatehouse gate init`: each has a setting, and an answer is checked as that setting is.
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { findSettingFault, type GateProfile, type Setting } from '../config.ts';
import { GateError } from '../private-file.ts';
import { UsageError } from './command.ts';

export interface Question {
  setting: Setting;
  /** The option that answers it, without the hyphens. */
  option: string;
  asks: string;
  /** The value for an empty answer. Null: an answer is needed. Empty: the setting is left out. */
  defaultAnswer: string | null;
  profiles: readonly GateProfile[];
}

const publication: readonly GateProfile[] = ['publication'];
const resourceServer: readonly GateProfile[] = ['resource-server'];
const both: readonly GateProfile[] = ['publication', 'resource-server'];

export const profileQuestion: Question = {
  setting: 'MCP_GATE_PROFILE',
  option: 'profile',
  asks: 'publication of a Gatehouse deployment, or resource-server for any other MCP server',
  defaultAnswer: 'publication',
  profiles: both,
};

/** The questions after the profile, in the order in which the file has their settings. */
export const questions: readonly Question[] = [
  {
    setting: 'MCP_GATE_ENDPOINT',
    option: 'endpoint',
    asks: 'address that is to be published, such as https://NAME/mcp',
    defaultAnswer: null,
    profiles: both,
  },
  {
    setting: 'MCP_GATE_ISSUER',
    option: 'issuer',
    asks: 'issuer of the tokens, exactly as its discovery document says it',
    defaultAnswer: null,
    profiles: both,
  },
  {
    setting: 'MCP_GATE_CONNECT_ADDRESS',
    option: 'connect-address',
    asks: 'name or addresses of the staged proxy, with commas between',
    defaultAnswer: '127.0.0.1',
    profiles: both,
  },
  {
    setting: 'MCP_GATE_READ_SCOPE',
    option: 'read-scope',
    asks: 'scope that the endpoint asks for',
    defaultAnswer: 'network.read',
    profiles: publication,
  },
  {
    setting: 'MCP_GATE_READ_SCOPE',
    option: 'read-scope',
    asks: 'with resource-server: scope that the server asks for, as scopes_supported of its metadata says; empty: add it later',
    defaultAnswer: '',
    profiles: resourceServer,
  },
  {
    setting: 'MCP_GATE_WRITE_SCOPE',
    option: 'write-scope',
    asks: 'scope that writing asks for',
    defaultAnswer: 'notes.write',
    profiles: publication,
  },
  {
    setting: 'MCP_GATE_DEPLOYED_COMMIT',
    option: 'commit',
    asks: 'deployed commit, 40 hexadecimal digits',
    defaultAnswer: null,
    profiles: publication,
  },
  {
    setting: 'MCP_GATE_AUDIT_DB_PATH',
    option: 'audit-db',
    asks: 'audit store of the MCP server (its MCP_AUDIT_DB_PATH)',
    defaultAnswer: '/var/lib/gatehouse/mcp-audit.db',
    profiles: publication,
  },
  {
    setting: 'MCP_GATE_MONITOR_URL',
    option: 'monitor-url',
    asks: 'address of the hub on this machine',
    defaultAnswer: 'http://127.0.0.1:3000',
    profiles: publication,
  },
  {
    setting: 'MCP_GATE_OPERATOR',
    option: 'operator',
    asks: 'name of who runs the collectors; empty when each says --by',
    defaultAnswer: '',
    profiles: publication,
  },
];

export interface Asker extends Disposable {
  /** Resolves to a checked answer. Rejects with a GateError when the input ends, with a UsageError for a wrong option. */
  answer(question: Question, profile: GateProfile): Promise<string>;
}

export interface AskerInput {
  /** Answers by option; a question that has one is not asked. */
  given: Readonly<Record<string, string | boolean | undefined>>;
  /** Takes the default answer to each question that no option answers. */
  isSilent: boolean;
  input: Readable;
  signal: AbortSignal;
  say(text: string): void;
}

/** Asks line by line, of a person or of a pipe, and again after a wrong answer. */
export function createAsker({ given, isSilent, input, signal, say }: AskerInput): Asker {
  const reader = isSilent ? null : createInterface({ input, signal });
  const lines = reader?.[Symbol.asyncIterator]();
  return {
    async answer({ setting, option, asks, defaultAnswer }, profile) {
      const fromOption = given[option];
      if (typeof fromOption === 'string' || !lines) {
        const text = typeof fromOption === 'string' ? fromOption : defaultAnswer;
        if (text === null) {
          throw new UsageError(`--${option} is missing: the ${asks}`);
        }
        const fault = text === '' ? null : findSettingFault(profile, setting, text);
        if (fault !== null) {
          throw new UsageError(`--${option} ${fault}`);
        }
        return text;
      }
      for (;;) {
        say(`${asks}${defaultAnswer ? ` [${defaultAnswer}]` : ''}: `);
        const { value, done } = await lines.next();
        if (done) {
          say('\n');
          throw new GateError(`no answer to "${asks}": nothing was written`);
        }
        const text = String(value).trim() || defaultAnswer;
        const fault = text === null ? 'is needed' : text === '' ? null : findSettingFault(profile, setting, text);
        if (fault === null) {
          return text ?? '';
        }
        say(`  ${option}: ${fault}\n`);
      }
    },
    [Symbol.dispose]: () => reader?.close(),
  };
}
