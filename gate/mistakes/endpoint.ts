// Mistakes of the endpoint in what it accepts, answers and lists.
import type { Mistake } from './mistake.ts';

const forged = ['token.forged-key', 'token.alg-none', 'token.alg-confusion', 'token.jku', 'token.jwk'];

/** Tokens that were never signed by the issuer. */
const believed: readonly Mistake[] = [
  {
    id: 'endpoint.signature-unchecked',
    sentence: 'tokens are decoded, and their signatures never verified',
    red: forged,
  },
  {
    id: 'endpoint.any-issuer',
    sentence: 'tokens are decoded, whoever issued them',
    red: ['token.other-issuer', ...forged],
  },
  {
    id: 'endpoint.issuer-unchecked',
    sentence: 'signatures are verified, but a token of another issuer with the same keys is accepted',
    red: ['token.other-issuer'],
  },
  {
    id: 'endpoint.follows-issuer',
    sentence: 'the keys are fetched from whatever issuer the token names',
    red: ['token.other-issuer'],
  },
  {
    id: 'endpoint.unsigned-in-one-era',
    sentence: 'signatures are not verified in era 2025-11-25',
    red: ['token.forged-key', 'token.alg-none', 'token.jwk'],
  },
  {
    id: 'endpoint.unsigned-in-modern-era',
    sentence: 'signatures are not verified in era 2026-07-28',
    red: ['token.forged-key', 'token.alg-confusion', 'token.jku'],
  },
  { id: 'endpoint.alg-none', sentence: 'unsigned tokens (alg none) are accepted', red: ['token.alg-none'] },
  {
    id: 'endpoint.hs256-pem',
    sentence: 'HS256 is accepted, keyed with the public key in PEM',
    red: ['token.alg-confusion'],
  },
  {
    id: 'endpoint.hs256-der',
    sentence: 'HS256 is accepted, keyed with the public key in DER',
    red: ['token.alg-confusion'],
  },
  {
    id: 'endpoint.hs256-jwk',
    sentence: 'HS256 is accepted, keyed with the text of the JWK',
    red: ['token.alg-confusion'],
  },
  { id: 'endpoint.follows-jku', sentence: 'keys are fetched from the jku of the token', red: ['token.jku'] },
  { id: 'endpoint.embedded-jwk', sentence: 'the key in the token itself (jwk) is used', red: ['token.jwk'] },
  {
    id: 'endpoint.forged-crash',
    sentence: 'a token with an unknown algorithm makes the endpoint answer 500',
    red: ['token.alg-none', 'token.alg-confusion'],
  },
  {
    id: 'endpoint.forged-is-403',
    sentence: 'a forged token is answered 403, as if it only lacked a scope',
    red: ['token.forged-key'],
  },
];

/** Tokens of the issuer that are not for here, or not any more. */
const stale: readonly Mistake[] = [
  {
    id: 'endpoint.audience-ignored',
    sentence: 'the audience is not looked at',
    red: ['token.wrong-audience', 'token.near-audience', 'token.audience-list'],
  },
  {
    id: 'endpoint.audience-ignored-in-one-era',
    sentence: 'the audience is not looked at in era 2025-11-25',
    red: ['token.wrong-audience', 'token.near-audience'],
  },
  {
    id: 'endpoint.audience-list',
    sentence: 'a token for several resources, this one among them, is accepted',
    red: ['token.audience-list'],
  },
  {
    id: 'endpoint.audience-prefix',
    sentence: 'an audience that begins like the resource is accepted',
    red: ['token.near-audience'],
  },
  {
    id: 'endpoint.audience-origin',
    sentence: 'the audience is compared by its host alone',
    red: ['token.wrong-audience', 'token.near-audience'],
  },
  {
    id: 'endpoint.audience-reverse-prefix',
    sentence: 'an audience that the resource begins with is accepted',
    red: ['token.wrong-audience'],
  },
  {
    id: 'endpoint.clock-slow',
    sentence: 'the clock of the endpoint is 30 minutes slow',
    red: ['token.expired', 'token.revoked'],
  },
  {
    id: 'endpoint.expiry-ignored-in-one-era',
    sentence: 'the expiry is not looked at in era 2025-11-25',
    red: ['token.revoked'],
  },
];

const scopes: readonly Mistake[] = [
  {
    id: 'endpoint.legacy-write-open',
    sentence: 'the scope of a tool is not looked at in era 2025-11-25',
    red: ['scope.write-denied'],
  },
  {
    id: 'endpoint.modern-write-open',
    sentence: 'the scope of a tool is not looked at in era 2026-07-28',
    red: ['scope.write-denied'],
  },
  {
    id: 'endpoint.legacy-lists-write',
    sentence: 'era 2025-11-25 lists the write tool to a read token',
    red: ['scope.write-hidden'],
  },
  {
    id: 'endpoint.legacy-challenge-missing',
    sentence: 'era 2025-11-25 refuses the write tool without a challenge',
    red: ['scope.write-denied'],
  },
  {
    id: 'endpoint.write-refused-as-error',
    sentence: 'era 2025-11-25 refuses the write tool with 200 and an error in the result',
    red: ['scope.write-denied'],
  },
  {
    id: 'endpoint.legacy-read-fails',
    sentence: 'a read tool fails in era 2025-11-25',
    red: ['scope.read'],
  },
  {
    id: 'endpoint.no-read-scope',
    sentence: 'any token of the issuer reads, also one without the read scope',
    red: ['scope.read-required'],
  },
];

const answers: readonly Mistake[] = [
  {
    id: 'endpoint.other-tool-names',
    sentence: 'both eras list a tool under another name',
    red: ['era.sameTools'],
  },
  {
    id: 'endpoint.tool-twice',
    sentence: 'both eras list ten tools, and one of them twice',
    red: ['era.sameTools'],
  },
  {
    id: 'endpoint.tool-too-many',
    sentence: 'both eras list a twelfth tool',
    red: ['era.sameTools'],
  },
  { id: 'endpoint.empty-content', sentence: 'the read tool answers with no content', red: ['scope.read'] },
  { id: 'endpoint.empty-text', sentence: 'the read tool answers with an empty text', red: ['scope.read'] },
  {
    id: 'endpoint.foreign-authorization-server',
    sentence: 'the metadata lists a foreign authorization server as well as the right one',
    red: ['metadata.root', 'metadata.path'],
  },
  {
    id: 'endpoint.foreign-authorization-server-by-path',
    sentence: 'only the metadata at the path of the resource lists a foreign authorization server',
    red: ['metadata.path'],
  },
];

export const endpointMistakes: readonly Mistake[] = [...believed, ...stale, ...scopes, ...answers];
