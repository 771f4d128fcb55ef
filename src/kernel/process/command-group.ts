// A program of several commands: its first word picks one.
import { packageVersion } from './version.ts';

export interface CommandGroup {
  /** What is typed before the word, such as `gatehouse agent`. */
  name: string;
  usage: string;
  /** Word → what runs with the words after it; resolves to an exit code. */
  commands: Readonly<Record<string, (argv: readonly string[]) => Promise<number>>>;
}

/** Resolves to the exit code: that of the command, 0 for help and version, 2 for an unknown word. */
export async function runCommandGroup(
  [word, ...rest]: readonly string[],
  { name, usage, commands }: CommandGroup,
): Promise<number> {
  if (word === undefined || word === '--help' || word === '-h' || word === 'help') {
    process.stdout.write(usage);
    return 0;
  }
  if (word === '--version' || word === '-V') {
    process.stdout.write(`${packageVersion()}\n`);
    return 0;
  }
  const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
  if (command === undefined) {
    const known = Object.keys(commands).join(', ');
    process.stderr.write(`${name}: unknown command "${word}"; it knows ${known} (see --help)\n`);
    return 2;
  }
  return command(rest);
}
