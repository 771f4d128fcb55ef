// One bounded request to the MCP server, as an assistant without a credential sends it: its refusal shows that it answers.
import type { z } from 'zod';
import { limits } from '#contract/limits.ts';
import type { mcpCheck } from '#contract/mcp-check.ts';
import { AppError, refuseField } from '#kernel/errors.ts';
import { type BoundedAnswer, boundedFetch } from '#kernel/http/bounded-fetch.ts';
import { canonicalIp, isLoopbackHost, isPrivateIp, unbracketed } from '#kernel/net/address.ts';
import { ForbiddenTarget, isForbiddenHost, lookupOutside } from '#kernel/net/forbidden-target.ts';
import { parseJson } from '#kernel/text/json.ts';
import type { Clock } from '#kernel/time/clock.ts';

type McpCheck = z.output<(typeof mcpCheck.reply)[200]>;

/** Throws AppError `invalid_body` for an address that the hub does not send to. A name is checked when it is resolved. */
export function requireMcpUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || !/^[^?#]*\/mcp$/.test(text)) {
    throw refuseField(
      'invalid_body',
      'url',
      'must be an http or https address that ends with /mcp, such as http://127.0.0.1:3001/mcp',
      'not_mcp',
    );
  }
  if (isForbiddenHost(url.hostname, true)) {
    throw refuseTarget(`${url.hostname} is an address where the hub sends nothing`);
  }
  return url;
}

/** Whether the host is written as an address of this machine or of its network. A name is not looked up. */
export function isInside({ hostname }: URL): boolean {
  const ip = canonicalIp(unbracketed(hostname));
  return isLoopbackHost(hostname) || (ip !== null && isPrivateIp(ip));
}

/** Rejects with AppError `invalid_body` when the name belongs to a forbidden address, else only with the reason of `stop`. */
export async function checkMcpServer(clock: Clock, url: URL, stop: AbortSignal): Promise<McpCheck> {
  const { Agent } = await import('undici');
  const dispatcher = new Agent({ connect: { lookup: lookupOutside(true) } });
  try {
    const answer = await boundedFetch(clock, url, {
      method: 'POST',
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      timeoutMs: limits.mcpCheckMs,
      maxBytes: limits.mcpCheckBytes,
      signal: stop,
      dispatcher,
      late: () => new Error('no answer in time'),
      tooLong: () => new TooLong('the answer is longer than any of the MCP server'),
    });
    return describeAnswer(answer);
  } catch (error) {
    stop.throwIfAborted();
    if (error instanceof ForbiddenTarget) {
      throw refuseTarget(error.message);
    }
    return { state: describeFailure(error), authentication: null };
  } finally {
    await dispatcher.destroy();
  }
}

class TooLong extends Error {}

function refuseTarget(reason: string): AppError {
  const problem = { code: 'host_not_allowed', limit: null, unit: null };
  return new AppError('invalid_body', `${reason}: give the address of the MCP server`, { details: { problem } });
}

/** The MCP server refuses a request without a credential with 401, and other errors with a word in `error`. */
function describeAnswer({ status, headers, body }: BoundedAnswer): McpCheck {
  const parsed = parseJson(body.toString('utf8'));
  const error = typeof parsed === 'object' && parsed !== null && 'error' in parsed ? parsed.error : null;
  if (status === 401 && error === 'unauthorized') {
    const isOAuth = String(headers['www-authenticate'] ?? '').includes('resource_metadata=');
    return { state: 'reachable', authentication: isOAuth ? 'oauth' : 'token' };
  }
  if (status === 429 && error === 'rate_limited') {
    return { state: 'reachable', authentication: null };
  }
  const state =
    status === 403 && error === 'forbidden'
      ? 'name_refused'
      : status === 502 || status === 503 || status === 504
        ? 'not_serving'
        : 'other_service';
  return { state, authentication: null };
}

/** By the code of the network alone. */
function describeFailure(error: unknown): McpCheck['state'] {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^(?:ENOTFOUND|EAI_AGAIN|EAI_NONAME)$/.test(code)) {
    return 'unknown_name';
  }
  if (code === 'ECONNREFUSED') {
    return 'refused';
  }
  if (/^(?:ERR_TLS_|ERR_SSL_|CERT_|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code)) {
    return 'tls';
  }
  return error instanceof TooLong || code.startsWith('HPE_') ? 'other_service' : 'no_answer';
}
