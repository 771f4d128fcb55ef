// One bounded request to the chat workspace: so much time, so many bytes, no redirect followed.
import type { FetchFunction } from '@slack/web-api';
import { limits } from '#contract/limits.ts';
import { type Clock, withDeadline } from '#kernel/clock.ts';

/** The `fetch` given to the client: 10 s for the whole answer, 1 MB of body (wire contract 4.9). */
export function createChatFetch(clock: Clock, signal?: AbortSignal): FetchFunction {
  const late = () => new Error(`no answer within ${limits.chatTimeoutMs / 1000} s`);
  return (address, options) =>
    withDeadline(clock, limits.chatTimeoutMs, late, signal, (inner) => ask(address, options, inner));
}

async function ask(
  address: string | URL,
  options: Parameters<FetchFunction>[1],
  signal: AbortSignal,
): Promise<Response> {
  // Loaded with the first use: a start does not wait for it.
  const { request } = await import('undici');
  const { statusCode, headers, body } = await request(address, {
    method: 'POST',
    headers: options?.headers ?? {},
    body: String(options?.body ?? ''),
    signal,
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limits.chatAnswerBytes) {
      throw new Error('the answer is larger than 1 MB');
    }
    chunks.push(chunk);
  }
  const kept = ['content-type', 'x-oauth-scopes', 'x-accepted-oauth-scopes'].flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, String(value)] as [string, string]];
  });
  return new Response(Buffer.concat(chunks), {
    status: statusCode,
    headers: [
      ...kept,
      ...(statusCode === 429 ? [['retry-after', waitOf(headers['retry-after'])] as [string, string]] : []),
    ],
  });
}

/** Whole seconds from 1 to an hour; 30 when the answer gives none that can be read. */
function waitOf(header: string | string[] | undefined): string {
  const seconds = /^\d{1,9}$/.test(String(header)) ? Number(header) : 30;
  return String(Math.min(Math.max(seconds, 1), 3600));
}
