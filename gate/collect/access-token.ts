// Verifies a newly issued access token with the issuer's keys and reads its claims.
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import type { CollectContext } from './collector.ts';
import type { OAuthClient } from './oauth-client.ts';

export interface TokenView {
  /** Seconds from issue to expiry. */
  lifetimeSeconds: number;
  issuer: string;
  /** Null unless it names exactly one. */
  audience: string | null;
  /** Whether the resource is its only audience. */
  audienceMatches: boolean;
}

/** `null` when the issuer or signature (RS256) is wrong, or a claim is missing. */
export async function viewToken(
  token: string,
  client: OAuthClient,
  { config, clock }: Pick<CollectContext, 'config' | 'clock'>,
): Promise<TokenView | null> {
  let payload: JWTPayload;
  try {
    const keys = createLocalJWKSet((await client.keys()) as JSONWebKeySet);
    ({ payload } = await jwtVerify(token, keys, {
      algorithms: ['RS256'],
      issuer: config.MCP_GATE_ISSUER,
      requiredClaims: ['exp', 'iat', 'sub'],
    }));
  } catch (error) {
    if (String((error as { code?: unknown }).code).startsWith('ERR_J')) {
      return null;
    }
    throw error;
  }
  const { iss = '', aud, exp = 0, iat = clock.now() / 1000 } = payload;
  const [one = null, ...more] = Array.isArray(aud) ? aud : [aud];
  const audience = more.length === 0 ? one : null;
  return {
    lifetimeSeconds: Math.ceil(exp - iat),
    issuer: iss,
    audience,
    audienceMatches: audience === config.MCP_GATE_RESOURCE,
  };
}
