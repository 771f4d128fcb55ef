// Commands that a user adds to a router, with answers of their own, so that other tools' `show …` work.
import { isoTime } from '#kernel/time/clock.ts';
import { matchCommand, splitWords } from './command-grammar.ts';
import type { WorldView } from './model.ts';
import type { Login, Outcome } from './vendor.ts';

/** What an answer may depend on, besides the words that were typed. */
export interface CommandFacts {
  hostName: string;
  model: string;
  version: string;
  user: string;
  /** What the router takes for the time, ISO 8601 in UTC. */
  time: string;
}

/**
 * A template, in which `{{hostName}}` and the other facts stand for their values and `{{1}}` for what was typed at the
 * first `<name>` of the command; or a function that returns the text.
 */
export type CommandAnswer = string | ((values: readonly string[], facts: CommandFacts) => string);

/** By syntax: keywords in lower case, which may be shortened as on the device, and `<name>` for any word. */
export type OwnCommands = Readonly<Record<string, CommandAnswer>>;

export interface OwnCommand {
  syntax: string;
  run: (world: WorldView, login: Login, values: readonly string[]) => Outcome;
}

const factNames = ['hostName', 'model', 'version', 'user', 'time'] as const satisfies readonly (keyof CommandFacts)[];

/** Throws, naming the command, for a syntax or a template that cannot be meant. */
export function createOwnCommands(commands: OwnCommands): OwnCommand[] {
  return Object.entries(commands).map(([syntax, answer]) => {
    if (!/^[a-z][\w-]*(?: (?:[\w./:-]+|<[a-z][\w-]*>))*$/.test(syntax) || /[A-Z]/.test(syntax)) {
      throw new Error(
        `the command "${syntax}" must be words in lower case, and <name> for any word, one space between`,
      );
    }
    const values = syntax.split(' ').filter((word) => word.startsWith('<')).length;
    if (typeof answer === 'string') {
      requirePlaceholders(syntax, answer, values);
    }
    return {
      syntax,
      run: (world, login, typed) => ({ kind: 'lines', lines: toLines(formatAnswer(answer, typed, world, login)) }),
    };
  });
}

/** Whether `line` is one of `commands`. A line with a filter behind it is for others to judge. */
export function isOwnCommand(line: string, commands: readonly OwnCommand[]): boolean {
  return !line.includes('|') && matchCommand(splitWords(line), commands).kind === 'command';
}

function requirePlaceholders(syntax: string, template: string, values: number): void {
  for (const [, name = ''] of template.matchAll(/\{\{(.*?)\}\}/g)) {
    const isValue = /^[1-9]\d?$/.test(name) && Number(name) <= values;
    if (!isValue && !factNames.some((fact) => fact === name)) {
      const known = [...factNames, ...Array.from({ length: values }, (_, index) => index + 1)].join(', ');
      throw new Error(`the answer of "${syntax}" has {{${name}}}; there are ${known}`);
    }
  }
}

function formatAnswer(answer: CommandAnswer, values: readonly string[], world: WorldView, { user }: Login): string {
  const { hostName, model, version } = world.settings;
  const facts: CommandFacts = { hostName, model, version, user, time: isoTime(world.routerNow()) };
  if (typeof answer === 'function') {
    return answer(values, facts);
  }
  const all: Readonly<Record<string, string | undefined>> = {
    ...facts,
    ...Object.fromEntries(values.map((value, index) => [index + 1, value])),
  };
  return answer.replaceAll(/\{\{(.*?)\}\}/g, (_, name: string) => all[name] ?? '');
}

function toLines(text: string): string[] {
  return text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
}
