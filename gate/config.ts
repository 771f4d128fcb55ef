// Reads the settings of the gate from the private environment file. An unknown or invalid setting is an error; there
// are no fallbacks. docs/reference/wire-contract/8-gate.md#81-environment has the table of settings. The comment of a
// setting that is not in this table begins with "Addition".
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { messageOf } from '#kernel/errors.ts';
import { canonicalIp, isLoopback, unbracketed } from '#kernel/net/address.ts';
import { oneOf, readEnv, whole } from '#kernel/process/env.ts';
import { explainIssue } from '#kernel/text/problem.ts';
import { parseNameServers } from './dns-question.ts';
import { evidencePolicies } from './evidence/context.ts';
import { isName } from './evidence/name.ts';
import { GateError, readPrivateFile } from './private-file.ts';

const secret = z.string().max(16_384, 'is longer than 16384 characters');
/** RFC 6749 scope-token: it is quoted into a header. */
const scope = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, 'must be one scope');

/** `publication` judges a deployment of Gatehouse; `resource-server` any MCP endpoint that OAuth protects. */
export const gateProfiles = ['publication', 'resource-server'] as const;
export type GateProfile = (typeof gateProfiles)[number];

export const gateEnv = z.object({
  /** Addition: which checks apply. */
  MCP_GATE_PROFILE: oneOf(gateProfiles).default('publication'),
  MCP_GATE_ENDPOINT: z.string().transform(createEndpointParser('https://NAME/mcp', (pathname) => pathname === '/mcp')),
  MCP_GATE_RESOURCE: z.string(),
  MCP_GATE_ISSUER: z.string().refine(isBareHttps, 'must be an https address without user, query or fragment'),
  MCP_GATE_OAUTH_COMPATIBILITY_PROFILE: oneOf(['strict', 'cloud_idp']).default('strict'),
  /** Addresses separated by commas; all of them are probed, as are all addresses of a name. */
  MCP_GATE_CONNECT_ADDRESS: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]{1,253}(,[A-Za-z0-9.:_-]{1,253}){0,7}$/, 'must be a host name, or IP addresses'),
  MCP_GATE_READ_SCOPE: scope,
  MCP_GATE_WRITE_SCOPE: scope,
  MCP_GATE_DEPLOYED_COMMIT: z.string().regex(/^[0-9a-f]{40}$/, 'must be 40 hexadecimal digits in lower case'),
  MCP_GATE_EVIDENCE_PATH: z.string().optional(),
  MCP_GATE_REPORT_PATH: z.string().default('.monitor-mcp-publication-gate.json'),
  MCP_GATE_AUDIT_DB_PATH: z.string(),
  MCP_GATE_MONITOR_URL: z.string().refine(isLoopbackUrl, 'must be an http or https address of this machine'),
  MCP_GATE_MONITOR_TOKEN: secret,
  MCP_GATE_READ_TOKEN: secret,
  MCP_GATE_WRITE_TOKEN: secret,
  MCP_GATE_EXPIRED_TOKEN: secret,
  MCP_GATE_WRONG_AUDIENCE_TOKEN: secret,
  MCP_GATE_REVOKED_EXPIRED_TOKEN: secret,
  /** Additions: valid tokens with one defect each (docs/gate.md). */
  MCP_GATE_NEAR_AUDIENCE_TOKEN: secret.optional(),
  MCP_GATE_AUDIENCE_LIST_TOKEN: secret.optional(),
  MCP_GATE_OTHER_ISSUER_TOKEN: secret.optional(),
  MCP_GATE_WRITE_ONLY_TOKEN: secret.optional(),
  MCP_GATE_RATE_PROBE_REQUESTS: whole(1, 500).default(limits.gateBurst),
  MCP_GATE_ROUTER_MAX_AGE_MS: whole(1, 86_400_000).default(limits.gateRouterAgeMs),
  MCP_GATE_TIMEOUT_MS: whole(1, 120_000).default(limits.gateTimeoutMs),
  /** Addition: read tokens of other subjects and clients, to test their limits; separated by blanks or commas. */
  MCP_GATE_LIMIT_TOKENS: z
    .string()
    .max(20 * 16_384, 'is longer than twenty tokens')
    .default('')
    .transform((text) => text.split(/[\s,]+/).filter((token) => token !== '')),
  /** Addition: a CA next to the public ones, for a staged certificate; the report says so. */
  MCP_GATE_CA_PATH: z.string().optional(),
  /** Addition: resolvers for the publication check, each as address or address:port. */
  MCP_GATE_DNS_SERVER: z
    .string()
    .refine((text) => parseNameServers(text) !== null, 'must be addresses of resolvers, with commas between')
    .optional(),
  /** Addition: a name in public DNS; a resolver that cannot resolve it is not counted. */
  MCP_GATE_DNS_CONTROL_NAME: z
    .string()
    .regex(/^(?=.{4,253}$)([A-Za-z0-9_-]{1,63}\.)+[A-Za-z0-9-]{2,63}$/, 'must be a host name')
    .optional(),
  /** Addition: port of the MCP server on its host. */
  MCP_GATE_MCP_PORT: whole(1, 65_535).default(3001),
  /** Addition: port of plain HTTP at the proxy. */
  MCP_GATE_HTTP_PORT: whole(1, 65_535).default(80),
  MCP_GATE_RUN_TIMEOUT_MS: whole(1000, 3_600_000).default(limits.gateRunMs),
  /** Addition: `declared` accepts items without provenance; the report counts them. */
  MCP_GATE_EVIDENCE_POLICY: oneOf(evidencePolicies).default('provenance'),
  /** Addition: the person who runs the collectors and is responsible for declared items. */
  MCP_GATE_OPERATOR: z.string().refine(isName, 'must be the name of a person, 2 to 100 characters').optional(),
  /** Addition: the public key that verifies evidence, and the private key that signs the report. */
  MCP_GATE_EVIDENCE_KEY_PATH: z.string().optional(),
  MCP_GATE_SIGNING_KEY_PATH: z.string().optional(),
});

