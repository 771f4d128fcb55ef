// `gatehouse gate COMMAND`: checks whether a staged MCP endpoint may be published, and collects the evidence for it.
import { messageOf } from '#kernel/errors.ts';
import { stopSignal } from '#kernel/process/stop-signal.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { attestCommand, collectCommand } from './commands/collect.ts';
import { type Command, UsageError } from './commands/command.ts';
import { explainCommand } from './commands/explain.ts';
import { initCommand } from './commands/init.ts';
import { keygenCommand, signCommand } from './commands/keys.ts';
import { runCommand } from './commands/run.ts';
import { templateCommand } from './commands/template.ts';
import { verifyReleaseCommand } from './commands/verify-release.ts';
import { verifyReportCommand } from './commands/verify-report.ts';
import { witnessCommand } from './commands/witness.ts';

const commands: Readonly<Record<string, Command>> = {
  init: initCommand,
  run: runCommand,
  explain: explainCommand,
  template: templateCommand,
  collect: collectCommand,
  attest: attestCommand,
  witness: witnessCommand,
  keygen: keygenCommand,
  sign: signCommand,
  'verify-report': verifyReportCommand,
  'verify-release': verifyReleaseCommand,
};

function usage(): string {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(15)} ${summary}`);
  return `Usage: gatehouse gate COMMAND [options]

Run the gate before you publish a DNS name. docs/gate.md is the guide.

Commands
${lines.join('\n')}

gatehouse gate COMMAND --help describes a command.
`;
}

/** Runs `gatehouse gate` with the given arguments; resolves to the exit code. */
export async function runGateCommand([word, ...rest]: readonly string[]): Promise<number> {
  if (word === undefined || word === '--help' || word === '-h') {
    process.stdout.write(usage());
    return word === undefined ? 2 : 0;
  }
  if (word === '--version' || word === '-V') {
    process.stdout.write(`${packageVersion()}\n`);
    return 0;
  }
  const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
  if (!command) {
    process.stderr.write(`gatehouse gate: unknown command "${word}" (see --help)\n`);
    return 2;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(command.usage);
    return 0;
  }
  try {
    return await command.run(rest, stopSignal());
  } catch (error) {
    const hint = error instanceof UsageError ? ' (see --help)' : '';
    process.stderr.write(`gatehouse gate ${word}: ${messageOf(error)}${hint}\n`);
    return 2;
  }
}
