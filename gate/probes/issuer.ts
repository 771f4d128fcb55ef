// The authorization server as its clients see it: discovery, keys, and the tokens the gate was given, verified alone.
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import { limits } from '#contract/limits.ts';
import { type Check, fail, pass, passUnless, untestable } from '../check.ts';
import { membersOf, textsOf } from '../json.ts';
import type { Http } from '../target.ts';
import type { ProbeContext } from './context.ts';

export interface IssuerView {
  metadata: Readonly<Record<string, unknown>>;
  keys: JSONWebKeySet;
}

/** OpenID Connect discovery (path appended), else RFC 8414 (path inserted). Rejects when neither answers. */
export async function readIssuer(http: Http, issuer: string): Promise<IssuerView> {
  const base = issuer.replace(/\/$/, '');
  const { origin, pathname } = new URL(issuer);
  const inserted = `${origin}/.well-known/oauth-authorization-server${pathname === '/' ? '' : pathname}`;
  for (const address of [`${base}/.well-known/openid-configuration`, inserted]) {
    const { status, json } = await http.ask('discovery', new URL(address));
    const metadata = membersOf(json);
    if (status === 200 && typeof metadata.jwks_uri === 'string') {
      const answer = await http.ask('jwks', new URL(metadata.jwks_uri));
      return { metadata, keys: { keys: (membersOf(answer.json).keys ?? []) as JSONWebKeySet['keys'] } };
    }
  }
  throw Object.assign(new Error('the issuer has no metadata'), { code: 'ISSUER_WITHOUT_METADATA' });
}

const metadata: Check<ProbeContext> = {
  id: 'issuer.metadata',
  asks: 'the authorization server describes itself, under exactly the configured issuer',
  category: 'authorizationCompatibility',
  remedy: 'compare MCP_GATE_ISSUER with the issuer of the discovery document, character by character',
  async judge({ config, issuer }) {
    const { metadata: found } = await issuer();
    const keys = URL.canParse(String(found.jwks_uri)) ? new URL(String(found.jwks_uri)) : null;
    return passUnless([
      ...(found.issuer === config.MCP_GATE_ISSUER ? [] : ['its issuer is another text']),
      ...(keys?.protocol === 'https:' ? [] : ['its keys are not served over https']),
    ]);
  },
};

const pkce: Check<ProbeContext> = {
  id: 'issuer.pkce',
  asks: 'the authorization server advertises PKCE S256 (under cloud_idp it may say nothing, but not something else)',
  category: 'authorizationCompatibility',
  needs: ['issuer.metadata'],
  remedy: 'enable PKCE with S256 at the authorization server',
  async judge({ config, issuer }) {
    const { metadata: found } = await issuer();
    const methods = found.code_challenge_methods_supported;
    if (methods === undefined && config.MCP_GATE_OAUTH_COMPATIBILITY_PROFILE === 'cloud_idp') {
      return pass;
    }
    return textsOf(methods).includes('S256') ? pass : fail('code_challenge_methods_supported does not list S256');
  },
};

const claims: Check<ProbeContext> = {
  id: 'tokens.claims',
  asks: 'the five tokens are what they should be: scopes, expiry, one audience',
  category: 'tokenRejection',
  remedy: 'take new tokens for the gate; docs/gate.md says how each is made',
  judge(context) {
    return passUnless(wrongClaims(context));
  },
};

