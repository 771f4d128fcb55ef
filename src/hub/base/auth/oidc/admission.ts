// Decides who may log in by an ID token, and in which role. Its signature, issuer and nonce were checked before.
import { oidcLimits } from '#contract/oidc-limits.ts';
import { AppError } from '#kernel/errors.ts';
import { hashToken } from '#kernel/text/secret.ts';
import type { OidcSettings } from './settings.ts';

export type OidcRole = 'operator' | 'viewer';

/** Claims of an ID token; e-mail and its verification may come from the UserInfo endpoint. Times are epoch seconds. */
export interface OidcClaims {
  iss: string;
  sub: string;
  aud: string | string[];
  azp?: unknown;
  exp: number;
  iat: number;
  nbf?: unknown;
  email?: unknown;
  email_verified?: unknown;
}

/** Throws AppError `oidc_token_invalid` or `oidc_audience` unless it is for `clientId` and valid at `now` (ms). */
export function validateClaims(claims: OidcClaims, clientId: string, now: number): void {
  const { exp, iat, nbf, azp } = claims;
  const seconds = now / 1000;
  const skew = oidcLimits.oidcSkewMs / 1000;
  if (!(exp > seconds - skew)) {
    throw new AppError(
      'oidc_token_invalid',
      'the ID token has expired: log in again, and compare the clocks of hub and issuer',
    );
  }
  if (!(iat <= seconds + skew) || (nbf !== undefined && !(typeof nbf === 'number' && nbf <= seconds + skew))) {
    throw new AppError('oidc_token_invalid', 'the ID token is not valid yet: compare the clocks of hub and issuer');
  }
  const audiences = [claims.aud].flat();
  const isAuthorized = azp === clientId || (azp === undefined && audiences.length === 1);
  if (!audiences.includes(clientId) || !isAuthorized) {
    throw new AppError('oidc_audience', 'the ID token is not meant for this hub alone: check the client at the issuer');
  }
}

/**
 * Returns the stable id of a person, a hash, so that the hub stores no e-mail address
 * (docs/reference/wire-contract/5-behaviours.md#54-browser-oidc).
 */
export function hashSubject({ iss, sub }: Pick<OidcClaims, 'iss' | 'sub'>): string {
  return hashToken(`${iss}|${sub}`);
}

/**
 * Operator when the verified address is on the list, else viewer when its domain is, never admin. Throws AppError
 * `oidc_email_unverified` or `oidc_email_not_allowed`; no message names the address.
 */
export function admit(
  { email, email_verified }: Pick<OidcClaims, 'email' | 'email_verified'>,
  { allowedEmails, allowedDomains }: Pick<OidcSettings, 'allowedEmails' | 'allowedDomains'>,
): OidcRole {
  if (email_verified !== true) {
    throw new AppError(
      'oidc_email_unverified',
      'the issuer does not vouch for the e-mail address of this account: verify it there and log in again',
    );
  }
  const address = typeof email === 'string' ? parseEmail(email) : null;
  if (address && allowedEmails.some((allowed) => lowerAscii(allowed) === address.text)) {
    return 'operator';
  }
  if (address && allowedDomains.some((allowed) => lowerAscii(allowed) === address.domain)) {
    return 'viewer';
  }
  throw new AppError(
    'oidc_email_not_allowed',
    'this account may not log in here: an administrator can add its address to the allow-list',
  );
}

function parseEmail(text: string): { text: string; domain: string } | null {
  const parts = /^[^\s@"<>]{1,64}@([^\s@"<>]{1,255})$/.exec(text);
  return parts ? { text: lowerAscii(text), domain: lowerAscii(parts[1] ?? '') } : null;
}

/** `toLowerCase` alone also turns the Kelvin sign into `k`: another address would then equal an allowed one. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
