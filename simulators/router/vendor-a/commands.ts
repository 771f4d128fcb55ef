// The commands vendor_a knows: one row each with its syntax, the level it needs and what it leads to.
import type { DeviceSettings, WorldView } from '../model.ts';
import type { Login, Outcome } from '../vendor.ts';
import type { ConsoleChange } from './console.ts';
import { consoleCharacter, consoleColumns, consoleInfo, consoleLines, consolePrompt, integer } from './console.ts';
import { natDetail, natSummary, portSummary, sessionSummary } from './nat.ts';
import { config, environment, techinfo } from './status.ts';
import { arpTable, dhcpStatus, ipv6Connections, neighbourCache, routeTable, userTable } from './tables.ts';
import type { ErrorName } from './words.ts';
import { errorText, getLanguage } from './words.ts';

export interface CommandA {
  syntax: string;
  /** Only at `#`. */
  administrator?: true;
  run: (world: WorldView, login: Login, values: readonly string[]) => Outcome;
}

export const nothing: Outcome = { kind: 'lines', lines: [] };

export function failure(world: WorldView, name: ErrorName): Outcome {
  return { kind: 'lines', lines: [errorText(name, getLanguage(world.settings))] };
}

const shown = (syntax: string, lines: (world: WorldView, login: Login) => Iterable<string>): CommandA => ({
  syntax: `show ${syntax}`,
  run: (world, login) => ({ kind: 'lines', lines: lines(world, login) }),
});

const natTable = (syntax: string, rows: (world: WorldView) => Iterable<string>): CommandA => ({
  syntax: `show nat descriptor ${syntax}`,
  run: (world, _login, [number]) => ofDescriptor(world, number, rows),
});

const setting = (syntax: string, change: (values: readonly string[]) => ConsoleChange): CommandA => ({
  syntax,
  run: (world, _login, values) => {
    const made = change(values);
    if (typeof made === 'string') {
      return failure(world, made);
    }
    world.change(made);
    return nothing;
  },
});

const reset = (word: string, change: Partial<DeviceSettings>): CommandA => setting(`no console ${word}`, () => change);

/** Configuration and operation words whose effects are not modelled. At `#` they only mark the settings changed. */
const configurationWords = (
  'bridge clear clock cold copy date delete description dhcp dns ethernet import interface ip ipsec ' +
  'ipv6 l2tp lan load login nat ntpdate provider queue rdate restart revert route schedule snmp sshd ' +
  'switch syslog telnetd time timezone url user vlan vrrp'
).split(' ');

export const commandsA: readonly CommandA[] = [
  shown('environment', environment),
  shown('config', (world, login) => config(world, login.privileged)),
  shown('techinfo', techinfo),
  shown('arp', arpTable),
  shown('ipv6 neighbor cache', neighbourCache),
  shown('ipv6 connection', ipv6Connections),
  shown('ipv6 connection detail', ipv6Connections),
  shown('ipv6 connection summary', ipv6Connections),
  shown('ip route', routeTable),
  shown('status dhcp', (world) => dhcpStatus(world, false)),
  shown('status dhcp summary', (world) => dhcpStatus(world, true)),
  shown('status user', userTable),
  natTable('address', natSummary),
  natTable('address all', natSummary),
  natTable('address <number>', natSummary),
  natTable('address detail', natDetail),
  natTable('address all detail', natDetail),
  natTable('address <number> detail', natDetail),
  natTable('masquerade session summary', sessionSummary),
  natTable('masquerade session <number> summary', sessionSummary),
  natTable('masquerade port summary', portSummary),
  natTable('masquerade port <number> summary', portSummary),
  setting('console character <set>', ([value = '']) => consoleCharacter(value)),
  setting('console lines <count>', ([value = '']) => consoleLines(value)),
  setting('console columns <count>', ([value = '']) => consoleColumns(value)),
  setting('console prompt <text...>', (values) => consolePrompt(values.join(' '))),
  setting('console info <switch>', ([value = '']) => consoleInfo(value)),
  reset('character', { character: 'ja.sjis' }),
  reset('lines', { lines: 24 }),
  reset('columns', { columns: 80 }),
  reset('prompt', { hostName: '' }),
  reset('info', { consoleInfo: false }),
  { syntax: 'administrator', run: administrator },
  { syntax: 'exit', run: leave },
  { syntax: 'quit', run: leave },
  {
    syntax: 'save',
    administrator: true,
    run: (world) => {
      world.change({ changed: false });
      return nothing;
    },
  },
  {
    syntax: 'login user <name> <password>',
    administrator: true,
    run: (world, _login, [name = '', password = '']) => {
      world.accounts.set(name, { password, privileged: false });
      world.change({});
      return nothing;
    },
  },
  { syntax: 'pp select <number>', run: (world, login, [value = '']) => select(world, login, 'pp', value) },
  { syntax: 'tunnel select <number>', run: (world, login, [value = '']) => select(world, login, 'tunnel', value) },
  { syntax: 'disconnect user <name>', administrator: true, run: disconnect },
  ...configurationWords.map(
    (word): CommandA => ({
      syntax: `${word} <words...>`,
      administrator: true,
      run: (world) => {
        world.change({});
        return nothing;
      },
    }),
  ),
];