const lifetime: Check<ProbeContext> = {
  id: 'tokens.lifetime',
  asks: 'access tokens live 15 minutes at most',
  category: 'tokenRejection',
  needs: ['tokens.claims'],
  remedy: 'shorten the access-token lifetime at the authorization server to 5 to 15 minutes',
  judge({ config }) {
    const tokens = { read: config.MCP_GATE_READ_TOKEN, write: config.MCP_GATE_WRITE_TOKEN };
    const lives = Object.entries(tokens).map(([name, token]) => ({ name, claims: decoded(token) }));
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
  asks: 'the issuer signed all five; the bad ones are refused for what is wrong with them alone',
  category: 'tokenRejection',
  needs: ['issuer.metadata', 'tokens.claims'],
  remedy: 'take the tokens from the issuer that MCP_GATE_ISSUER names, and do not edit them',
  async judge(context) {
    const { keys } = await context.issuer();
    const verdicts = await Promise.all(
      Object.entries(expectations).map(async ([name, { token, refusal }]) => {
        const found = await refusalOf(token(context), keys, context);
        return found === refusal
          ? []
          : [`the ${name} token: ${refusal ?? 'valid'} expected, ${found ?? 'valid'} found`];
      }),
    );
    return passUnless(verdicts.flat());
  },
};

export const issuerChecks = [metadata, pkce, claims, lifetime, signatures] as const;

type Refusal = 'expired' | 'audience' | 'signature' | null;

const expectations: Readonly<Record<string, { token: (context: ProbeContext) => string; refusal: Refusal }>> = {
  read: { token: ({ config }) => config.MCP_GATE_READ_TOKEN, refusal: null },
  write: { token: ({ config }) => config.MCP_GATE_WRITE_TOKEN, refusal: null },
  expired: { token: ({ config }) => config.MCP_GATE_EXPIRED_TOKEN, refusal: 'expired' },
  'wrong-audience': { token: ({ config }) => config.MCP_GATE_WRONG_AUDIENCE_TOKEN, refusal: 'audience' },
  revoked: { token: ({ config }) => config.MCP_GATE_REVOKED_EXPIRED_TOKEN, refusal: 'expired' },
};

async function refusalOf(token: string, keys: JSONWebKeySet, { config }: ProbeContext): Promise<Refusal> {
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
      algorithms: ['RS256'],
      issuer: config.MCP_GATE_ISSUER,
      requiredClaims: ['exp', 'sub'],
    });
    return isFor(payload, config.MCP_GATE_RESOURCE) ? null : 'audience';
  } catch (error) {
    return (error as { code?: unknown }).code === 'ERR_JWT_EXPIRED' ? 'expired' : 'signature';
  }
}

/** One reason for each token that is not of its kind. */
function wrongClaims({ config, now }: ProbeContext): string[] {
  const seconds = now() / 1000;
  const { MCP_GATE_RESOURCE: resource, MCP_GATE_READ_SCOPE: read, MCP_GATE_WRITE_SCOPE: write } = config;
  const judge = (name: string, token: string, reasons: (claims: JWTPayload) => readonly (string | false)[]) =>
    isRs256(token)
      ? reasons(decoded(token)).flatMap((reason) => (reason === false ? [] : [`the ${name} token ${reason}`]))
      : [`the ${name} token is no JWT signed with RS256`];
  const expired = ({ exp }: JWTPayload) => typeof exp === 'number' && exp <= seconds;
  const live = ({ exp }: JWTPayload) => typeof exp === 'number' && exp > seconds;
  const has = (claims: JWTPayload, scope: string) => scopesOf(claims).includes(scope);
  return [
    ...judge('read', config.MCP_GATE_READ_TOKEN, (claims) => [
      !has(claims, read) && 'lacks the read scope',
      has(claims, write) && 'has the write scope',
      !live(claims) && 'has expired',
      !isFor(claims, resource) && 'is not for exactly this resource',
    ]),
    ...judge('write', config.MCP_GATE_WRITE_TOKEN, (claims) => [
      !(has(claims, read) && has(claims, write)) && 'lacks one of the scopes',
      !live(claims) && 'has expired',
      !isFor(claims, resource) && 'is not for exactly this resource',
    ]),
    ...judge('expired', config.MCP_GATE_EXPIRED_TOKEN, (claims) => [
      !expired(claims) && 'has not expired',
      !isFor(claims, resource) && 'is not for exactly this resource',
    ]),
    ...judge('wrong-audience', config.MCP_GATE_WRONG_AUDIENCE_TOKEN, (claims) => [
      !live(claims) && 'has expired',
      isFor(claims, resource) && 'is for this resource',
    ]),
    ...judge('revoked', config.MCP_GATE_REVOKED_EXPIRED_TOKEN, (claims) => [
      !expired(claims) && 'has not expired yet: wait for the access-token lifetime after the revocation',
      !isFor(claims, resource) && 'is not for exactly this resource',
    ]),
  ];
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

function decoded(token: string): JWTPayload {
  return decodeJwt(token);
}

/** Exactly one audience, equal to `resource`. */
function isFor({ aud }: JWTPayload, resource: string): boolean {
  return (Array.isArray(aud) ? aud.length === 1 && aud[0] : aud) === resource;
}

function scopesOf({ scope, scp }: JWTPayload): string[] {
  return typeof scope === 'string' ? scope.split(' ') : textsOf(scp);
}
