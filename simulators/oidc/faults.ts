// The named ways the simulated issuer misbehaves.
import type { ArmedFaults } from '../support/armed-faults.ts';
import { choice, numberFrom, requireValue, type ValueRule, wholeNumber } from '../support/fault-values.ts';
import type { FaultOptions } from '../support/simulator.ts';

/** What each fault does, and what its `value` and `command` mean, for the help of the command. */
export const issuerFaults = {
  'no-pkce-metadata': 'The discovery document omits `code_challenge_methods_supported`.',
  'pkce-contradiction': 'The discovery document offers the PKCE method `plain` only.',
  'wrong-issuer':
    'Names another issuer; `value` is where: "token" (both tokens; the default), "discovery" or "response" (`iss` of the redirect).',
  'two-audiences': 'Access token and ID token have a second audience, and the ID token no `azp`.',
  'long-lived-token': 'Access tokens live `value` seconds (86,400 when absent) instead of their short time.',
  'any-verifier': 'A code is redeemed with any PKCE verifier, as if it belonged to its challenge.',
  'any-callback': 'A code is redeemed for any callback, as if it had been sent there.',
  'replay-accepted': 'A refresh token that was used already is accepted again.',
  'family-not-revoked': 'In mode revoke-family a replay is refused, but the current refresh token stays usable.',
  'revocation-ignored': 'The revocation endpoint answers as ever, and revokes nothing.',
  'jwks-down': 'The JWKS endpoint answers 503.',
  'wrong-keys':
    'The JWKS endpoint answers 200 without the signing key; `value` is what it has: "others" (an RSA key that signed nothing; the default), "ec" (no RSA key), "none" or "page" (HTML).',
  'token-endpoint-down': 'The token endpoint answers 503.',
  'discovery-not-json': 'The discovery document is an HTML page.',
  'wrong-nonce': 'The ID token of a login has another nonce than was sent.',
  'expired-code': 'Authorization codes are expired when they are issued.',
  'hs256-id-token': 'The ID token is signed HS256 with the client secret (or the public key) instead of RS256.',
  'unverified-email': 'The claim `email_verified` is false, whatever the user.',
  slow: 'Waits `value` ms (5,000 when absent) before each answer; `command` restricts it to paths that start so.',
  'redirect-loop':
    'Paths that start with `command` (`/auth` when absent) redirect to themselves for ever; the control API is not touched.',
} as const;

export type IssuerFault = keyof typeof issuerFaults;
export type IssuerFaults = ArmedFaults<IssuerFault>;

/** Where `wrong-issuer` can show. */
const wrongIssuerPlaces = ['token', 'discovery', 'response'] as const;
export type WrongIssuerPlace = (typeof wrongIssuerPlaces)[number];

const valueRules: Partial<Record<IssuerFault, ValueRule>> = {
  'wrong-issuer': choice(wrongIssuerPlaces),
  'wrong-keys': choice(['others', 'ec', 'none', 'page']),
  slow: numberFrom(0, 'a number of milliseconds'),
  'long-lived-token': wholeNumber(1, undefined, 'a whole number of seconds above 0'),
};

/** Throws an Error that names the fault when `value` breaks its rule. A fault without a rule ignores its value. */
export function requireFaultValue(fault: IssuerFault, options: FaultOptions): void {
  if (valueRules[fault]) {
    requireValue(fault, options, valueRules);
  }
}
