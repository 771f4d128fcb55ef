// Collector: signs in, refreshes, replays the old refresh token, then uses the current one. The observed results
// determine the mode.
import { GateError } from '../private-file.ts';
import { type TokenView, viewToken } from './access-token.ts';
import { type CollectContext, type Collector, loginHelp, loginOptions, type Measured } from './collector.ts';
import { type GrantOutcome, type OAuthClient, openOAuthClient, type Tokens } from './oauth-client.ts';

export const refreshReplay: Collector = {
  name: 'refresh-replay',
  summary:
    'code with PKCE S256, also with a wrong verifier, and resource; refresh, replay of the old refresh token, use of the current one',
  item: 'refreshRevocation',
  options: { ...loginOptions, expect: { type: 'string' } },
  help: `${loginHelp}  --expect MODE              reject-replay or revoke-family: refuse what is not this mode
`,
  async run(context) {
    const { expect } = context.options;
    if (expect !== undefined && expect !== 'reject-replay' && expect !== 'revoke-family') {
      throw new GateError('--expect must be reject-replay or revoke-family');
    }
    await using client = await openOAuthClient(context);
    const scopes = scopesFor(client, [context.config.MCP_GATE_READ_SCOPE]);
    const wrongVerifier = await client.redeemWithWrongVerifier(scopes);
    context.transcript.add('redeemed a code with a verifier of another S256 challenge', describeOutcome(wrongVerifier));
    const seen = await replayRefreshToken(client, context);
    const { fields, objections } = judgeReplay(seen, typeof expect === 'string' ? expect : undefined);
    const isEnforced = wrongVerifier.state === 'rejected';
    return {
      fields,
      objections: [...objections, ...(isEnforced ? [] : ['a code was not refused to a wrong verifier'])],
    };
  },
};

export interface ReplaySeen {
  /** Access tokens before and after the first refresh; null when the issuer did not sign it. */
  first: TokenView | null;
  refreshed: TokenView | null;
  replayed: GrantOutcome['state'];
  current: GrantOutcome['state'];
  objections: string[];
}

/** Runs the experiment with a new token family, which is revoked at the end when the issuer supports that. */
export async function replayRefreshToken(client: OAuthClient, context: CollectContext): Promise<ReplaySeen> {
  const { transcript, config } = context;
  const first = await client.login(scopesFor(client, [config.MCP_GATE_READ_SCOPE]));
  transcript.add(
    'signed in: code, PKCE S256, resource',
    first.refreshToken ? 'refresh token given' : 'no refresh token',
  );
  const old = requireRefreshToken(first);
  const refreshed = await client.refresh(old);
  transcript.add('refreshed', describeOutcome(refreshed));
  if (refreshed.state !== 'accepted') {
    throw new GateError(
      `the first refresh was not accepted (${describeOutcome(refreshed)}): the experiment cannot go on`,
    );
  }
  const current = requireRefreshToken(refreshed.tokens);
  const objections = current === old ? ['refresh tokens are not rotated: the new one is the old one'] : [];
  const seen = {
    first: await viewToken(first.accessToken, client, context),
    refreshed: await viewToken(refreshed.tokens.accessToken, client, context),
  };
  const again = await client.refresh(old);
  transcript.add('used the old refresh token again', describeOutcome(again));
  const last = await client.refresh(current);
  transcript.add('used the current refresh token', describeOutcome(last));
  await endFamily(client, last.state === 'accepted' ? (last.tokens.refreshToken ?? current) : current, context);
  return {
    ...seen,
    replayed: again.state,
    current: last.state,
    objections: [
      ...objections,
      ...(seen.first && seen.refreshed ? [] : ['an access token is not of the issuer, signed with RS256']),
      ...[again, last].flatMap((one) => (one.state === 'unclear' ? [`an answer says nothing: ${one.because}`] : [])),
    ],
  };
}

/** Derives the fields of the item, with the observed mode if any. */
export function judgeReplay(seen: ReplaySeen, expected: string | undefined): Measured {
  const isRejected = seen.replayed === 'rejected';
  const views = [seen.first, seen.refreshed];
  const mode = !isRejected
    ? ''
    : seen.current === 'accepted'
      ? 'reject-replay'
      : seen.current === 'rejected'
        ? 'revoke-family'
        : '';
  return {
    fields: {
      mode,
      accessTokenLifetimeSeconds: Math.max(...views.map((view) => view?.lifetimeSeconds ?? 0)),
      replayRequestRejected: isRejected,
      currentFamilyUsable: seen.current === 'accepted',
      familyRevoked: mode === 'revoke-family',
    },
    objections: [
      ...seen.objections,
      ...(isRejected ? [] : ['the old refresh token was not refused']),
      ...(views.every((view) => view?.audienceMatches) ? [] : ['an access token is not for exactly this resource']),
      ...(expected === undefined || mode === expected ? [] : [`${expected} was expected, and not seen`]),
    ],
  };
}

/** The scopes, with `offline_access` when the issuer requires it for refresh tokens (OpenID Connect Core §11). */
export function scopesFor(client: OAuthClient, scopes: readonly string[]): string[] {
  const { scopes_supported: supported } = client.metadata;
  return Array.isArray(supported) && supported.includes('offline_access') ? [...scopes, 'offline_access'] : [...scopes];
}

export function requireRefreshToken({ refreshToken }: Tokens): string {
  if (refreshToken === undefined) {
    throw new GateError('the issuer gave no refresh token: let the client use the refresh_token grant');
  }
  return refreshToken;
}

export function describeOutcome(refreshed: GrantOutcome): string {
  return refreshed.state === 'unclear' ? refreshed.because : refreshed.state;
}

async function endFamily(client: OAuthClient, refreshToken: string, { transcript }: CollectContext): Promise<void> {
  if (typeof client.metadata.revocation_endpoint === 'string') {
    await client.revoke(refreshToken);
    transcript.add('revoked what was used', 'done');
  }
}