/** No block for a descriptor that is not there: the answer is empty. */
function ofDescriptor(
  world: WorldView,
  number: string | undefined,
  rows: (world: WorldView) => Iterable<string>,
): Outcome {
  if (number !== undefined) {
    const descriptor = integer(number);
    if (descriptor === null) {
      return failure(world, 'integer');
    }
    if (descriptor < 1 || descriptor > 2_147_483_647) {
      return failure(world, 'range');
    }
    if (descriptor !== world.settings.natDescriptor) {
      return nothing;
    }
  }
  return { kind: 'lines', lines: rows(world), table: 'nat' };
}

/** One try; a wrong password gives the error line after a pause. No password set means an empty one. */
function administrator(world: WorldView, login: Login): Outcome {
  if (login.privileged) {
    return nothing;
  }
  return {
    kind: 'secret',
    prompt: 'Password: ',
    answer: (typed) => {
      if (typed !== (world.credentials.enable ?? '')) {
        return { kind: 'wait', lines: [], ms: 900, next: failure(world, 'password') };
      }
      login.privileged = true;
      return nothing;
    },
  };
}

/** One level down; the last one asks to save when settings differ from the saved ones. */
function leave(world: WorldView, login: Login): Outcome {
  if (login.privileged) {
    login.privileged = false;
    login.context = '';
    return nothing;
  }
  return world.settings.changed ? saveQuestion(world) : { kind: 'close' };
}

function saveQuestion(world: WorldView): Outcome {
  const japanese = getLanguage(world.settings) === 'ja';
  return {
    kind: 'key',
    prompt: japanese ? '新しい設定を保存しますか? (Y/N)' : 'Save new configuration ? (Y/N)',
    answer: (key) => {
      if (key.toLowerCase() === 'y') {
        world.change({ changed: false });
        return { kind: 'close' };
      }
      return key.toLowerCase() === 'n' ? { kind: 'close' } : saveQuestion(world);
    },
  };
}

function select(world: WorldView, login: Login, what: 'pp' | 'tunnel', value: string): Outcome {
  if (value === 'none') {
    login.context = '';
    return nothing;
  }
  const number = integer(value);
  if (number === null) {
    return failure(world, 'integer');
  }
  if (number < 1 || number > 30) {
    return failure(world, 'range');
  }
  login.context = `${what}${number}`;
  return nothing;
}

/** Ends the asking user's own session; others cannot be reached from a command. */
function disconnect(world: WorldView, login: Login, [name]: readonly string[]): Outcome {
  return name === login.user ? { kind: 'close' } : failure(world, 'range');
}
