// Validates the environment (docs/reference/wire-contract/7-mcp-http.md#71-start) and derives the settings
// (docs/reference/mcp-server.md#settings). Pure.
import { isIP } from 'node:net';
import { limits } from '#contract/limits.ts';
import { isLoopbackHost } from '#kernel/net/address.ts';
import type { McpEnv, Profile } from './config.ts';
import { type OAuthSettings, parseOAuth } from './oauth/settings.ts';

/** Path of the endpoint; a proxy forwards to it. */
export const mcpPath = '/mcp';

export interface HubSettings {
  url: URL;
  /** Sent in `X-Admin-Token`. */
  token: string;
  apiTimeoutMs: number;
  /** Whether errors name the variable to correct (for a client on this machine). */
  advises: boolean;
}

export interface StdioSettings {
  transport: 'stdio';
  profile: Profile;
  hub: HubSettings;
}

export type AuthSettings = { mode: 'token'; token: string } | ({ mode: 'oauth' } & OAuthSettings);

export interface HttpSettings {
  transport: 'http';
  profile: Profile;
  hub: HubSettings;
  /** A literal IP address. */
  bind: string;
  port: number;
  auth: AuthSettings;
  /** Key of the pseudonyms in the audit store, and its file. */
  auditKey: string;
  auditFile: string;
  rates: { global: number; subject: number; client: number; windowMs: number };
  concurrent: number;
  bodyBytes: number;
  trustProxy: readonly string[];
  requestTimeoutMs: number;
}

/** Throws an Error that names the variable and says what to do. */
export function mcpSettings(env: McpEnv): StdioSettings | HttpSettings {
  return env.MCP_PORT === undefined ? stdioSettings(env) : httpSettings(env, env.MCP_PORT);
}

function stdioSettings(env: McpEnv): StdioSettings {
  const profile = chooseProfile(env, 'stdio', ['local-stdio']);
  if (env.MCP_AUTH_MODE === 'oauth') {
    throw new Error('MCP_AUTH_MODE: oauth needs HTTP: set MCP_PORT, or leave MCP_AUTH_MODE out for stdio');
  }
  const token = required(env, 'MONITOR_TOKEN', "stdio asks the hub with it: give the hub's admin token");
  return {
    transport: 'stdio',
    profile,
    hub: { url: hubUrl(env), token, apiTimeoutMs: env.MCP_API_TIMEOUT_MS, advises: true },
  };
}

function httpSettings(env: McpEnv, port: number): HttpSettings {
  const mode = env.MCP_AUTH_MODE ?? 'token';
  const fitting = mode === 'token' ? (['private-http'] as const) : (['public-oauth', 'private-oauth'] as const);
  const profile = chooseProfile(env, `HTTP with MCP_AUTH_MODE=${mode}`, fitting);
  const bind = bindAddress(env);
  const auth: AuthSettings =
    mode === 'token'
      ? { mode, token: required(env, 'MCP_TOKEN', 'token mode needs a token of its own for MCP clients') }
      : { mode, ...parseOAuth(env) };
  const serviceToken = required(env, 'MCP_SERVICE_TOKEN', 'make an API identity with network.read and notes.write');
  if (!/^svc_[0-9a-f]{64}$/.test(serviceToken)) {
    throw new Error('MCP_SERVICE_TOKEN: must be the token of an API identity: svc_ and 64 hex digits');
  }
  const auditKey = required(env, 'MCP_AUDIT_HMAC_KEY', 'make one secret for the pseudonyms of the audit and keep it');
  if (auditKey.length < limits.mcpAuditKeyMin) {
    throw new Error(`MCP_AUDIT_HMAC_KEY: must have at least ${limits.mcpAuditKeyMin} characters`);
  }
  requireDistinct(env);
  return {
    transport: 'http',
    profile,
    hub: { url: hubUrl(env), token: serviceToken, apiTimeoutMs: env.MCP_API_TIMEOUT_MS, advises: false },
    bind,
    port,
    auth,
    auditKey,
    auditFile: env.MCP_AUDIT_DB_PATH,
    rates: {
      global: env.MCP_RATE_LIMIT_GLOBAL,
      subject: env.MCP_RATE_LIMIT_SUBJECT,
      client: env.MCP_RATE_LIMIT_CLIENT,
      windowMs: limits.mcpRateWindowMs,
    },
    concurrent: env.MCP_MAX_CONCURRENT,
    bodyBytes: env.MCP_MAX_BODY,
    trustProxy: env.MCP_TRUST_PROXY,
    requestTimeoutMs: env.MCP_REQUEST_TIMEOUT_MS,
  };
}

function chooseProfile(env: McpEnv, what: string, fitting: readonly [Profile, ...Profile[]]): Profile {
  const profile = env.MONITOR_DEPLOYMENT_PROFILE ?? fitting[0];
  if (!fitting.includes(profile)) {
    throw new Error(
      `MONITOR_DEPLOYMENT_PROFILE: ${profile} does not fit ${what}, which is ${fitting.join(' or ')}: change one of them`,
    );
  }
  return profile;
}

function bindAddress(env: McpEnv): string {
  const bind = env.MCP_BIND_ADDRESS;
  if (isIP(bind) === 0) {
    throw new Error(`MCP_BIND_ADDRESS: "${bind}" is not an IPv4 or IPv6 address; a host name is not accepted`);
  }
  if (isLoopbackHost(bind)) {
    return bind;
  }
  if (!env.MCP_ALLOW_NON_LOOPBACK) {
    throw new Error(`MCP_BIND_ADDRESS: ${bind} is not loopback: set MCP_ALLOW_NON_LOOPBACK=true if that is meant`);
  }
  if (env.MONITOR_DEPLOYMENT_PROFILE === undefined) {
    throw new Error(`MONITOR_DEPLOYMENT_PROFILE: must be set for the bind to ${bind}, which is not loopback`);
  }
  return bind;
}

function hubUrl({ MONITOR_URL: text }: McpEnv): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new Error('MONITOR_URL: must be an http or https address without user, query or fragment');
  }
  return url;
}

type Name = keyof McpEnv & `M${string}`;

/** The value of a mandatory variable; `why` states its purpose. */
export function required(env: McpEnv, name: Name, why: string): string {
  const value = env[name];
  if (typeof value !== 'string') {
    throw new Error(`${name}: is not set; ${why}`);
  }
  return value;
}

function requireDistinct(env: McpEnv): void {
  const names = ['MONITOR_TOKEN', 'MCP_TOKEN', 'MCP_SERVICE_TOKEN', 'MCP_AUDIT_HMAC_KEY'] as const;
  const given = names.filter((name) => env[name] !== undefined);
  for (const [at, name] of given.entries()) {
    const same = given.slice(at + 1).find((other) => env[other] === env[name]);
    if (same) {
      throw new Error(`${same}: is the same as ${name}: every credential must be its own`);
    }
  }
}
