// vendor_b (Cisco IOS, IOS-XE): how a login looks and behaves around its commands.
import type { Word } from './command-grammar.ts';
import { matchCommand, splitWords } from './command-grammar.ts';
import type { WorldView } from './model.ts';
import { isOwnCommand, type OwnCommand } from './own-commands.ts';
import { isReadOnly } from './read-only.ts';
import type { Login, Outcome, Vendor } from './vendor.ts';
import { type CommandB, commandsB, nothing, says } from './vendor-b/commands.ts';
import { timestampHeader } from './vendor-b/status.ts';
import { logTime } from './vendor-b/time.ts';

/** How long the look-up of a mistyped word blocks the line. */
const lookUpMs = 9000;

/** The vendor_b command language. A user of privilege 15 lands on `#` at once. */
export const vendorB = createVendorB([]);

/** The same with commands that a user adds. */
export function createVendorB(own: readonly OwnCommand[]): Vendor {
  return {
    kind: 'vendor_b',
    lineEnds: 'once',
    newLogin: (user, { credentials, accounts }) => ({
      user,
      privileged: accounts.get(user)?.privileged ?? credentials.privileged,
      length: 24,
      width: 80,
      context: '',
      promptTimestamp: false,
    }),
    banner: () => [''],
    prompt,
    run: (line, world, login) => run(line, world, login, own),
    pager: (_world, login) => ({
      text: ' --More-- ',
      erase: `${'\b'.repeat(9)}${' '.repeat(8)}${'\b'.repeat(9)}`,
      rows: login.length === 0 ? null : Math.max(1, login.length - 1),
    }),
    wrapAt: () => null,
    encoding: () => 'ascii',
    logLine: (world, text) => `${logTime(world)}${text}`,
    readOnly: (line) => isReadOnly(line) || isOwnCommand(line, own),
  };
}

function prompt({ settings }: WorldView, login: Login): string {
  // The host name is cut to 20 characters in configuration mode.
  const name = login.context === '' ? settings.hostName : settings.hostName.slice(0, 20);
  return `${name}${login.context}${login.privileged ? '#' : '>'}`;
}

function run(line: string, world: WorldView, login: Login, own: readonly OwnCommand[]): Outcome {
  if (line.trim() === '' || line.trimStart().startsWith('!')) {
    return nothing;
  }
  if (login.context !== '') {
    return configurationLine(line, world, login, own);
  }
  const bar = line.indexOf('|');
  const words = splitWords(bar < 0 ? line : line.slice(0, bar));
  const known = [...own, ...commandsB].filter((command: CommandB) => {
    const allowed = login.privileged || !command.privileged;
    return allowed && (command.when?.(world) ?? true);
  });
  const match = matchCommand(words, known);
  switch (match.kind) {
    case 'ambiguous':
      return says(`% Ambiguous command:  "${line.trim()}"`);
    case 'incomplete':
      return says('% Incomplete command.', '');
    case 'invalid':
      return match.index === 0 && words.length === 1 && !login.privileged
        ? hostLookUp(match.word)
        : invalidInput(match.word.at, world, login);
    case 'command': {
      const outcome = match.command.run(world, login, match.values);
      if (outcome === null) {
        return invalidInput(words.at(-1)?.at ?? 0, world, login);
      }
      const shown = bar < 0 ? outcome : filtered(outcome, line.slice(bar + 1), invalidInput(bar, world, login));
      const stamped = login.promptTimestamp && match.command.syntax.startsWith('show');
      return stamped ? behindTimestamp(shown, world) : shown;
    }
  }
}

/** The caret stands under the first character that does not fit, counted from the start of the prompt. */
function invalidInput(at: number, world: WorldView, login: Login): Outcome {
  const caret = `${' '.repeat(prompt(world, login).length + at)}^`;
  return says(caret, "% Invalid input detected at '^' marker.", '');
}

/** A lone unknown word is taken for a host to connect to, which blocks until the look-up gives up. */
function hostLookUp({ text }: Word): Outcome {
  const translating = `Translating "${text}"...domain server (255.255.255.255)`;
  const next = says(
    ' (255.255.255.255)',
    translating,
    '',
    '% Unknown command or computer name, or unable to find computer address',
  );
  return { kind: 'wait', lines: [translating], ms: lookUpMs, next };
}

/** In configuration mode everything is taken and nothing is done but adding users: the line itself is the violation. */
function configurationLine(line: string, world: WorldView, login: Login, own: readonly OwnCommand[]): Outcome {
  const typed = line.trim();
  if (typed === 'end' || typed === 'exit') {
    login.context = '';
    return nothing;
  }
  const [, enable] = /^enable secret (\S+)$/.exec(typed) ?? [];
  world.credentials.enable = enable ?? world.credentials.enable;
  const [, name, level, password] = /^username (\S+)(?: privilege (\d+))? secret (?:0 )?(\S+)$/.exec(typed) ?? [];
  if (name !== undefined && password !== undefined) {
    world.accounts.set(name, { password, privileged: level === '15' });
  }
  if (typed.startsWith('do ')) {
    return run(typed.slice(3), world, { ...login, context: '' }, own);
  }
  return nothing;
}

const filters = ['include', 'exclude', 'begin'] as const;

/** `| include|exclude|begin PATTERN`. A pattern that is not a valid expression is taken as plain text. */
function filtered(outcome: Outcome, pipe: string, invalid: Outcome): Outcome {
  const [, typed = '', pattern = ''] = /^\s*(\S*)\s*(.*?)\s*$/.exec(pipe) ?? [];
  const filter = typed === '' ? undefined : filters.find((name) => name.startsWith(typed.toLowerCase()));
  if (typed === '' || pattern === '') {
    return says('% Incomplete command.', '');
  }
  if (filter === undefined) {
    return invalid;
  }
  return outcome.kind === 'lines' ? { ...outcome, lines: filterLines(outcome.lines, filter, pattern) } : outcome;
}

function* filterLines(lines: Iterable<string>, filter: (typeof filters)[number], pattern: string): Generator<string> {
  const search = expression(pattern);
  let begun = false;
  for (const line of lines) {
    const found = search.test(line);
    begun ||= found;
    if (filter === 'begin' ? begun : found === (filter === 'include')) {
      yield line;
    }
  }
}

function expression(pattern: string): RegExp {
  try {
    return new RegExp(pattern);
  } catch {
    return new RegExp(pattern.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  }
}

function behindTimestamp(outcome: Outcome, world: WorldView): Outcome {
  if (outcome.kind !== 'lines') {
    return outcome;
  }
  const { lines } = outcome;
  return {
    ...outcome,
    lines: (function* () {
      yield* timestampHeader(world);
      yield* lines;
    })(),
  };
}
