// The command line (docs/reference/command-line.md#commands) and environment (docs/reference/mcp-server.md#settings)
// of `gatehouse mcp`.
import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { trustedProxies } from '#kernel/http/trusted-proxies.ts';
import { commitSetting } from '#kernel/process/commit.ts';
import { flag, mustBe, oneOf, orDefault, whole } from '#kernel/process/env.ts';
import { logLevels } from '#kernel/process/log.ts';

/** Deployment profiles: each determines the transport and the authentication of clients. */
export const profiles = ['local-stdio', 'private-http', 'private-oauth', 'public-oauth'] as const;
export type Profile = (typeof profiles)[number];

const rate = (fallback: number) => orDefault(whole(1, 1_000_000).default(fallback));
const timeout = (fallback: number) => orDefault(whole(1, limits.mcpTimeoutMaxMs).default(fallback));

export const mcpEnv = z.object({
  MONITOR_DEPLOYMENT_PROFILE: oneOf(profiles).optional(),
  MONITOR_URL: z.string().default('http://localhost:3000'),
  MONITOR_TOKEN: z.string().optional(),
  MCP_PORT: whole(1, 65_535).optional(),
  MCP_BIND_ADDRESS: z.string().default('127.0.0.1'),
  MCP_ALLOW_NON_LOOPBACK: flag(),
  MCP_AUTH_MODE: oneOf(['token', 'oauth']).optional(),
  MCP_TOKEN: z.string().optional(),
  MCP_OAUTH_ISSUER: z.string().optional(),
  MCP_OAUTH_COMPATIBILITY_PROFILE: oneOf(['strict', 'cloud_idp']).default('strict'),
  MCP_OAUTH_RESOURCE: z.string().optional(),
  MCP_OAUTH_READ_SCOPE: z.string().optional(),
  MCP_OAUTH_NOTES_WRITE_SCOPE: z.string().optional(),
  MCP_SERVICE_TOKEN: z.string().optional(),
  MCP_AUDIT_HMAC_KEY: z.string().optional(),
  MCP_AUDIT_DB_PATH: z.string().default('.monitor-mcp-audit.db'),
  MCP_RATE_LIMIT_GLOBAL: rate(limits.mcpRateGlobal),
  MCP_RATE_LIMIT_SUBJECT: rate(limits.mcpRateSubject),
  MCP_RATE_LIMIT_CLIENT: rate(limits.mcpRateClient),
  MCP_MAX_CONCURRENT: rate(limits.mcpConcurrent),
  MCP_MAX_BODY: orDefault(z.string().optional().transform(bytes)),
  MCP_TRUST_PROXY: trustedProxies(),
  MCP_REQUEST_TIMEOUT_MS: timeout(limits.mcpRequestTimeoutMs),
  MCP_API_TIMEOUT_MS: timeout(limits.mcpApiTimeoutMs),
  GATEHOUSE_COMMIT: commitSetting,
  LOG_LEVEL: oneOf(logLevels).default('info'),
});

export type McpEnv = z.output<typeof mcpEnv>;

export const mcpUsage = `Usage: gatehouse mcp [--env-file FILE]

Lets an AI assistant ask the hub: 11 tools over stdio, or over HTTP at /mcp when MCP_PORT is set.

Options
  --env-file FILE  private file of NAME=value lines (mode 0600); what the environment sets wins
  --help           this text
  --version        the version

stdio   MONITOR_URL, MONITOR_TOKEN (the hub's admin token)
HTTP    MCP_PORT, MCP_SERVICE_TOKEN (an API identity with network.read and notes.write), MCP_AUDIT_HMAC_KEY, and
        MCP_TOKEN, or with MCP_AUTH_MODE=oauth MCP_OAUTH_ISSUER, MCP_OAUTH_RESOURCE, MCP_OAUTH_READ_SCOPE and
        MCP_OAUTH_NOTES_WRITE_SCOPE
All variables: test/pins/mcp-env.txt in the repository.
`;

const units = { b: 1, kb: 1024, mb: 1_048_576 } as const;

/** Parses sizes such as `256kb`, `1mb` and `4096`. */
function bytes(text: string | undefined, context: z.RefinementCtx): number {
  if (text === undefined) {
    return limits.mcpBodyBytes;
  }
  const [, digits = '0', unit = 'b'] = /^(\d{1,9})(b|kb|mb)?$/.exec(text.trim().toLowerCase()) ?? [];
  const size = Number(digits) * units[unit as keyof typeof units];
  if (size < 1) {
    context.addIssue({ code: 'custom', message: mustBe('a size such as 256kb, 1mb or 4096', text) });
  }
  return size;
}
