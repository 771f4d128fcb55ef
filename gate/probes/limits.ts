// Checks each limit of the endpoint: by address, subject, client and host, and of concurrent calls.
import { type Check, fail, pass, passUnless, untestable, type Verdict } from '../check.ts';
import type { GateConfig } from '../config.ts';
import { modern } from '../mcp-messages.ts';
import type { LimitsShown, ProbeContext } from './context.ts';

/** Where a proxy, or a program behind it, may look for the address of a client. RFC 5737. */
const spoofed = '198.51.100.77';
export const spoofedHeaders: Record<string, string> = {
  'x-forwarded-for': spoofed,
  forwarded: `for=${spoofed}`,
  'x-real-ip': spoofed,
  'x-client-ip': spoofed,
  'true-client-ip': spoofed,
  'cf-connecting-ip': spoofed,
};

const address: Check<ProbeContext> = {
  id: 'limit.address',
  asks: 'an address that asked too often gets no new allowance by naming another one, and another address is not refused for it',
  category: 'rateLimit',
  needs: ['limit.burst'],
  remedy:
    'let the proxy replace X-Forwarded-For by the address of the client, and name the proxy, and nothing else, in MCP_TRUST_PROXY; the gate needs a second address of its machine that the proxy sees (ip address add)',
  async judge(context) {
    if (!(await isShut(context))) {
      return untestable('the minute of the burst has ended, and another burst is not stopped');
    }
    const ask = modern('tools/list');
    const bought = await context.mcp('burst-spoofed', { ...ask, headers: { ...ask.headers, ...spoofedHeaders } });
    const again = await context.mcp('burst-again', ask);
    if (again.status !== 429) {
      return untestable('the minute of the burst ended during it: run the gate again');
    }
    const other = await context.mcpFromElsewhere('burst-elsewhere', ask);
    if (other === null) {
      return untestable('this machine reaches the endpoint from one address only, and two are needed');
    }
    return passUnless([
      ...(bought.status === 429 ? [] : [`a header that names another address is answered with ${bought.status}`]),
      ...(other.status === 401 ? [] : [`a client at another address is answered with ${other.status}`]),
    ]);
  },
};

/** Whether a request without a token is turned away now; sends as many as the burst may have. */
async function isShut({ config, mcp }: ProbeContext): Promise<boolean> {
  for (let count = 0; count < config.MCP_GATE_RATE_PROBE_REQUESTS; count += 1) {
    if ((await mcp('burst-more', modern('tools/list'))).status === 429) {
      return true;
    }
  }
  return false;
}

export interface Limit {
  name: string;
  reason: string;
  variable: string;
  /** Who it takes to reach it, when it was not reached. */
  wants(shown: LimitsShown): string | null;
  remedy: string;
}

const manyPeople = 'MCP_GATE_LIMIT_TOKENS takes read tokens of two more people and two more clients';

/** Limits that a burst with tokens must meet, each by its reason in the audit. */
export const limits: readonly Limit[] = [
  {
    name: 'concurrency',
    reason: 'concurrency_limit',
    variable: 'MCP_MAX_CONCURRENT',
    wants: () => null,
    remedy: 'set MCP_MAX_CONCURRENT below 12: every tool call keeps the hub busy',
  },
  {
    name: 'subject',
    reason: 'subject_rate_limit',
    variable: 'MCP_RATE_LIMIT_SUBJECT',
    wants: () => null,
    remedy:
      'set MCP_RATE_LIMIT_SUBJECT to what one person needs, and not above MCP_RATE_LIMIT_CLIENT; raise MCP_GATE_RATE_PROBE_REQUESTS above it',
  },
  {
    name: 'client',
    reason: 'client_rate_limit',
    variable: 'MCP_RATE_LIMIT_CLIENT',
    wants: ({ subjects }) => (subjects > 1 ? null : 'two people with one client'),
    remedy: `set MCP_RATE_LIMIT_CLIENT to what one client needs; ${manyPeople}, the first two of one client`,
  },
  {
    name: 'global',
    reason: 'global_rate_limit',
    variable: 'MCP_RATE_LIMIT_GLOBAL',
    wants: ({ subjects, clients }) => (subjects > 2 && clients > 2 ? null : 'three people and three clients'),
    remedy: `set MCP_RATE_LIMIT_GLOBAL to what the host can bear; ${manyPeople}; raise MCP_GATE_RATE_PROBE_REQUESTS above the limit`,
  },
];

const shownLimits = limits.map(
  ({ name, reason, variable, wants, remedy }): Check<ProbeContext> => ({
    id: `limit.${name}`,
    asks: `a burst with tokens meets the limit of ${variable}: 429 with Retry-After, and ${reason} in the audit`,
    category: 'rateLimit',
    needs: ['limit.burst', 'tokens.signatures', 'audit.integrity'],
    remedy,
    judge: async ({ config, limitsShown }) => judgeLimit({ reason, wants }, await limitsShown(), config),
  }),
);

/** Whether a burst met a limit; one that the given people cannot meet is not required when no more tokens are given. */
export function judgeLimit(
  { reason, wants }: Pick<Limit, 'reason' | 'wants'>,
  shown: LimitsShown,
  { MCP_GATE_LIMIT_TOKENS: tokens }: Pick<GateConfig, 'MCP_GATE_LIMIT_TOKENS'>,
): Verdict {
  if (shown.reasons.has(reason)) {
    return pass;
  }
  return tokens.length === 0 && shown.problem === null && wants(shown) !== null
    ? { outcome: 'not-required', because: 'MCP_GATE_LIMIT_TOKENS is not set: this was not tried' }
    : fail(explainUnmet({ wants }, shown));
}

/** Why a limit was not met, as far as can be said. */
function explainUnmet({ wants }: Pick<Limit, 'wants'>, shown: LimitsShown): string {
  const missing = wants(shown);
  return [
    `${shown.sent} requests of ${shown.subjects} people and ${shown.clients} clients did not meet it`,
    ...(missing === null ? [] : [`with the default limits it takes ${missing}`]),
    ...(shown.problem === null ? [] : [shown.problem]),
  ].join('; ');
}

export const limitChecks: readonly Check<ProbeContext>[] = [address, ...shownLimits];
