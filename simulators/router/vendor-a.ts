// vendor_a (Yamaha RTX): how a login looks and behaves around its commands.

import { calendar } from '#kernel/time/clock.ts';
import { matchCommand, splitWords } from './command-grammar.ts';
import type { WorldView } from './model.ts';
import { isOwnCommand, type OwnCommand } from './own-commands.ts';
import { isReadOnly } from './read-only.ts';
import { displayWidth } from './terminal/encoding.ts';
import { twoDigits } from './text.ts';
import type { Login, Outcome, Vendor } from './vendor.ts';
import { type CommandA, commandsA, failure, nothing } from './vendor-a/commands.ts';
import { loginBanner } from './vendor-a/status.ts';
import { getLanguage, spokenCharacter } from './vendor-a/words.ts';

const encodings = {
  'en.ascii': 'ascii',
  'ja.sjis': 'shift_jis',
  'ja.euc': 'euc-jp',
  'ja.utf8': 'utf-8',
} as const;

/** The vendor_a command language. The user level always comes first, whatever the user may do later. */
export const vendorA = createVendorA([]);

/** The same with commands that a user adds. */
export function createVendorA(own: readonly OwnCommand[]): Vendor {
  return {
    kind: 'vendor_a',
    lineEnds: 'each',
    newLogin: (user, { settings }) => ({
      user,
      privileged: false,
      length: typeof settings.lines === 'number' ? settings.lines : 0,
      width: settings.columns,
      context: '',
      promptTimestamp: false,
    }),
    banner: ({ settings }) => loginBanner(settings),
    prompt: ({ settings }, login) => `${settings.hostName}${login.context}${login.privileged ? '#' : '>'} `,
    run: (line, world, login) => run(line, world, login, own),
    pager: ({ settings }) => {
      const text = getLanguage(settings) === 'ja' ? '---つづく---' : '---more---';
      const erase = `\r${' '.repeat(displayWidth(text))}\r`;
      return { text, erase, rows: settings.lines === 'infinity' ? null : settings.lines - 1 };
    },
    wrapAt: ({ settings }) => settings.columns,
    encoding: ({ settings }, of) =>
      encodings[(of === 'prompt' ? settings.promptCharacter : undefined) ?? spokenCharacter(settings)],
    logLine: (world, text) => {
      const { year, month, day, hour, minute, second } = calendar(world.routerNow(), world.settings.clockZoneMs);
      return `${year}/${twoDigits(month)}/${twoDigits(day)} ${twoDigits(hour)}:${twoDigits(minute)}:${twoDigits(second)}: ${text}`;
    },
    readOnly: (line) => isReadOnly(line) || isOwnCommand(line, own),
  };
}

function run(line: string, world: WorldView, login: Login, own: readonly OwnCommand[]): Outcome {
  const [command = '', ...pipe] = line.split('|');
  // A line that begins with # is a comment, as in what `show config` prints.
  if (line.trim() === '' || line.startsWith('#')) {
    return nothing;
  }
  const match = matchCommand<CommandA>(splitWords(command), [...own, ...commandsA]);
  switch (match.kind) {
    case 'ambiguous':
      return failure(world, 'unknown-keyword');
    case 'incomplete':
      return failure(world, 'count');
    case 'invalid':
      return failure(world, match.index === 0 ? 'unknown-command' : match.excess ? 'count' : 'unknown-keyword');
    case 'command':
      if (match.command.administrator && !login.privileged) {
        return failure(world, 'privilege');
      }
      return filtered(match.command.run(world, login, match.values), pipe.join('|'), world);
  }
}

/** `| grep [-i] [-v] [-w] WORD`: only behind `show`; says `Searching ...` and prints the lines that hold the word. */
function filtered(outcome: Outcome, pipe: string, world: WorldView): Outcome {
  if (pipe.trim() === '' || outcome.kind !== 'lines') {
    return outcome;
  }
  const words = splitWords(pipe).map(({ text }) => text);
  const options = words
    .slice(1)
    .filter((word) => /^-[ivw]+$/.test(word))
    .join('');
  const patterns = words.slice(1).filter((word) => !/^-[ivw]+$/.test(word));
  const pattern = patterns[0];
  if (words[0] !== 'grep') {
    return failure(world, 'unknown-keyword');
  }
  if (pattern === undefined || patterns.length > 1) {
    return failure(world, 'count');
  }
  const text = pattern.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const search = new RegExp(options.includes('w') ? `\\b${text}\\b` : text, options.includes('i') ? 'i' : '');
  return { kind: 'lines', lines: grep(outcome.lines, search, options.includes('v')) };
}

function* grep(lines: Iterable<string>, search: RegExp, inverted: boolean): Generator<string> {
  yield 'Searching ...';
  for (const line of lines) {
    if (search.test(line) !== inverted) {
      yield line;
    }
  }
}
