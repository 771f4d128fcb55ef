// One bounded request to an OIDC issuer: so much time, so many bytes, no redirect followed. It knows nothing of OIDC.
import type { CustomFetch, CustomFetchOptions } from 'openid-client';
import type * as undici from 'undici';
import { limits } from '#contract/limits.ts';
import type { Clock } from '#kernel/clock.ts';
import { withDeadline } from '#kernel/clock.ts';
import { AppError, messageOf } from '#kernel/errors.ts';

/**
 * The `fetch` given to the OIDC library: 10 s for the whole answer, 1 MB of body (wire contract 5.4). Rejects with
 * AppError `oidc_issuer_down` when the issuer does not answer, is busy or broken, or redirects.
 */
export function createIssuerFetch(clock: Clock): CustomFetch {
  return async (address, options) => {
    const { host } = new URL(address);
    // Loaded with the first use: a start does not wait for it.
    const { request } = await import('undici');
    const late = () => down(host, `did not answer within ${limits.oidcFetchMs / 1000} s`);
    try {
      return await withDeadline(clock, limits.oidcFetchMs, late, options.signal, (signal) =>
        ask(request, address, host, options, signal),
      );
    } catch (error) {
      throw error instanceof AppError ? error : down(host, `did not answer: ${reasonOf(error)}`);
    }
  };
}

async function ask(
  request: typeof undici.request,
  address: string,
  host: string,
  options: CustomFetchOptions,
  signal: AbortSignal,
): Promise<Response> {
  const { statusCode, headers, body } = await request(address, {
    method: options.method === 'POST' ? 'POST' : 'GET',
    headers: options.headers,
    body: options.body === undefined || options.body === null ? null : String(options.body),
    signal,
  });
  const bytes = await readBounded(host, body);
  if (statusCode >= 300 && statusCode < 400) {
    throw down(host, `answered with a redirect (${statusCode}), which is not followed: configure its own address`);
  }
  if (statusCode >= 500 || statusCode === 429) {
    throw down(host, `answered ${statusCode}`);
  }
  const kept = ['content-type', 'www-authenticate'].flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, String(value)] as [string, string]];
  });
  return new Response(bytes.length === 0 ? null : bytes, { status: statusCode, headers: kept });
}

async function readBounded(host: string, body: AsyncIterable<Uint8Array>): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limits.oidcAnswerBytes) {
      throw down(host, 'answered with more than 1 MB');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function down(host: string, what: string): AppError {
  return new AppError('oidc_issuer_down', `the OIDC issuer at ${host} ${what}`);
}

/** The code alone where there is one: the message of a network error names addresses, and anybody may read ours. */
function reasonOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : messageOf(error);
}
