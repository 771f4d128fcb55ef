// Sends bursts with each token until the endpoint refuses it, and reads the reason of each refusal from the audit.
import { decodeJwt, type JWTPayload } from 'jose';
import { callTool, modern } from '../mcp-messages.ts';
import { GateError } from '../private-file.ts';
import type { Answer } from '../target.ts';
import { parseRetryAfter } from './answer-headers.ts';
import { getRequestId, rowsById } from './audit-store.ts';
import type { LimitsShown, ProbeContext } from './context.ts';
import { getClientId } from './given-tokens.ts';

/** Tool calls at once: above MCP_MAX_CONCURRENT (4), well below what one subject may ask in a minute (30). */
const callsAtOnce = 12;
/** Bursts of them: an endpoint that answers fast may have answered one call before the next arrives. */
const burstsOfCalls = 2;
const rates = ['subject_rate_limit', 'client_rate_limit', 'global_rate_limit'] as const;

type Burst = Pick<ProbeContext, 'config' | 'mcp' | 'path' | 'onBurst'>;

/**
 * Sends tool calls at once, then single requests with each token, `MCP_GATE_RATE_PROBE_REQUESTS` in all. Ends when the
 * audit has named each of the three `rates`. Rejects with a GateError, before it sends anything, when a token is no JWT.
 */
export async function burstWithTokens({ config, mcp, path, onBurst }: Burst): Promise<LimitsShown> {
  const holders = countTokenHolders(config);
  const tokens = listTokens(config).map(({ token }) => token);
  const reasons = new Set<string>();
  const most = config.MCP_GATE_RATE_PROBE_REQUESTS;
  let sent = 0;
  let problem: string | null = null;
  /** Null after an answer that is neither 200 nor a valid 429: `problem` says why. */
  const judgeAnswers = async (answers: readonly Answer[]): Promise<'served' | 'turned-away' | null> => {
    sent += answers.length;
    onBurst(sent, most);
    const other = answers.find(({ status }) => status !== 200 && status !== 429);
    if (other) {
      problem = `a token is answered with ${other.status}`;
      return null;
    }
    const away = answers.filter(({ status }) => status === 429);
    const rows = await rowsById(config.MCP_GATE_AUDIT_DB_PATH, away.map(getRequestId));
    if (away.some((answer) => parseRetryAfter(answer) === null)) {
      problem = '429 comes without Retry-After in seconds';
      return null;
    }
    for (const { reason } of rows.values()) {
      reasons.add(reason ?? '');
    }
    if (away.length > rows.size) {
      problem = 'a 429 has no row in the audit: the proxy gives it, or another endpoint';
    }
    return away.length === 0 ? 'served' : 'turned-away';
  };
  const toResult = () => ({ reasons, sent, problem, ...holders });
  const [first = ''] = tokens;
  const list = modern('tools/list');
  // An earlier run may have used up the rate of this minute: `mcp` waits that out, as the name is not `burst…`.
  if ((await judgeAnswers([await mcp('limits', { ...list, token: first })])) === null) {
    return toResult();
  }
  // These open the connections, so that the calls arrive together.
  await Promise.all(
    Array.from({ length: callsAtOnce }, () => path('metadata', '/.well-known/oauth-protected-resource')),
  );
  const call = { ...callTool('get_traffic_summary', { period: '14d' }), token: first };
  for (let burst = 1; burst <= burstsOfCalls; burst += 1) {
    await judgeAnswers(await Promise.all(Array.from({ length: callsAtOnce }, () => mcp('burst-calls', call))));
    if (problem !== null || reasons.has('concurrency_limit') || sent + callsAtOnce > most) {
      break;
    }
  }
  for (const token of tokens) {
    for (let outcome: 'served' | 'turned-away' | null = 'served'; outcome === 'served'; ) {
      if (problem !== null || sent >= most || rates.every((rate) => reasons.has(rate))) {
        return toResult();
      }
      outcome = await judgeAnswers([await mcp('burst-token', { ...list, token })]);
    }
  }
  return toResult();
}

function listTokens(config: Burst['config']): { token: string; name: string }[] {
  return [
    ...config.MCP_GATE_LIMIT_TOKENS.map((token, at) => ({ token, name: `token ${at + 1} of MCP_GATE_LIMIT_TOKENS` })),
    { token: config.MCP_GATE_READ_TOKEN, name: 'MCP_GATE_READ_TOKEN' },
    { token: config.MCP_GATE_WRITE_TOKEN, name: 'MCP_GATE_WRITE_TOKEN' },
  ];
}

/** Counts the people and clients that the tokens name, unverified. Throws a GateError for a token that is no JWT. */
export function countTokenHolders(config: Burst['config']): { subjects: number; clients: number } {
  const claims = listTokens(config).map(decodeClaims);
  return {
    subjects: new Set(claims.map(({ iss, sub }) => `${iss}|${sub}`)).size,
    clients: new Set(claims.map(getClientId)).size,
  };
}

function decodeClaims({ token, name }: { token: string; name: string }): JWTPayload {
  try {
    return decodeJwt(token);
  } catch (cause) {
    const remedy = 'take a token that the issuer made for this resource, as docs/gate.md says';
    throw new GateError(`${name} is no JWT: ${remedy}`, { cause });
  }
}
