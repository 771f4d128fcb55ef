// `gatehouse sim vendor_a` and `vendor_b`.
import { readFileSync } from 'node:fs';
import { wholeOption } from '#kernel/process/option-value.ts';
import { UsageError } from '#kernel/process/program.ts';
import { type ParsedOptions, type SimulatorCommand, serveControl, text } from '../command.ts';
import { routerControlRoutes } from './control-routes.ts';
import { routerFaults } from './faults.ts';
import type { DeviceSettings, RouterKind } from './model.ts';
import { profileOf, profiles } from './profiles.ts';
import { startRouter } from './router.ts';
import type { Replay } from './terminal/terminal.ts';

const help = {
  title: 'Routers',
  text: `  --sessions N             standing sessions, 0 to 65000 (0)
  --replay FILE            answers the NAT table with exactly these bytes
  --replay-arp FILE        the same for the ARP table
  --replay-ndp FILE        the same for the IPv6 neighbours
  --dialect NAME           the router profile
  --legacy-crypto          offers CBC ciphers and SHA-1 key exchange only

Dialects
${profiles.map(({ name, kind, says }) => `  ${name.padEnd(16)}  ${kind}: ${says}`).join('\n')}
`,
};

/** What makes vendor_a readable in a UTF-8 terminal. */
export const readableCommand = 'console character ja.utf8';

export const routerCommands: readonly SimulatorCommand[] = [
  routerCommand('vendor_a', { port: 2221, control: 2931 }),
  routerCommand('vendor_b', { port: 2222, control: 2932 }),
];

function routerCommand(kind: RouterKind, ports: SimulatorCommand['ports']): SimulatorCommand {
  return {
    kind,
    ports,
    help,
    options: {
      sessions: { type: 'string' },
      replay: { type: 'string' },
      'replay-arp': { type: 'string' },
      'replay-ndp': { type: 'string' },
      dialect: { type: 'string' },
      'legacy-crypto': { type: 'boolean' },
    },
    alone: ['dialect', 'replay'],
    plan(given) {
      const sessions = wholeOption('sessions', text(given, 'sessions') ?? '0', [0, 65_000]);
      const replay: Replay = {
        ...captured('nat', 'replay', given),
        ...captured('arp', 'replay-arp', given),
        ...captured('ndp', 'replay-ndp', given),
      };
      const dialect = text(given, 'dialect');
      if (dialect !== null) {
        profileOf(kind, dialect);
      }
      return async (starting) => {
        const { place, clock, stack, seed } = starting;
        const router = stack.use(
          await startRouter({
            kind,
            clock,
            host: place.host,
            port: place.port,
            seed: seed ?? 1,
            sessions,
            // What is not replayed must not contradict what is: a table that moves would declare other totals.
            traffic: Object.keys(replay).length === 0,
            latency: 'modern',
            legacyCrypto: given['legacy-crypto'] === true,
            replay,
            ...(dialect === null ? {} : { profile: dialect }),
            onEntry: starting.onEntry,
          }),
        );
        const control = await serveControl(starting, {
          title: `Simulated router ${kind}`,
          control: router.control,
          faults: routerFaults,
          extra: routerControlRoutes({ control: router.control, now: clock.now }),
        });
        const { user, password, enable } = router.credentials;
        return {
          url: router.url.href,
          control,
          user,
          password,
          enablePassword: enable,
          dialect: router.control.settings.profile,
          ...(kind === 'vendor_a' ? { natDescriptor: router.control.settings.natDescriptor } : {}),
          hostKey: router.control.hostKey,
          ...hintOf(kind, router.control.settings.character),
        };
      };
    },
  };
}

/** For people at a terminal, which is mostly set to UTF-8. */
function hintOf(kind: RouterKind, character: DeviceSettings['character']): { hint?: string } {
  if (character === 'en.ascii' || character === 'ja.utf8') {
    return {};
  }
  const english = profiles.find((profile) => profile.kind === kind && profile.device.character === 'en.ascii');
  return {
    hint: `characters are in ${character}: by hand in a UTF-8 terminal type: ${readableCommand}, or start with --dialect ${english?.name}`,
  };
}

function captured(table: keyof Replay, name: string, given: ParsedOptions): Replay {
  const file = text(given, name);
  if (file === null) {
    return {};
  }
  try {
    return { [table]: readFileSync(file) };
  } catch (cause) {
    throw new UsageError(`--${name}: ${file} cannot be read`, { cause });
  }
}
