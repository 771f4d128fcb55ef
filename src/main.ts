// The `gatehouse` command: one word picks the program. Each is imported only when it is asked for.
import { packageVersion } from '#kernel/version.ts';
import { usage } from './usage.ts';

const programs: Record<string, () => Promise<(argv: readonly string[]) => Promise<number>>> = {
  hub: async () => (await import('#hub/main.ts')).runHub,
  'reset-password': async () => (await import('#hub/auth/credentials/reset-command.ts')).runReset('password'),
  'reset-token': async () => (await import('#hub/auth/credentials/reset-command.ts')).runReset('token'),
  'export-hours': async () => (await import('#hub/connections/export/hours-command.ts')).runExportHours,
  mcp: async () => (await import('#mcp/main.ts')).runMcp,
  agent: async () => (await import('#agent/main.ts')).runAgent,
  sim: async () => (await import('#simulators/main.ts')).runSimulator,
  gate: async () => (await import('#gate/main.ts')).runGateCommand,
};

const [word, ...rest] = process.argv.slice(2);

if (word === undefined || word === '--help' || word === '-h' || word === 'help') {
  process.stdout.write(usage);
} else if (word === '--version' || word === '-V') {
  process.stdout.write(`${packageVersion()}\n`);
} else {
  const load = Object.hasOwn(programs, word) ? programs[word] : undefined;
  if (load) {
    const run = await load();
    process.exitCode = await run(rest);
  } else {
    process.stderr.write(
      `gatehouse: unknown command "${word}"; it knows ${Object.keys(programs).join(', ')} (see --help)\n`,
    );
    process.exitCode = 2;
  }
}