export type GateConfig = z.output<typeof gateEnv>;

const optionalText = z.string().default('');

/** The settings under the profile `resource-server`. Those that only Gatehouse has may be absent, and are then empty. */
const resourceServerEnv = gateEnv.extend({
  MCP_GATE_ENDPOINT: z.string().transform(createEndpointParser('https://NAME/PATH', () => true)),
  MCP_GATE_RESOURCE: optionalText,
  MCP_GATE_WRITE_SCOPE: scope.default(''),
  MCP_GATE_DEPLOYED_COMMIT: optionalText,
  MCP_GATE_AUDIT_DB_PATH: optionalText,
  MCP_GATE_MONITOR_URL: optionalText,
  MCP_GATE_MONITOR_TOKEN: optionalText,
  MCP_GATE_WRITE_TOKEN: optionalText,
  MCP_GATE_REVOKED_EXPIRED_TOKEN: optionalText,
});

/**
 * Reads the private environment file; `profile` over the one that it names. Throws a GateError that names the variable,
 * never a secret.
 */
export function readGateConfig(file: string, profile?: GateProfile): GateConfig {
  const text = readPrivateFile(file, 'the environment file');
  try {
    return parseGateConfig(parseEnv(text) as Record<string, string>, profile);
  } catch (error) {
    throw new GateError(`${file}: ${messageOf(error)}`);
  }
}

/** Checks the variables of an environment file; `profile` over the one that they name. Throws an Error that names the variable. */
export function parseGateConfig(values: Readonly<Record<string, string>>, profile?: GateProfile): GateConfig {
  const unknown = Object.keys(values).find((name) => name.startsWith('MCP_GATE_') && !isKnown(name));
  if (unknown !== undefined) {
    throw new GateError(`${unknown} is no setting of the gate (see gatehouse gate --help)`);
  }
  const named = profile ?? readEnv(gateEnv.pick({ MCP_GATE_PROFILE: true }), values).MCP_GATE_PROFILE;
  const config =
    named === 'publication'
      ? { ...readEnv(gateEnv, values), MCP_GATE_PROFILE: named }
      : toResourceServer(readEnv(resourceServerEnv, values));
  const fault = findFault(config);
  if (fault !== null) {
    throw new GateError(fault);
  }
  return config;
}

export type Setting = keyof typeof gateEnv.shape;

/** Returns what is wrong with `text` as a value of `setting`, such as `must be one scope`, or null. */
export function findSettingFault(profile: GateProfile, setting: Setting, text: string): string | null {
  const schema: z.ZodType = (profile === 'publication' ? gateEnv : resourceServerEnv).shape[setting];
  return schema.safeParse(text, { error: explainIssue }).error?.issues[0]?.message ?? null;
}

/** Fills in the resource, which is the endpoint, and drops tokens that only a deployment of Gatehouse needs. */
function toResourceServer(config: GateConfig): GateConfig {
  return {
    ...config,
    MCP_GATE_PROFILE: 'resource-server',
    MCP_GATE_RESOURCE: config.MCP_GATE_RESOURCE || config.MCP_GATE_ENDPOINT.text,
    MCP_GATE_WRITE_TOKEN: '',
    MCP_GATE_REVOKED_EXPIRED_TOKEN: '',
  };
}

