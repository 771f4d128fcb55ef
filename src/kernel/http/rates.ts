// Rate limits per client: reads and writes separately, in fixed windows (wire contract 1.4).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientKey } from '../address-key.ts';
import { AppError } from '../errors.ts';
import type { FixedWindowLimiter } from '../limiter.ts';
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
}

/** Counts the request and adds the RateLimit headers; throws AppError `rate_limited` (429). */
export function enforceRateLimit(rates: Rates, request: FastifyRequest, response: FastifyReply): void {
  const credential = rates.credentialOf(requestFacts(request));
  const { reads, writes } = credential === null ? rates.addresses : rates.credentials;
  const window = ['GET', 'HEAD', 'OPTIONS'].includes(request.method) ? reads : writes;
  const taken = window.take(credential ?? clientKey(request.ip));
  response.header('RateLimit-Limit', taken.limit);
  response.header('RateLimit-Remaining', taken.remaining);
  response.header('RateLimit-Reset', Math.ceil(taken.resetAt / 1000));
  if (!taken.allowed) {
    const seconds = Math.max(1, Math.ceil(window.remainingMs(taken) / 1000));
    throw new AppError('rate_limited', `too many requests: try again in ${seconds} s`, {
      headers: { 'Retry-After': String(seconds) },
    });
  }
}
