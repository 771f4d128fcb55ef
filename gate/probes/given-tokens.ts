// Checks the configured test tokens: each is signed by the issuer and has exactly the intended defect.
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import { limits } from '#contract/limits.ts';
import { type Check, passUnless, untestable } from '../check.ts';
import type { GateConfig } from '../config.ts';
import { toTexts } from '../json.ts';
import type { ProbeContext } from './context.ts';

type Refusal = 'expired' | 'audience' | 'issuer' | 'signature' | null;
type Setting = Extract<keyof GateConfig, `${string}_TOKEN`>;

interface Kind {
  setting: Setting;
  /** Why the endpoint must refuse it; null: it is valid. */
  refusal: Refusal;
  /** `false`, or what is wrong with it other than its time. */
  wrong(claims: JWTPayload, config: GateConfig): readonly (string | false)[];
}

const has = (claims: JWTPayload, scope: string) => toScopes(claims).includes(scope);
const here = (claims: JWTPayload, { MCP_GATE_RESOURCE: resource }: GateConfig) =>
  !isFor(claims, resource) && 'is not for exactly this resource';

/** By the names that reasons and probes use. Those after the first five may be left out. */
export const kinds = {
  read: {
    setting: 'MCP_GATE_READ_TOKEN',
    refusal: null,
    wrong: (claims, config) => [
      !has(claims, config.MCP_GATE_READ_SCOPE) && 'lacks the read scope',
      config.MCP_GATE_WRITE_SCOPE !== '' && has(claims, config.MCP_GATE_WRITE_SCOPE) && 'has the write scope',
      here(claims, config),
    ],
  },
  write: {
    setting: 'MCP_GATE_WRITE_TOKEN',
    refusal: null,
    wrong: (claims, config) => [
      !(has(claims, config.MCP_GATE_READ_SCOPE) && has(claims, config.MCP_GATE_WRITE_SCOPE)) &&
        'lacks one of the scopes',
      here(claims, config),
    ],
  },
  expired: { setting: 'MCP_GATE_EXPIRED_TOKEN', refusal: 'expired', wrong: (claims, config) => [here(claims, config)] },
  'wrong-audience': {
    setting: 'MCP_GATE_WRONG_AUDIENCE_TOKEN',
    refusal: 'audience',
    wrong: (claims, config) => [isFor(claims, config.MCP_GATE_RESOURCE) && 'is for this resource'],
  },
  revoked: {
    setting: 'MCP_GATE_REVOKED_EXPIRED_TOKEN',
    refusal: 'expired',
    wrong: (claims, config) => [here(claims, config)],
  },
  'near-audience': {
    setting: 'MCP_GATE_NEAR_AUDIENCE_TOKEN',
    refusal: 'audience',
    wrong: (claims, { MCP_GATE_RESOURCE: resource }) => [
      isFor(claims, resource) && 'is for this resource',
      !toAudiences(claims).some((audience) => audience !== resource && audience.startsWith(resource)) &&
        'has no audience that begins like the resource',
    ],
  },
  'audience-list': {
    setting: 'MCP_GATE_AUDIENCE_LIST_TOKEN',
    refusal: 'audience',
    wrong: (claims, { MCP_GATE_RESOURCE: resource }) => [
      !(toAudiences(claims).length > 1 && toAudiences(claims).includes(resource)) &&
        'is not for several resources with this one among them',
    ],
  },
  'other-issuer': {
    setting: 'MCP_GATE_OTHER_ISSUER_TOKEN',
    refusal: 'issuer',
    wrong: (claims, config) => [
      claims.iss === config.MCP_GATE_ISSUER && 'is of the issuer of the gate',
      here(claims, config),
    ],
  },
  'write-only': {
    setting: 'MCP_GATE_WRITE_ONLY_TOKEN',
    refusal: null,
    wrong: (claims, config) => [
      has(claims, config.MCP_GATE_READ_SCOPE) && 'has the read scope',
      config.MCP_GATE_WRITE_SCOPE !== '' && !has(claims, config.MCP_GATE_WRITE_SCOPE) && 'lacks the write scope',
      here(claims, config),
    ],
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type TokenName = keyof typeof kinds;

export function getToken({ config }: Pick<ProbeContext, 'config'>, name: TokenName): string | undefined {
  return config[kinds[name].setting] || undefined;
}

const claims: Check<ProbeContext> = {
  id: 'tokens.claims',
  asks: 'the tokens are what they should be: scopes, expiry, audience',
  category: 'tokenRejection',
  remedy: 'take new tokens for the gate; docs/gate.md says how each is made',
  judge(context) {
    const seconds = context.now() / 1000;
    return passUnless(
      listTokens(context).flatMap(([name, kind, token]) => {
        if (!isRs256(token)) {
          return [`the ${name} token is no JWT signed with RS256`];
        }
        const found = decodeJwt(token);
        const isExpired = typeof found.exp === 'number' && found.exp <= seconds;
        const isLive = typeof found.exp === 'number' && found.exp > seconds;
        const wait = name === 'revoked' ? ' yet: wait for the access-token lifetime after the revocation' : '';
        const time = kind.refusal === 'expired' ? !isExpired && `has not expired${wait}` : !isLive && 'has expired';
        return [time, ...kind.wrong(found, context.config)].flatMap((wrong) =>
          wrong === false ? [] : [`the ${name} token ${wrong}`],
        );
      }),
    );
  },
};

const lifetime: Check<ProbeContext> = {
  id: 'tokens.lifetime',
  asks: 'access tokens live 15 minutes at most',
  category: 'tokenRejection',
  needs: ['tokens.claims'],
  remedy: 'shorten the access-token lifetime at the authorization server to 5 to 15 minutes',
  judge(context) {
    const lives = listTokens(context)
      .filter(([name]) => name === 'read' || name === 'write')
      .map(([name, , token]) => ({ name, claims: decodeJwt(token) }));
    if (lives.some(({ claims: { iat } }) => typeof iat !== 'number')) {
      return untestable('the tokens do not say when they were issued (iat)');
    }
    return passUnless(
      lives.flatMap(({ name, claims: { iat = 0, exp = Number.POSITIVE_INFINITY } }) =>
        exp - iat > limits.gateTokenLifetimeSeconds ? [`the ${name} token lives longer`] : [],
      ),
    );
  },
};

const signatures: Check<ProbeContext> = {
  id: 'tokens.signatures',
  asks: 'the issuer signed all of them; the bad ones are refused for what is wrong with them alone',
  category: 'tokenRejection',
  needs: ['issuer.keys', 'tokens.claims'],
  remedy: 'take the tokens from the issuer that MCP_GATE_ISSUER names, and do not edit them',
  async judge(context) {
    const { keys } = await context.issuer();
    const verdicts = await Promise.all(
      listTokens(context).map(async ([name, { refusal }, token]) => {
        const found = await findRefusal(token, keys, context);
        return found === refusal
          ? []
          : [`the ${name} token: ${refusal ?? 'valid'} expected, ${found ?? 'valid'} found`];
      }),
    );
    return passUnless(verdicts.flat());
  },
};

/** An endpoint may refuse a token for anything; a probe shows something only when a token is wrong in one way. */
const alike: Check<ProbeContext> = {
  id: 'tokens.alike',
  asks: 'a bad token has issuer, subject, client and scope of the read token; the expired ones expired a short while ago',
  category: 'tokenRejection',
  needs: ['tokens.signatures'],
  remedy:
    'sign in for every token with the same user, client and scopes; take the expired ones again when they are older than 15 minutes, and wait a minute after their expiry',
  judge(context) {
    const read = decodeJwt(context.config.MCP_GATE_READ_TOKEN);
    const seconds = context.now() / 1000;
    const reasons = listTokens(context).flatMap(([name, { refusal }, token]) => {
      if (name === 'read' || name === 'write') {
        return [];
      }
      const found = decodeJwt(token);
      const scope = context.config[name === 'write-only' ? 'MCP_GATE_WRITE_SCOPE' : 'MCP_GATE_READ_SCOPE'];
      return [
        found.sub !== read.sub && 'has another subject than the read token',
        getClientId(found) !== getClientId(read) && 'has another client than the read token',
        scope !== '' && !has(found, scope) && 'lacks a scope: it would be refused for that',
        typeof found.nbf === 'number' && found.nbf > seconds && 'is not valid yet (nbf)',
        ...(refusal === 'expired' ? findAgeFaults(seconds - (found.exp ?? 0), name === 'expired') : []),
      ].flatMap((wrong) => (wrong === false ? [] : [`the ${name} token ${wrong}`]));
    });
    return reasons.length === 0 ? { outcome: 'pass' } : untestable(reasons.join('; '));
  },
};

/**
 * Verifiers allow 30 s for clocks that differ (docs/reference/wire-contract/7-mcp-http.md#authentication), twice
 * when ours differs too.
 */
const leewaySeconds = (2 * limits.mcpClockSkewMs) / 1000;

function findAgeFaults(agoSeconds: number, mustBeRecent: boolean): (string | false)[] {
  return [
    agoSeconds <= leewaySeconds && 'expired less than a minute ago: an endpoint may still take it',
    mustBeRecent &&
      agoSeconds > limits.gateTokenLifetimeSeconds &&
      'expired more than 15 minutes ago: it would not show a clock that is slow',
  ];
}

export const givenTokenChecks: readonly Check<ProbeContext>[] = [claims, lifetime, signatures, alike];

function listTokens(context: ProbeContext): [name: TokenName, kind: Kind, token: string][] {
  return (Object.entries(kinds) as [TokenName, Kind][]).flatMap(([name, kind]) => {
    const token = getToken(context, name);
    return token === undefined ? [] : [[name, kind, token] as [TokenName, Kind, string]];
  });
}

async function findRefusal(token: string, keys: JSONWebKeySet, { config }: ProbeContext): Promise<Refusal> {
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
      algorithms: ['RS256'],
      issuer: config.MCP_GATE_ISSUER,
      requiredClaims: ['exp', 'sub'],
    });
    return isFor(payload, config.MCP_GATE_RESOURCE) ? null : 'audience';
  } catch (error) {
    const { code, claim } = error as { code?: unknown; claim?: unknown };
    if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED' && claim === 'iss') {
      return 'issuer';
    }
    return code === 'ERR_JWT_EXPIRED' ? 'expired' : 'signature';
  }
}

/** `jti` of a token that nobody has verified; null when it has none, or is no JWT. */
export function parseTokenId(token: string): string | null {
  return isRs256(token) ? (decodeJwt(token).jti ?? null) : null;
}

function isRs256(token: string): boolean {
  try {
    return decodeProtectedHeader(token).alg === 'RS256' && typeof decodeJwt(token) === 'object';
  } catch (error) {
    if (error instanceof TypeError || (error as { code?: unknown }).code === 'ERR_JWT_INVALID') {
      return false;
    }
    throw error;
  }
}

function toAudiences({ aud }: JWTPayload): string[] {
  return typeof aud === 'string' ? [aud] : toTexts(aud);
}

/** Exactly one audience, equal to `resource`. */
function isFor({ aud }: JWTPayload, resource: string): boolean {
  return (Array.isArray(aud) ? aud.length === 1 && aud[0] : aud) === resource;
}

/** The client that the token was issued to, from `client_id` or `azp`. */
export function getClientId({ client_id: id, azp }: JWTPayload): unknown {
  return id ?? azp;
}

function toScopes({ scope, scp }: JWTPayload): string[] {
  return typeof scope === 'string' ? scope.split(' ') : toTexts(scp);
}
