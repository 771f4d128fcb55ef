// Mistakes with tokens, and of the authorization server that makes them.
import type { Mistake } from './mistake.ts';

/** A token that the endpoint would refuse for more than the one thing that a probe asks about. */
const unlike: readonly Mistake[] = [
  {
    id: 'operator.wrong-audience-of-other-user',
    sentence: 'the wrong-audience token is of another user',
    red: ['tokens.alike'],
  },
  {
    id: 'operator.wrong-audience-of-other-client',
    sentence: 'the wrong-audience token was taken with another client',
    red: ['tokens.alike'],
  },
  {
    id: 'operator.wrong-audience-without-scope',
    sentence: 'the wrong-audience token has the write scope alone, and would be refused for that',
    red: ['tokens.alike'],
  },
  {
    id: 'operator.expired-of-other-user',
    sentence: 'the expired token is of another user',
    red: ['tokens.alike'],
  },
  {
    id: 'operator.revoked-of-other-client',
    sentence: 'the revoked token was taken with another client',
    red: ['tokens.alike'],
  },
  {
    id: 'operator.expired-just-now',
    sentence: 'the expired token expired a few seconds ago, within the leeway of a right endpoint',
    red: ['tokens.alike'],
  },
  {
    id: 'operator.revoked-just-now',
    sentence: 'the revoked token expired a few seconds ago',
    red: ['tokens.alike'],
  },
  {
    id: 'operator.expired-long-ago',
    sentence: 'the expired token expired an hour ago, and would show no clock that is slow',
    red: ['tokens.alike'],
  },
  {
    id: 'operator.wrong-audience-expired',
    sentence: 'the wrong-audience token has expired too',
    red: ['tokens.claims'],
  },
  {
    id: 'operator.near-audience-far-away',
    sentence: 'the near-audience token is for a resource on another host',
    red: ['tokens.claims'],
  },
  {
    id: 'operator.audience-list-of-one',
    sentence: 'the audience-list token is for this resource alone',
    red: ['tokens.claims'],
  },
  {
    id: 'operator.write-only-reads',
    sentence: 'the write-only token has the read scope as well',
    red: ['tokens.claims'],
  },
  {
    id: 'operator.other-issuer-is-ours',
    sentence: 'the token of another issuer is one of the issuer itself',
    red: ['tokens.claims'],
  },
];

const issuer: readonly Mistake[] = [
  { id: 'issuer.keys-down', sentence: 'discovery works, and the key set is answered with 503', red: ['issuer.keys'] },
  { id: 'issuer.keys-not-rsa', sentence: 'the key set holds no RSA key', red: ['issuer.keys'] },
  { id: 'issuer.keys-page', sentence: 'the key set is a page of HTML', red: ['issuer.keys'] },
  {
    id: 'issuer.keys-of-others',
    sentence: 'the key set holds RSA keys, and not the one that signed the tokens',
    red: ['tokens.signatures'],
  },
  {
    id: 'issuer.plain-pkce-only',
    sentence: 'the discovery document offers PKCE with plain challenges alone',
    red: ['issuer.pkce'],
  },
];

/** Seen by the experiment of the item alone. */
const grants: readonly Mistake[] = [
  {
    id: 'issuer.verifier-not-enforced',
    sentence: 'PKCE S256 is advertised, and codes are redeemed with any verifier',
    red: ['evidence.refreshRevocation'],
  },
  {
    id: 'issuer.revocation-ignored',
    sentence: 'the revocation is answered, and the refresh token goes on working',
    red: ['evidence.revocation'],
  },
  {
    id: 'operator.revoked-is-merely-expired',
    sentence: 'the revoked token has expired, and its grant was never revoked',
    red: ['evidence.revocation'],
  },
  {
    id: 'operator.revocation-not-collected',
    sentence: 'nothing shows that the grant of the revoked token was revoked',
    red: ['evidence.revocation'],
  },
  {
    id: 'operator.revoked-twice-collected',
    sentence: 'the revocation was collected again, and the gate still has the token of the time before',
    red: ['evidence.revocation'],
  },
];

const hub: readonly Mistake[] = [
  {
    id: 'operator.hub-clock-ahead',
    sentence: 'the hub says that a router delivered in 2099',
    red: ['hub.routers'],
  },
  {
    id: 'operator.hub-clock-minutes-ahead',
    sentence: 'the hub says that a router delivered in three minutes',
    red: ['hub.routers'],
  },
];

export const tokensMistakes: readonly Mistake[] = [...unlike, ...issuer, ...grants, ...hub];
