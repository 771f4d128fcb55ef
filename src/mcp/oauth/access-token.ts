// Validates a JWT access token offline (docs/reference/wire-contract/7-mcp-http.md#authentication, RFC 9068).
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { type Clock, toDate } from '#kernel/time/clock.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import type { OAuthSettings } from './settings.ts';

export interface AccessToken {
  subject: string;
  client: string;
  scopes: ReadonlySet<string>;
}

const claims = z.looseObject({
  sub: z.string().min(1).max(1024),
  aud: z.union([z.string(), z.array(z.string()).length(1)]),
  iat: z.number().optional(),
  client_id: z.string().min(1).max(1024).optional(),
  azp: z.string().min(1).max(1024).optional(),
  scope: z.string().max(8192).optional(),
  scp: z.union([z.string(), z.array(z.string())]).optional(),
});

/** Rejects when the token is invalid or the issuer is unreachable. `signal` aborts the wait for the issuer. */
export async function verifyAccessToken(
  token: string,
  keys: IssuerKeys,
  { issuer, resource }: OAuthSettings,
  clock: Clock,
  signal: AbortSignal,
): Promise<AccessToken> {
  if (token.length > limits.mcpJwtBytes || token.split('.').length !== 3) {
    throw new Error('the token is no JWT, or too large');
  }
  const { alg, kid } = decodeProtectedHeader(token);
  if (alg !== 'RS256' || kid === undefined) {
    throw new Error('the token is not signed RS256 with a key id');
  }
  const now = clock.now();
  const { payload } = await jwtVerify(token, await keys.key(kid, signal), {
    algorithms: ['RS256'],
    issuer,
    audience: resource,
    requiredClaims: ['exp', 'sub', 'aud'],
    clockTolerance: limits.mcpClockSkewMs / 1000,
    currentDate: toDate(now),
  });
  const { sub: subject, iat, client_id, azp, scope, scp } = claims.parse(payload);
  const client = client_id ?? azp;
  if (client === undefined) {
    throw new Error('the token names no client');
  }
  if (iat !== undefined && iat * 1000 > now + limits.mcpClockSkewMs) {
    throw new Error('the token comes from the future');
  }
  return { subject, client, scopes: new Set(scope?.split(' ') ?? [scp ?? []].flat()) };
}
