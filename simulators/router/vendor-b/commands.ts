// The commands vendor_b knows: one row each with its syntax, the level it needs and what it leads to.
import type { WorldView } from '../model.ts';
import type { Login, Outcome } from '../vendor.ts';
import { natStatistics, translations, translationTotal } from './nat.ts';
import { getDialect } from './platforms.ts';
import { clock, processes, runningConfig, version } from './status.ts';
import { arpTable, dhcpBindings, interfaceBrief, ipv6Neighbours, userTable } from './tables.ts';

export interface CommandB {
  syntax: string;
  /** Exists only at `#`; without the privilege its first word of its own is an invalid input. */
  privileged?: true;
  when?: (world: WorldView) => boolean;
  /** null: the last word is not a value it takes. */
  run: (world: WorldView, login: Login, values: readonly string[]) => Outcome | null;
}

type Rows = (world: WorldView, values: readonly string[], login: Login) => Iterable<string>;

export const nothing: Outcome = { kind: 'lines', lines: [] };

export const says = (...lines: readonly string[]): Outcome => ({ kind: 'lines', lines });

const open = (syntax: string, rows: Rows, table?: 'arp' | 'ndp'): CommandB => ({
  syntax: `show ${syntax}`,
  run: (world, login, values) => ({
    kind: 'lines',
    lines: rows(world, values, login),
    ...(table === undefined ? {} : { table }),
  }),
});

const privileged = (syntax: string, rows: Rows, options: Pick<CommandB, 'when'> = {}): CommandB => ({
  ...open(syntax, rows),
  ...options,
  privileged: true,
});

const nat = (syntax: string, rows: Rows, when?: CommandB['when']): CommandB => ({
  syntax: `show ip nat translations${syntax}`,
  privileged: true,
  ...(when === undefined ? {} : { when }),
  run: (world, login, values) => ({ kind: 'lines', lines: rows(world, values, login), table: 'nat' }),
});

const hasVerbose = ({ settings }: WorldView) => getDialect(settings) !== 'ios-plain-only';
const isXe = ({ settings }: WorldView) => getDialect(settings).startsWith('xe');

/** Commands that change something. Authorisation denies them, so that nothing here pretends to have changed. */
const denied = (syntax: string, level: Pick<CommandB, 'privileged'> = {}): CommandB => ({
  syntax,
  ...level,
  run: () => says('Command authorization failed.', ''),
});

const changing = 'clear clock copy debug delete erase reload undebug write'.split(' ');

export const commandsB: readonly CommandB[] = [
  open('version', version),
  open('clock', clock),
  open('privilege', (_world, _values, login) => [`Current privilege level is ${login.privileged ? 15 : 1}`]),
  open('users', userTable),
  open('arp', (world) => arpTable(world), 'arp'),
  open('ip arp', (world) => arpTable(world), 'arp'),
  open('ip arp vrf <name>', (world, [name]) => arpTable(world, name ?? ''), 'arp'),
  open('ip interface brief', interfaceBrief),
  open('ipv6 neighbors', ipv6Neighbours, 'ndp'),
  open('processes cpu', processes),
  nat('', (world) => translations(world, false)),
  nat(' verbose', (world) => translations(world, true), hasVerbose),
  nat(' total', translationTotal, isXe),
  nat(' vrf <name>', (world, [name]) => translations(world, false, name)),
  nat(' vrf <name> verbose', (world, [name]) => translations(world, true, name), hasVerbose),
  privileged('ip nat statistics', natStatistics),
  privileged('ip dhcp binding', dhcpBindings),
  privileged('running-config', runningConfig),
  { syntax: 'terminal length <number>', run: (_world, login, [value = '']) => size(login, 'length', value) },
  { syntax: 'terminal width <number>', run: (_world, login, [value = '']) => size(login, 'width', value) },
  // Log lines reach a session by the fault of that name; the switch itself only exists.
  { syntax: 'terminal monitor', privileged: true, run: () => nothing },
  { syntax: 'terminal no monitor', privileged: true, run: () => nothing },
  { syntax: 'terminal exec prompt timestamp', run: (_world, login) => timestamp(login, true) },
  { syntax: 'terminal no exec prompt timestamp', run: (_world, login) => timestamp(login, false) },
  { syntax: 'enable', run: enable },
  { syntax: 'enable <level>', run: enable },
  { syntax: 'disable', run: disable },
  { syntax: 'exit', run: () => ({ kind: 'close' }) },
  { syntax: 'logout', run: () => ({ kind: 'close' }) },
  { syntax: 'quit', run: () => ({ kind: 'close' }) },
  { syntax: 'configure terminal', privileged: true, run: configure },
  ...changing.map((word) => denied(`${word} <words...>`, { privileged: true })),
  // What is configured here is in memory and nowhere else.
  { syntax: 'write memory', privileged: true, run: () => says('Building configuration...', '[OK]') },
  ...['reload', 'write'].map((word) => denied(word, { privileged: true })),
  ...['connect', 'disconnect', 'ping', 'ssh', 'telnet', 'traceroute'].map((word) => denied(`${word} <words...>`)),
];

const largestSize = 512;

/** 0 means no paging, or no limit of the width. */
function size(login: Login, what: 'length' | 'width', value: string): Outcome | null {
  if (!/^\d+$/.test(value) || Number(value) > largestSize) {
    return null;
  }
  login[what] = Number(value);
  return nothing;
}

function timestamp(login: Login, on: boolean): Outcome {
  login.promptTimestamp = on;
  return nothing;
}

/** Three tries. Nothing is asked of somebody who has the privilege, or when no secret is set. */
function enable(world: WorldView, login: Login): Outcome {
  if (login.privileged) {
    return nothing;
  }
  if (world.credentials.enable === null) {
    return says('% No password set');
  }
  return askSecret(world, login, 3);
}

function askSecret(world: WorldView, login: Login, tries: number): Outcome {
  return {
    kind: 'secret',
    prompt: 'Password: ',
    answer: (typed) => {
      if (typed === world.credentials.enable) {
        login.privileged = true;
        return nothing;
      }
      const next = tries > 1 ? askSecret(world, login, tries - 1) : says('% Bad secrets', '');
      return { kind: 'wait', lines: [], ms: 900, next };
    },
  };
}

function disable(_world: WorldView, login: Login): Outcome {
  login.privileged = false;
  return nothing;
}

function configure(_world: WorldView, login: Login): Outcome {
  login.context = '(config)';
  return says('Enter configuration commands, one per line.  End with CNTL/Z.');
}
