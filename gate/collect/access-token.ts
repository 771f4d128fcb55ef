// What an access token that was just issued says of itself, verified with the issuer's keys.
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import type { CollectContext } from './collector.ts';
import type { OAuthClient } from './oauth-client.ts';

export interface TokenView {
  /** Seconds from issue to expiry. */
  lifetimeSeconds: number;
  /** Exactly one audience, the resource. */
  audienceMatches: boolean;
}

/** `null` when the issuer did not sign it with RS256, or it lacks a claim. */
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
  const { aud, exp = 0, iat = clock.now() / 1000 } = payload;
  const [one, ...more] = Array.isArray(aud) ? aud : [aud];
  return {
    lifetimeSeconds: Math.ceil(exp - iat),
    audienceMatches: more.length === 0 && one === config.MCP_GATE_RESOURCE,
  };
}
