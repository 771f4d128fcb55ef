// `gatehouse sim vendor_a` and `vendor_b`.
import { readFileSync } from 'node:fs';
import { messageOf } from '#kernel/errors.ts';
import { UsageError } from '#kernel/process/program.ts';
import { optionNumber, optionText, type ParsedOptions, type SimulatorCommand, serveControl } from '../command.ts';
import type { ApiName, OptionTable } from '../option-table.ts';
import { planPeriodRouter } from '../period/router.ts';
import { toCapturedRouter } from './captured.ts';
import { routerControlRoutes } from './control.ts';
import { routerFaults } from './faults.ts';
import type { DeviceSettings, RouterKind } from './model.ts';
import { findProfile, profiles } from './profiles.ts';
import { startRouterServer } from './router.ts';
import type { RouterOptions } from './start.ts';
import type { Replay } from './terminal/terminal.ts';

export const routerOptions = {
  sessions: { takes: 'N', says: 'standing sessions, 0 to 65000 (0)', api: 'sessions' },
  replay: {
    takes: 'FILE',
    says: 'answers the NAT table with exactly these bytes',
    api: 'replay',
    differs: '`nat` of it has the bytes',
    alone: true,
    isFile: true,
  },
  'replay-arp': {
    takes: 'FILE',
    says: 'the same for the ARP table',
    api: 'replay',
    differs: '`arp` of it',
    isFile: true,
  },
  'replay-ndp': {
    takes: 'FILE',
    says: 'the same for the IPv6 neighbours',
    api: 'replay',
    differs: '`ndp` of it',
    isFile: true,
  },
  capture: {
    takes: 'DIR',
    says: 'answers as the router of a capture (gatehouse capture), with its dialogue and its times',
    api: 'capture',
    alone: true,
    isFile: true,
  },
  period: {
    takes: 'FILE',
    says: 'plays the sessions of a period (gatehouse replay export), which begins with the simulator',
    api: 'period',
    alone: true,
    isFile: true,
  },
  'period-router': {
    takes: 'NAME',
    says: 'which router of the period, by its name in the first line of FILE',
    api: 'periodRouter',
  },
  dialect: { takes: 'NAME', says: 'the router profile', api: 'dialect', alone: true },
  'legacy-crypto': { says: 'offers CBC ciphers and SHA-1 key exchange only', api: 'legacyCrypto' },
} satisfies OptionTable<ApiName<RouterOptions>>;

const help = {
  title: 'Routers',
  more: `
Dialects
${profiles.map(({ name, kind, says }) => `  ${name.padEnd(16)}  ${kind}: ${says}`).join('\n')}
`,
};

/** What makes vendor_a readable in a UTF-8 terminal. */
export const readableCommand = 'console character ja.utf8';

const replayOptions = ['replay', 'replay-arp', 'replay-ndp'] as const;

/** Where a router listens when no port is given. */
export const routerPorts = {
  vendor_a: { port: 2221, control: 2931 },
  vendor_b: { port: 2222, control: 2932 },
} as const satisfies Record<RouterKind, SimulatorCommand['ports']>;

export const routerCommands: readonly SimulatorCommand[] = [routerCommand('vendor_a'), routerCommand('vendor_b')];

function routerCommand(kind: RouterKind): SimulatorCommand {
  return {
    kind,
    ports: routerPorts[kind],
    help,
    options: routerOptions,
    faults: routerFaults,
    plan(given) {
      const sessions = optionNumber(given, 'sessions', [0, 65_000], 0);
      const replay: Replay = {
        ...readCapture('nat', 'replay', given),
        ...readCapture('arp', 'replay-arp', given),
        ...readCapture('ndp', 'replay-ndp', given),
      };
      const dialect = optionText(given, 'dialect');
      if (dialect !== null) {
        findProfile(kind, dialect);
      }
      const captured = readCaptured(kind, given);
      const period = readPlayed(kind, given);
      return async (starting) => {
        const { options, stack, seed } = starting;
        const router = stack.use(
          await startRouterServer({
            ...options,
            kind,
            seed: seed ?? 1,
            sessions,
            // What is not replayed must not contradict what is: a table that moves would declare other totals.
            traffic: Object.keys(replay).length === 0,
            ...starting.router,
            latency: 'modern',
            legacyCrypto: given['legacy-crypto'] === true,
            replay,
            ...captured,
            ...period?.(options.clock.now()),
            ...(dialect === null ? {} : { profile: dialect }),
          }),
        );
        const control = await serveControl(starting, {
          title: `Simulated router ${kind}`,
          control: router,
          extra: routerControlRoutes({ control: router, now: options.clock.now }),
        });
        const { user, password, enable } = router.credentials;
        return {
          url: router.url.href,
          control,
          user,
          password,
          enablePassword: enable,
          // A captured router is of no dialect, and its characters are not to be set.
          ...(captured === null ? { dialect: router.settings.profile } : { capture: optionText(given, 'capture') }),
          ...(kind === 'vendor_a' ? { natDescriptor: router.settings.natDescriptor } : {}),
          hostKey: router.hostKey,
          ...(captured === null ? describeCharacters(kind, router.settings.character) : {}),
        };
      };
    },
  };
}

/** A hint for people at a UTF-8 terminal; empty when the router's characters are readable there. */
function describeCharacters(kind: RouterKind, character: DeviceSettings['character']): { hint?: string } {
  if (character === 'en.ascii' || character === 'ja.utf8') {
    return {};
  }
  const english = profiles.find((profile) => profile.kind === kind && profile.device.character === 'en.ascii');
  return {
    hint: `characters are in ${character}: by hand in a UTF-8 terminal type: ${readableCommand}, or start with --dialect ${english?.name}`,
  };
}

function readCaptured(kind: RouterKind, given: ParsedOptions) {
  const folder = optionText(given, 'capture');
  if (folder === null) {
    return null;
  }
  const other = ['sessions', 'dialect', 'period', ...replayOptions].find((name) => given[name] !== undefined);
  if (other !== undefined) {
    throw new UsageError(`--capture has its own table and dialect: leave out --${other}`);
  }
  try {
    return toCapturedRouter(folder, kind);
  } catch (cause) {
    throw new UsageError(`--capture: ${messageOf(cause)}`, { cause });
  }
}

function readPlayed(kind: RouterKind, given: ParsedOptions) {
  const file = optionText(given, 'period');
  const name = optionText(given, 'period-router');
  const other = ['sessions', 'capture', ...replayOptions].find((option) => given[option] !== undefined);
  if (file === null) {
    if (name !== null) {
      throw new UsageError('--period-router needs --period');
    }
    return null;
  }
  if (other !== undefined) {
    throw new UsageError(`--period has its own sessions: leave out --${other}`);
  }
  return planPeriodRouter(file, kind, name);
}

function readCapture(table: keyof Replay, name: string, given: ParsedOptions): Replay {
  const file = optionText(given, name);
  if (file === null) {
    return {};
  }
  try {
    return { [table]: readFileSync(file) };
  } catch (cause) {
    throw new UsageError(`--${name}: ${file} cannot be read`, { cause });
  }
}
