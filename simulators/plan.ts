// The command line of `gatehouse sim`: what is asked for, or the mistake in it.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { profiles as issuerProfiles, replayModes } from './oidc/settings.ts';
import type { RouterKind } from './router/model.ts';
import { profileOf, profiles } from './router/profiles.ts';
import type { Replay } from './router/terminal/terminal.ts';

export type Kind = RouterKind | 'oidc';

export const defaultPorts: Readonly<Record<Kind, { port: number; control: number }>> = {
  vendor_a: { port: 2221, control: 2931 },
  vendor_b: { port: 2222, control: 2932 },
  oidc: { port: 4000, control: 2933 },
};
const kinds = Object.keys(defaultPorts) as Kind[];

export const usage = `Usage: gatehouse sim KIND [options]

Runs a simulator until it is interrupted. KIND is ${kinds.join(', ')}, or all.
It prints one JSON line with its address, control address and credentials, then notable events on stderr.

  --host A                 address to listen on (127.0.0.1)
  --port N                 port; 0 picks a free one (vendor_a 2221, vendor_b 2222, oidc 4000)
  --control-port N         port of the control API; 0 picks a free one, as --port 0 does (vendor_a 2931, vendor_b 2932, oidc 2933)
  --help                   this text
  --version                the version

Routers
  --seed N                 seed of hosts and traffic (1)
  --sessions N             standing sessions, 0 to 65000 (0)
  --replay FILE            answers the NAT table with exactly these bytes
  --replay-arp FILE        the same for the ARP table
  --replay-ndp FILE        the same for the IPv6 neighbours
  --dialect NAME           the router profile
  --legacy-crypto          offers CBC ciphers and SHA-1 key exchange only

OIDC issuer
  --replay-mode MODE       what a refresh token used twice does: ${replayModes.join(' or ')} (${replayModes[0]})
  --profile NAME           ${issuerProfiles.join(' or ')}, which omits the PKCE methods from discovery (${issuerProfiles[0]})
  --access-token-ttl S     lifetime of access tokens in seconds, 1 to 86400 (600)
  --hub-redirect-uri URI   callback of the client gatehouse-hub (http://127.0.0.1:3000/api/auth/oidc/callback)
  --consent-page           asks for login and consent on a page instead of granting both by itself

Dialects
${profiles.map(({ name, kind, says }) => `  ${name.padEnd(16)}  ${kind}: ${says}`).join('\n')}
`;

const common = {
  host: { type: 'string', default: '127.0.0.1' },
  port: { type: 'string' },
  'control-port': { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
  version: { type: 'boolean', short: 'V', default: false },
} as const;
const ofRouters = {
  seed: { type: 'string' },
  sessions: { type: 'string' },
  replay: { type: 'string' },
  'replay-arp': { type: 'string' },
  'replay-ndp': { type: 'string' },
  dialect: { type: 'string' },
  'legacy-crypto': { type: 'boolean' },
} as const;
const ofIssuer = {
  'replay-mode': { type: 'string' },
  profile: { type: 'string' },
  'access-token-ttl': { type: 'string' },
  'hub-redirect-uri': { type: 'string' },
  'consent-page': { type: 'boolean' },
} as const;

export interface Plan {
  kinds: readonly Kind[];
  host: string;
  port: number | null;
  controlPort: number | null;
  seed: number;
  sessions: number;
  replay: Replay;
  dialect: string | null;
  legacyCrypto: boolean;
  replayMode: (typeof replayModes)[number];
  profile: (typeof issuerProfiles)[number];
  accessTokenTtlMs: number;
  hubRedirectUri: string;
  consentPage: boolean;
}

/** A mistake in the command line: one line on stderr, exit 2. */
class UsageError extends Error {}

/** Throws, naming the mistake in its first sentence. */
export function parsePlan(argv: readonly string[]): Plan | 'help' | 'version' {
  const options = { ...common, ...ofRouters, ...ofIssuer } as const;
  const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
  if (values.help) {
    return 'help';
  }
  if (values.version) {
    return 'version';
  }
  const [word, ...more] = positionals;
  const chosen = word === 'all' ? kinds : kinds.filter((kind) => kind === word);
  const [first] = chosen;
  if (!first || more.length > 0) {
    const wrong =
      word === undefined ? 'KIND is missing' : more.length > 0 ? `unexpected "${more[0]}"` : `unknown kind "${word}"`;
    throw new UsageError(`${wrong}; the kinds are ${kinds.join(', ')} and all`);
  }
  if (word === 'all' && (values.dialect !== undefined || values.replay !== undefined)) {
    throw new UsageError('--dialect and --replay belong to one kind: run each simulator by itself');
  }
  if (word !== 'all') {
    const foreign = Object.keys(first === 'oidc' ? ofRouters : ofIssuer).find((name) => name in values);
    if (foreign !== undefined) {
      throw new UsageError(`--${foreign} does not belong to ${first}`);
    }
  }
  if (values.dialect !== undefined && first !== 'oidc') {
    profileOf(first, values.dialect);
  }
  const port = values.port === undefined ? null : whole('port', values.port, 65_535);
  const controlPort =
    values['control-port'] === undefined ? freeWhen(port === 0) : whole('control-port', values['control-port'], 65_535);
  if (word === 'all' && ((port ?? 0) > 0 || (controlPort ?? 0) > 0)) {
    throw new UsageError('all needs a port for each simulator: leave --port and --control-port out, or give 0');
  }
  const hubRedirectUri = values['hub-redirect-uri'] ?? 'http://127.0.0.1:3000/api/auth/oidc/callback';
  if (!URL.canParse(hubRedirectUri)) {
    throw new UsageError(`--hub-redirect-uri takes an absolute address, not "${hubRedirectUri}"`);
  }
  return {
    kinds: chosen,
    host: values.host,
    port,
    controlPort,
    seed: whole('seed', values.seed ?? '1', 0xffff_ffff),
    sessions: whole('sessions', values.sessions ?? '0', 65_000),
    replay: {
      ...captured('nat', '--replay', values.replay),
      ...captured('arp', '--replay-arp', values['replay-arp']),
      ...captured('ndp', '--replay-ndp', values['replay-ndp']),
    },
    dialect: values.dialect ?? null,
    legacyCrypto: values['legacy-crypto'] ?? false,
    replayMode: oneOf('replay-mode', values['replay-mode'], replayModes),
    profile: oneOf('profile', values.profile, issuerProfiles),
    accessTokenTtlMs: whole('access-token-ttl', values['access-token-ttl'] ?? '600', 86_400, 1) * 1000,
    hubRedirectUri,
    consentPage: values['consent-page'] ?? false,
  };
}

/** A simulator on any free port takes any free control port too; else it has its own. */
function freeWhen(anyPort: boolean): 0 | null {
  return anyPort ? 0 : null;
}

function whole(name: string, text: string, max: number, min = 0): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) {
    throw new UsageError(`--${name} takes a whole number from ${min} to ${max}, not "${text}"`);
  }
  return value;
}

/** The first word when none is given. */
function oneOf<const T extends string>(name: string, text: string | undefined, words: readonly [T, ...T[]]): T {
  const found = text === undefined ? words[0] : words.find((word) => word === text);
  if (found === undefined) {
    throw new UsageError(`--${name} takes ${words.join(' or ')}, not "${text}"`);
  }
  return found;
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
