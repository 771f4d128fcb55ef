// Fetches a JSON document of the issuer with limits of time and size; it follows no redirects
// (docs/reference/wire-contract/7-mcp-http.md#issuer).
import { limits } from '#contract/limits.ts';
import { readBounded } from '#kernel/http/bounded-fetch.ts';
import { type Clock, withDeadline } from '#kernel/time/clock.ts';

/** Rejects with a short sentence without text of the response. `stop` aborts the request. */
export async function fetchIssuerJson(address: string, clock: Clock, stop: AbortSignal): Promise<unknown> {
  const late = () => new Error(`did not answer within ${limits.mcpIssuerFetchMs / 1000} s`);
  const text = await withDeadline(clock, limits.mcpIssuerFetchMs, late, stop, (signal) => read(address, signal));
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('answered with something that is not JSON');
  }
}

async function read(address: string, signal: AbortSignal): Promise<string> {
  const response = await ask(address, signal);
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`answered ${response.status}`);
  }
  const tooLong = () => new Error('answered with more than 1 MB');
  return (await readBounded(response.body, limits.mcpIssuerAnswerBytes, tooLong)).toString('utf8');
}

async function ask(address: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(address, { redirect: 'error', headers: { accept: 'application/json' }, signal });
  } catch (cause) {
    throw new Error('could not be reached, or redirects', { cause });
  }
}
