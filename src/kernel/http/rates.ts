// Rate limits per client: reads and writes separately, in fixed windows
// (docs/reference/wire-contract/1-http-rules.md#14-rate-limits).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refusedFor } from '../errors.ts';
import { clientKey } from '../net/address-key.ts';
import type { FixedWindowLimiter } from './limiter.ts';
import { type RequestFacts, requestFacts } from './request-facts.ts';

export interface Allowance {
  reads: FixedWindowLimiter;
  writes: FixedWindowLimiter;
}

/**
 * A request with a valid credential is counted by that credential, any other one by its address. The two are separate:
 * unauthenticated clients use up nothing of authenticated ones.
 */
export interface Rates {
  addresses: Allowance;
  credentials: Allowance;
  /** A name of the valid credential that came with the request; null when none did. */
  credentialOf: (request: RequestFacts) => string | null;
  /** Windows by address, for the routes that name this `allowance`. */
  byAllowance?: Readonly<Record<string, FixedWindowLimiter>>;
}

/** Counts the request and adds the RateLimit headers; throws AppError `rate_limited` (429). */
export function enforceRateLimit(rates: Rates, request: FastifyRequest, response: FastifyReply): void {
  const { window, key } = windowOf(rates, request);
  const taken = window.take(key);
  response.header('RateLimit-Limit', taken.limit);
  response.header('RateLimit-Remaining', taken.remaining);
  response.header('RateLimit-Reset', Math.ceil(taken.resetAt / 1000));
  if (!taken.allowed) {
    const say = (seconds: number) => `too many requests: try again in ${seconds} s`;
    throw refusedFor('rate_limited', window.remainingMs(taken), say);
  }
}

function windowOf(rates: Rates, request: FastifyRequest): { window: FixedWindowLimiter; key: string } {
  const address = clientKey(request.ip);
  const named = rates.byAllowance?.[request.routeOptions.config.route?.allowance ?? ''];
  if (named) {
    return { window: named, key: address };
  }
  const credential = rates.credentialOf(requestFacts(request));
  const { reads, writes } = credential === null ? rates.addresses : rates.credentials;
  const window = ['GET', 'HEAD', 'OPTIONS'].includes(request.method) ? reads : writes;
  return { window, key: credential ?? address };
}
