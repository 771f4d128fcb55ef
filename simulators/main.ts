// `gatehouse sim KIND`: one simulator, or all of them, with the control surface of each, until a signal ends it.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { messageOf } from '#kernel/errors.ts';
import { startControlServer } from './control-server.ts';
import { routerControlRoutes } from './router/control-routes.ts';
import { routerFaults } from './router/faults.ts';
import type { RouterKind } from './router/model.ts';
import { profileOf, profiles } from './router/profiles.ts';
import { startRouter } from './router/router.ts';
import type { Replay } from './router/terminal.ts';
import { createShiftedClock } from './shifted-clock.ts';
import type { Entry } from './simulator.ts';

const defaultPorts: Readonly<Record<RouterKind, { port: number; control: number }>> = {
  vendor_a: { port: 2221, control: 2931 },
  vendor_b: { port: 2222, control: 2932 },
};
const kinds = Object.keys(defaultPorts) as RouterKind[];

const usage = `Usage: gatehouse sim KIND [options]

Runs a simulator until it is interrupted. KIND is ${kinds.join(', ')}, or all.
It prints one JSON line with its address, control address and credentials, then notable events on stderr.

  --host A            address to listen on (127.0.0.1)
  --port N            port; 0 picks a free one (vendor_a 2221, vendor_b 2222)
  --control-port N    port of the control API; 0 picks a free one (vendor_a 2931, vendor_b 2932)
  --seed N            seed of hosts and traffic (1)
  --sessions N        standing sessions, 0 to 65000 (0)
  --replay FILE       answers the NAT table with exactly these bytes
  --replay-arp FILE   the same for the ARP table
  --replay-ndp FILE   the same for the IPv6 neighbours
  --dialect NAME      the router profile
  --legacy-crypto     offers CBC ciphers and SHA-1 key exchange only
  --help              this text

Dialects
${profiles.map(({ name, kind, says }) => `  ${name.padEnd(16)}  ${kind}: ${says}`).join('\n')}
`;

const options = {
  host: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string' },
  'control-port': { type: 'string' },
  seed: { type: 'string', default: '1' },
  sessions: { type: 'string', default: '0' },
  replay: { type: 'string' },
  'replay-arp': { type: 'string' },
  'replay-ndp': { type: 'string' },
  dialect: { type: 'string' },
  'legacy-crypto': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

interface Plan {
  kinds: readonly RouterKind[];
  host: string;
  port: number | null;
  controlPort: number | null;
  seed: number;
  sessions: number;
  replay: Replay;
  dialect: string | null;
  legacyCrypto: boolean;
}

/** A mistake in the command line: one line on stderr, exit 2. */
class UsageError extends Error {}

/** Runs `gatehouse sim` with the arguments behind that word; resolves to the exit code. */
export async function runSimulator(argv: readonly string[]): Promise<number> {
  let plan: Plan | 'help';
  try {
    plan = parsePlan(argv);
  } catch (error) {
    // parseArgs adds advice behind its first sentence.
    process.stderr.write(`gatehouse sim: ${messageOf(error).split('. ')[0]}\n`);
    return 2;
  }
  if (plan === 'help') {
    process.stdout.write(usage);
    return 0;
  }
  const ended = untilSignal();
  try {
    await using stack = new AsyncDisposableStack();
    for (const kind of plan.kinds) {
      await startOne(kind, plan, stack);
    }
    await ended;
    return 0;
  } catch (error) {
    process.stderr.write(`gatehouse sim: ${messageOf(error)}\n`);
    return 1;
  }
}

async function startOne(kind: RouterKind, plan: Plan, stack: AsyncDisposableStack): Promise<void> {
  const clock = createShiftedClock();
  const router = stack.use(
    await startRouter({
      kind,
      clock,
      host: plan.host,
      port: plan.port ?? defaultPorts[kind].port,
      seed: plan.seed,
      sessions: plan.sessions,
      traffic: true,
      latency: 'modern',
      legacyCrypto: plan.legacyCrypto,
      replay: plan.replay,
      ...(plan.dialect === null ? {} : { profile: plan.dialect }),
      onEntry: (entry) => tell(kind, entry),
    }),
  );
  const served = stack.use(
    await startControlServer({
      title: `Simulated router ${kind}`,
      control: router.control,
      faults: routerFaults,
      extra: routerControlRoutes({ control: router.control, now: clock.now, advance: clock.advance }),
      host: plan.host,
      port: plan.controlPort ?? defaultPorts[kind].control,
    }),
  );
  const { user, password, enable } = router.credentials;
  const line = {
    simulator: kind,
    url: router.url.href,
    control: served.url.origin,
    user,
    password,
    enablePassword: enable,
    dialect: router.control.settings.profile,
    hostKey: router.control.hostKey,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Key strokes are in the journal only; everything else is notable. */
function tell(kind: RouterKind, { at: _at, kind: event, ...details }: Entry): void {
  if (event !== 'pager-key') {
    const rest = Object.entries(details).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    process.stderr.write(`${[kind, event, ...rest].join(' ')}\n`);
  }
}

function parsePlan(argv: readonly string[]): Plan | 'help' {
  const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
  if (values.help) {
    return 'help';
  }
  const [word, ...more] = positionals;
  const chosen = word === 'all' ? kinds : kinds.filter((kind) => kind === word);
  if (chosen.length === 0 || more.length > 0) {
    const wrong =
      word === undefined ? 'KIND is missing' : more.length > 0 ? `unexpected "${more[0]}"` : `unknown kind "${word}"`;
    throw new UsageError(`${wrong}; the kinds are ${kinds.join(', ')} and all`);
  }
  if (word === 'all' && (values.dialect !== undefined || values.replay !== undefined)) {
    throw new UsageError('--dialect and --replay belong to one kind: run each simulator by itself');
  }
  if (values.dialect !== undefined && chosen[0]) {
    profileOf(chosen[0], values.dialect);
  }
  const port = values.port === undefined ? null : whole('port', values.port, 65_535);
  const controlPort =
    values['control-port'] === undefined ? null : whole('control-port', values['control-port'], 65_535);
  if (word === 'all' && ((port ?? 0) > 0 || (controlPort ?? 0) > 0)) {
    throw new UsageError('all needs a port for each simulator: leave --port and --control-port out, or give 0');
  }
  return {
    kinds: chosen,
    host: values.host,
    port,
    controlPort,
    seed: whole('seed', values.seed, 0xffff_ffff),
    sessions: whole('sessions', values.sessions, 65_000),
    replay: {
      ...captured('nat', '--replay', values.replay),
      ...captured('arp', '--replay-arp', values['replay-arp']),
      ...captured('ndp', '--replay-ndp', values['replay-ndp']),
    },
    dialect: values.dialect ?? null,
    legacyCrypto: values['legacy-crypto'],
  };
}

function whole(name: string, text: string, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= max)) {
    throw new UsageError(`--${name} takes a whole number from 0 to ${max}, not "${text}"`);
  }
  return value;
}

function captured(table: keyof Replay, name: string, file: string | undefined): Replay {
  if (file === undefined) {
    return {};
  }
  try {
    return { [table]: readFileSync(file) };
  } catch (cause) {
    throw new UsageError(`${name}: ${file} cannot be read`, { cause });
  }
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => resolve());
    }
  });
}
