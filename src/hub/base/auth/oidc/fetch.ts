// One bounded request to an OIDC issuer: so much time, so many bytes, no redirect followed. It knows nothing of OIDC.
import type { CustomFetch } from 'openid-client';
import type { Fact } from '#contract/facts.ts';
import { oidcLimits } from '#contract/oidc-limits.ts';
import { AppError, messageOf } from '#kernel/errors.ts';
import { type BoundedAnswer, boundedFetch, pickHeaders } from '#kernel/http/bounded-fetch.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { createFact, createRefusal, describeCause } from '../../refusals.ts';

/**
 * The `fetch` given to the OIDC library: 10 s for the whole answer, 1 MB of body
 * (docs/reference/wire-contract/5-behaviours.md#54-browser-oidc). Rejects with AppError `oidc_issuer_down` when the
 * issuer does not answer, is busy or broken, or redirects.
 */
export function createIssuerFetch(clock: Clock): CustomFetch {
  return async (address, options) => {
    const { host } = new URL(address);
    const { body } = options;
    const seconds = oidcLimits.oidcFetchMs / 1000;
    const answer = await boundedFetch(clock, address, {
      method: options.method === 'POST' ? 'POST' : 'GET',
      headers: options.headers,
      body: body === undefined || body === null ? null : String(body),
      timeoutMs: oidcLimits.oidcFetchMs,
      maxBytes: oidcLimits.oidcAnswerBytes,
      signal: options.signal,
      late: () => down(host, `did not answer within ${seconds} s`, createFact('oidc_late', { host, seconds })),
      tooLong: () => down(host, 'answered with more than 1 MB', createFact('oidc_too_long', { host })),
    }).catch((error: unknown) => {
      if (error instanceof AppError) {
        throw error;
      }
      const detail = reasonOf(error);
      throw down(
        host,
        `did not answer: ${detail}`,
        createFact('oidc_silent', { host, ...describeCause(error), detail }),
      );
    });
    return responseOf(host, answer);
  };
}

function responseOf(host: string, { status, headers, body }: BoundedAnswer): Response {
  if (status >= 300 && status < 400) {
    throw down(
      host,
      `answered with a redirect (${status}), which is not followed: configure its own address`,
      createFact('oidc_redirects', { host, status }),
    );
  }
  if (status >= 500 || status === 429) {
    throw down(host, `answered ${status}`, createFact('oidc_status', { host, status }));
  }
  return new Response(body.length === 0 ? null : body, {
    status,
    headers: pickHeaders(headers, ['content-type', 'www-authenticate']),
  });
}

function down(host: string, what: string, fact: Fact): AppError {
  return createRefusal('oidc_issuer_down', `the OIDC issuer at ${host} ${what}`, [fact]);
}

/** The code alone where there is one: the message of a network error names addresses, and anybody may read ours. */
function reasonOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : messageOf(error);
}
