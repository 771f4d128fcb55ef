// Checks that requests are refused without a token, with invalid tokens of the issuer, and with forged tokens.
import { type Check, passUnless, type Verdict } from '../check.ts';
import { legacy, legacyEra, modern, modernEra } from '../mcp-messages.ts';
import { parseChallenge } from './answer-headers.ts';
import { startCanary } from './canary.ts';
import type { ProbeContext, ProbeName } from './context.ts';
import type { Forger } from './forgeries.ts';
import { getToken, kinds, type TokenName } from './given-tokens.ts';
import { toMetadataPaths } from './reach.ts';
import { findStatusFault } from './status.ts';

const needs = ['target.answers'];

const withoutToken: Check<ProbeContext> = {
  id: 'token.missing',
  asks: 'without a token: 401, and a challenge that names the metadata and the scope',
  category: 'tokenRejection',
  needs,
  remedy: 'let the proxy pass the WWW-Authenticate header unchanged',
  async judge({ config, mcp }) {
    const answer = await mcp('no-token', modern('tools/list'));
    const { resource_metadata: address, scope } = parseChallenge(answer);
    const { url } = config.MCP_GATE_ENDPOINT;
    return passUnless([
      ...findStatusFault(answer, 401),
      ...(toMetadataPaths(url).some((path) => address === `${url.origin}${path}`)
        ? []
        : ['resource_metadata names another address']),
      ...(scope?.split(' ').includes(config.MCP_GATE_READ_SCOPE) ? [] : ['scope lacks the read scope']),
    ]);
  },
};

const lists = {
  legacy: { era: legacyEra, ask: legacy('tools/list') },
  modern: { era: modernEra, ask: modern('tools/list') },
} as const;

/** Why the endpoint does not refuse `token` as it should: 401, `error="invalid_token"` (RFC 6750 §3.1). */
async function accepted(
  { mcp, sent }: ProbeContext,
  name: ProbeName,
  flow: keyof typeof lists,
  token: string,
): Promise<string[]> {
  const { era, ask } = lists[flow];
  const answer = await mcp(name, { ...ask, token });
  sent.set(name, answer.requestId);
  const { error } = parseChallenge(answer);
  return [
    ...findStatusFault(answer, 401),
    ...(error === 'invalid_token' ? [] : ['the challenge does not say invalid_token']),
  ].map((reason) => `era ${era}: ${reason}`);
}

interface Refused {
  id: string;
  asks: string;
  needs: readonly string[];
  remedy?: string;
  judge(context: ProbeContext): Promise<Verdict | string[]>;
}

function refused({ asks, remedy, judge, ...check }: Refused): Check<ProbeContext> {
  return {
    ...check,
    asks: `${asks}: 401 with error="invalid_token"`,
    category: 'tokenRejection',
    needs: [...needs, ...check.needs],
    remedy: remedy ?? 'the endpoint accepts what it must not: do not publish it',
    async judge(context) {
      const found = await judge(context);
      return Array.isArray(found) ? passUnless(found) : found;
    },
  };
}

/** Asks with a given token; one that may be left out is not required then. */
async function judgeGiven(
  context: ProbeContext,
  name: TokenName,
  probes: readonly (readonly [ProbeName, keyof typeof lists])[],
): Promise<Verdict | string[]> {
  const token = getToken(context, name);
  if (token === undefined) {
    return { outcome: 'not-required', because: `${kinds[name].setting} is not set: this was not tried` };
  }
  const reasons: string[] = [];
  for (const [probe, flow] of probes) {
    const found = await accepted(context, probe, flow, token);
    reasons.push(...found);
  }
  return reasons;
}

const alike = ['tokens.alike'];

