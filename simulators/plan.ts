// The command line of `gatehouse sim`: which simulators it starts and where, or the mistake in it.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { UsageError } from '#kernel/process/program.ts';
import {
  type ListenAddress,
  optionNumber,
  type ParsedOptions,
  type SimulatorCommand,
  type StartContext,
  type StartLine,
} from './command.ts';
import { commands } from './commands.ts';
import { formatOptions } from './option-table.ts';

const kinds = commands.map(({ kind }) => kind);

const common = {
  host: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string' },
  'control-port': { type: 'string' },
  seed: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
  version: { type: 'boolean', short: 'V', default: false },
} as const satisfies ParseArgsOptionsConfig;

export interface PlannedStart {
  command: SimulatorCommand;
  place: ListenAddress;
  start: (starting: StartContext) => Promise<StartLine>;
}

export type Plan =
  | { print: 'help'; kind: string | null }
  | { print: 'version' }
  | { print: null; seed: number | null; starts: readonly PlannedStart[] };

/** Throws, naming the mistake in its first sentence. */
export function parsePlan(argv: readonly string[]): Plan {
  const own = commands.flatMap(({ options }) =>
    Object.entries(options).map(
      ([name, { takes }]) => [name, { type: takes === undefined ? 'boolean' : 'string' }] as const,
    ),
  );
  const { values, positionals } = parseArgs({
    args: withProductVersion(argv),
    options: { ...(Object.fromEntries(own) as ParseArgsOptionsConfig), ...common },
    allowPositionals: true,
  });
  const [word, ...more] = positionals;
  if (values.help) {
    return { print: 'help', kind: kinds.find((kind) => kind === word) ?? null };
  }
  if (values.version) {
    return { print: 'version' };
  }
  const isGiven = (name: string | undefined) => name === undefined || Object.hasOwn(values, name);
  const chosen = commands.filter(({ kind, needs }) => (word === 'all' ? isGiven(needs) : kind === word));
  if (chosen.length === 0 || more.length > 0) {
    const wrong =
      word === undefined ? 'KIND is missing' : more.length > 0 ? `unexpected "${more[0]}"` : `unknown kind "${word}"`;
    throw new UsageError(`${wrong}; the kinds are ${kinds.join(', ')} and all`);
  }
  const given = values as ParsedOptions;
  refuseForeignOptions(word ?? '', chosen, Object.keys(given));
  if (Number(values.port ?? 0) > 0 && chosen.length === 1 && chosen[0]?.ports.port === null) {
    throw new UsageError(`--port does not belong to ${word}: it listens on --control-port alone`);
  }
  const port = optionNumber(given, 'port', [0, 65_535], null);
  // A simulator on any free port takes any free control port too; otherwise it has its own.
  const controlPort = optionNumber(given, 'control-port', [0, 65_535], port === 0 ? 0 : null);
  if (word === 'all' && ((port ?? 0) > 0 || (controlPort ?? 0) > 0)) {
    throw new UsageError('all needs a port for each simulator: leave --port and --control-port out, or give 0');
  }
  return {
    print: null,
    seed: optionNumber(given, 'seed', [0, 0xffff_ffff], null),
    starts: chosen.map((command) => ({
      command,
      place: {
        host: values.host,
        port: port ?? command.ports.port ?? 0,
        controlPort: controlPort ?? command.ports.control,
      },
      start: command.plan(given),
    })),
  };
}

/** `--version` alone asks for ours; with a number behind it, it is the version of the product to be simulated. */
function withProductVersion(argv: readonly string[]): string[] {
  return argv.map((word, at) =>
    word.startsWith('--version=') || (word === '--version' && /^\d/.test(argv[at + 1] ?? ''))
      ? word.replace('--version', '--product-version')
      : word,
  );
}

function refuseForeignOptions(word: string, chosen: readonly SimulatorCommand[], names: readonly string[]): void {
  const known = new Set([...Object.keys(common), ...chosen.flatMap(({ options }) => Object.keys(options))]);
  const foreign = names.find((name) => !known.has(name));
  if (foreign !== undefined) {
    throw new UsageError(`--${foreign.replace('product-version', 'version V')} does not belong to ${word}`);
  }
  const single = chosen.length > 1 && names.find((name) => chosen.some(({ options }) => options[name]?.alone === true));
  if (single) {
    throw new UsageError(`--${single} belongs to one kind: run each simulator by itself`);
  }
}

/** What `--help` prints about one kind, or about all of them. */
export function formatUsage(kind: string | null, program: string): string {
  const shown = commands.filter((command) => kind === null || command.kind === kind);
  const ports = (which: 'port' | 'control') =>
    shown
      .filter(({ ports }) => ports[which] !== null)
      .map(({ kind: name, ports }) => `${name} ${ports[which]}`)
      .join(', ');
  const listening =
    ports('port') === '' ? '' : `  --port N                 port; 0 picks a free one (${ports('port')})\n`;
  const sections = new Map(shown.map(({ help, options }) => [help.title, formatOptions(options) + (help.more ?? '')]));
  return `Usage: ${program} ${kind ?? 'KIND'} [options]

Runs a simulator until it is interrupted.${kind === null ? ` KIND is ${kinds.join(', ')}, or all.\n${program} lab SCENARIO runs several of them by a file (${program} lab --help).` : ''}
It prints one JSON line with its address, control address and credentials, then notable events on stderr.

  --host A                 address to listen on (127.0.0.1)
${listening}  --control-port N         port of the control API; 0 picks a free one, as --port 0 does (${ports('control')})
  --seed N                 seed of what is random
  --help                   this text
  --version                the version

${[...sections].map(([title, lines]) => `${title}\n${lines}`).join('\n')}`;
}