/** Throws a GateError when the settings are for a server that is not Gatehouse's. */
export function requirePublicationProfile({ MCP_GATE_PROFILE: profile }: GateConfig, what: string): void {
  if (profile !== 'publication') {
    throw new GateError(
      `${what} is about a deployment of Gatehouse, and the settings are of the profile ${profile}: take the environment file of a deployment`,
    );
  }
}

function isKnown(name: string): boolean {
  return Object.hasOwn(gateEnv.shape, name.replace(/_FILE$/, ''));
}

function findFault(config: GateConfig): string | null {
  if (config.MCP_GATE_RESOURCE !== config.MCP_GATE_ENDPOINT.text) {
    return 'MCP_GATE_RESOURCE must be the same text as MCP_GATE_ENDPOINT';
  }
  if (config.MCP_GATE_READ_SCOPE === config.MCP_GATE_WRITE_SCOPE) {
    return 'MCP_GATE_READ_SCOPE and MCP_GATE_WRITE_SCOPE must differ';
  }
  const tokens = [
    config.MCP_GATE_READ_TOKEN,
    config.MCP_GATE_WRITE_TOKEN,
    config.MCP_GATE_EXPIRED_TOKEN,
    config.MCP_GATE_WRONG_AUDIENCE_TOKEN,
    config.MCP_GATE_REVOKED_EXPIRED_TOKEN,
    config.MCP_GATE_MONITOR_TOKEN,
    config.MCP_GATE_NEAR_AUDIENCE_TOKEN,
    config.MCP_GATE_AUDIENCE_LIST_TOKEN,
    config.MCP_GATE_OTHER_ISSUER_TOKEN,
    config.MCP_GATE_WRITE_ONLY_TOKEN,
  ].filter(Boolean);
  if (new Set(tokens).size !== tokens.length) {
    return 'the tokens must all be different';
  }
  if (config.MCP_GATE_EVIDENCE_POLICY === 'declared' && config.MCP_GATE_OPERATOR === undefined) {
    return 'MCP_GATE_EVIDENCE_POLICY=declared needs MCP_GATE_OPERATOR: the name of who answers for what is declared';
  }
  return config.MCP_GATE_OAUTH_COMPATIBILITY_PROFILE === 'cloud_idp' && !isUserPool(config.MCP_GATE_ISSUER)
    ? 'MCP_GATE_OAUTH_COMPATIBILITY_PROFILE=cloud_idp is for the regional user-pool issuer only'
    : null;
}

/**
 * `https://cognito-idp.REGION.amazonaws.com/REGION_ID`: region of host and pool agree
 * (docs/reference/mcp-server.md#54-compatibility-profiles).
 */
export function isUserPool(issuer: string): boolean {
  const match = /^https:\/\/cognito-idp\.([a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com\/([a-z0-9-]+)_[A-Za-z0-9]+$/.exec(
    issuer,
  );
  return match !== null && match[1] === match[2];
}

/** Returns a transform for addresses whose path `isPath` accepts. The message of an error shows `form`. */
function createEndpointParser(form: string, isPath: (pathname: string) => boolean) {
  return (text: string, context: z.RefinementCtx): { text: string; url: URL } => {
    const url = URL.parse(text);
    if (!url || !isBareHttps(text) || !isPath(url.pathname) || canonicalIp(unbracketed(url.hostname)) !== null) {
      context.addIssue({ code: 'custom', message: `must be ${form} without user, query or fragment` });
      return z.NEVER;
    }
    return { text, url };
  };
}

function isBareHttps(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && !url.username && !url.password && !/[?#]/.test(text);
}

/** Resolves `path` below the hub's address, with or without a trailing slash. */
export function hubAddress({ MCP_GATE_MONITOR_URL: base }: GateConfig, path: string): URL {
  return new URL(path, base.replace(/\/?$/, '/'));
}

function isLoopbackUrl(text: string): boolean {
  const url = URL.parse(text);
  const host = unbracketed(url?.hostname ?? '');
  return (
    url !== null && /^https?:$/.test(url.protocol) && (host === 'localhost' || isLoopback(canonicalIp(host) ?? ''))
  );
}

/**
 * Ports that must be closed to the outside: https, the hub's, the MCP server's (item `directIngress` of
 * docs/reference/wire-contract/8-gate.md#82-evidence).
 */
export function ingressPorts({ MCP_GATE_MONITOR_URL: hub, MCP_GATE_MCP_PORT: mcp }: GateConfig): number[] {
  const url = URL.parse(hub);
  const ofHub = url === null ? [] : [Number(url.port || (url.protocol === 'https:' ? 443 : 80))];
  return [...new Set([443, ...ofHub, mcp])];
}