const given: readonly Check<ProbeContext>[] = [
  refused({
    id: 'token.malformed',
    asks: 'a malformed token',
    needs: [],
    judge: (context) => accepted(context, 'malformed', 'modern', 'gatehouse.gate.malformed'),
  }),
  refused({
    id: 'token.expired',
    asks: 'an expired token',
    needs: alike,
    remedy: 'the endpoint accepts expired tokens: compare its clock with the right time, and do not publish it',
    judge: (context) => judgeGiven(context, 'expired', [['expired', 'modern']]),
  }),
  refused({
    id: 'token.wrong-audience',
    asks: 'a token for another audience, in both eras',
    needs: alike,
    judge: (context) =>
      judgeGiven(context, 'wrong-audience', [
        ['wrong-audience', 'modern'],
        ['wrong-audience-legacy', 'legacy'],
      ]),
  }),
  refused({
    id: 'token.revoked',
    asks: 'a revoked token after its expiry',
    needs: ['evidence.revocation', ...alike],
    remedy: 'the endpoint accepts expired tokens: compare its clock with the right time, and do not publish it',
    judge: (context) => judgeGiven(context, 'revoked', [['revoked', 'legacy']]),
  }),
  refused({
    id: 'token.near-audience',
    asks: 'a token whose audience begins like the resource',
    needs: alike,
    judge: (context) => judgeGiven(context, 'near-audience', [['near-audience', 'legacy']]),
  }),
  refused({
    id: 'token.audience-list',
    asks: 'a token for several resources, this one among them',
    needs: alike,
    judge: (context) => judgeGiven(context, 'audience-list', [['audience-list', 'modern']]),
  }),
];

const verify = 'the endpoint must verify RS256 with the keys of the configured issuer alone: do not publish it';

function forgery(
  id: string,
  asks: string,
  judge: (context: ProbeContext, forger: Forger) => Promise<string[]>,
): Check<ProbeContext> {
  return refused({
    id,
    asks,
    needs: ['tokens.signatures'],
    remedy: verify,
    judge: async (context) => judge(context, await context.forger()),
  });
}

const forgeries: readonly Check<ProbeContext>[] = [
  forgery(
    'token.forged-key',
    'a token signed with a key that only claims to be that of the issuer, in both eras',
    async (context, forger) => {
      const token = await forger.ownKey();
      return [
        ...(await accepted(context, 'forged-key', 'modern', token)),
        ...(await accepted(context, 'forged-key-legacy', 'legacy', token)),
      ];
    },
  ),
  forgery('token.alg-none', 'a token without a signature (alg none)', (context, forger) =>
    accepted(context, 'alg-none', 'legacy', forger.unsigned()),
  ),
  forgery('token.alg-confusion', 'a token signed HS256 with the public key as its secret', async (context, forger) => {
    const { pem, der, jwk } = await forger.symmetric();
    return [
      ...(await accepted(context, 'hs256-pem', 'modern', pem)),
      ...(await accepted(context, 'hs256-der', 'modern', der)),
      ...(await accepted(context, 'hs256-jwk', 'modern', jwk)),
    ];
  }),
  forgery('token.other-issuer', 'a token of another issuer', async (context, forger) => {
    await using canary = await startCanary();
    const token = await forger.ownKey({ claims: { iss: canary.origin } });
    const reasons = await accepted(context, 'other-issuer', 'legacy', token);
    const real = getToken(context, 'other-issuer');
    return [
      ...reasons,
      ...(canary.wasContacted ? ['the endpoint connected to the issuer that the token names'] : []),
      ...(real === undefined ? [] : await accepted(context, 'same-keys-issuer', 'modern', real)),
    ];
  }),
  forgery('token.jku', 'a token that says where its key is (jku, x5u)', async (context, forger) => {
    await using canary = await startCanary();
    const header = { kid: 'gate', jku: `${canary.origin}/jwks.json`, x5u: `${canary.origin}/key.pem` };
    const reasons = await accepted(context, 'jku', 'modern', await forger.ownKey({ header }));
    return [...reasons, ...(canary.wasContacted ? ['the endpoint connected to the address in the token'] : [])];
  }),
  forgery('token.jwk', 'a token that brings its own key (jwk)', async (context, forger) =>
    accepted(context, 'jwk', 'legacy', await forger.ownKey({ header: { jwk: forger.publicKey } })),
  ),
];

export const tokenChecks: readonly Check<ProbeContext>[] = [withoutToken, ...given, ...forgeries];
