// One login code → the claims of a verified ID token. The library checks; here it gets our clock, keys and limits.
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  type CustomFetch,
  clockSkew,
  clockTolerance,
  customFetch,
  enableNonRepudiationChecks,
  fetchUserInfo,
  getJwksCache,
  type ServerMetadata,
  setJwksCache,
} from 'openid-client';
import { oidcLimits } from '#contract/oidc-limits.ts';
import { AppError } from '#kernel/errors.ts';
import { type Clock, systemClock } from '#kernel/time/clock.ts';
import type { OidcClaims } from './admission.ts';
import { exchangeFailure } from './failure.ts';
import type { OidcFlow } from './flows.ts';
import type { OidcIssuer } from './issuer.ts';
import { chooseAuthentication, isPlainLoopback } from './metadata.ts';

export interface OidcExchange {
  clock: Clock;
  fetch: CustomFetch;
  issuer: OidcIssuer;
  clientSecret: string;
}

/**
 * Age in seconds given to keys from our own memory: from 60 the library fetches them again, once, when it does not
 * know the key of a token; from 300 it would not use them at all.
 */
const agedKeysS = 60;

/** The library's settings for one flow: RS256 only, its times shifted to our clock, signatures verified. */
export function createConfiguration(
  flow: Pick<OidcFlow, 'clientId' | 'metadata'>,
  { clock, fetch, clientSecret }: Pick<OidcExchange, 'clock' | 'fetch' | 'clientSecret'>,
): Configuration {
  const { metadata } = flow;
  const authenticate = chooseAuthentication(metadata) === 'post' ? ClientSecretPost : ClientSecretBasic;
  const configuration = new Configuration(
    metadata,
    flow.clientId,
    {
      id_token_signed_response_alg: 'RS256',
      [clockSkew]: (clock.now() - systemClock.now()) / 1000,
      // One second more than we allow: the library counts in whole seconds, admission.ts checks exactly.
      [clockTolerance]: oidcLimits.oidcSkewMs / 1000 + 1,
    },
    authenticate(clientSecret),
  );
  configuration[customFetch] = fetch;
  if (isPlainLoopback(new URL(metadata.issuer))) {
    allowInsecureRequests(configuration);
  }
  enableNonRepudiationChecks(configuration);
  return configuration;
}

/** Exchanges the code in `callback`, whose state was checked. Rejects with AppError 401. */
export async function exchangeCode(exchange: OidcExchange, flow: OidcFlow, callback: URL): Promise<OidcClaims> {
  const configuration = createConfiguration(flow, exchange);
  const uat = Math.floor(systemClock.now() / 1000) - agedKeysS;
  const remembered = exchange.issuer.keysOf(flow.metadata);
  if (remembered) {
    setJwksCache(configuration, { jwks: remembered, uat });
  }
  try {
    const tokens = await authorizationCodeGrant(configuration, callback, {
      pkceCodeVerifier: flow.verifier,
      expectedState: flow.state,
      expectedNonce: flow.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims() as OidcClaims | undefined;
    if (!claims) {
      throw new AppError('oidc_token_invalid', 'the issuer sent no ID token: allow this client the scope openid');
    }
    return await withEmail(configuration, flow.metadata, claims, tokens.access_token);
  } catch (error) {
    throw exchangeFailure(error);
  } finally {
    const keys = getJwksCache(configuration);
    if (keys && keys.uat !== uat) {
      exchange.issuer.keepKeys(flow.metadata, keys.jwks);
    }
  }
}

/** Many issuers give the e-mail address at the UserInfo endpoint only (OIDC Core 1.0 §5.4); `sub` must be the same. */
async function withEmail(
  configuration: Configuration,
  { userinfo_endpoint }: ServerMetadata,
  claims: OidcClaims,
  accessToken: string,
): Promise<OidcClaims> {
  if (claims.email !== undefined || userinfo_endpoint === undefined) {
    return claims;
  }
  const { email, email_verified } = await fetchUserInfo(configuration, accessToken, claims.sub);
  return { ...claims, email, email_verified };
}
