// Collector: a revoked refresh token (RFC 7009) must be refused. It also records the lifetime of access tokens.
import { isThere, writeText } from '#kernel/files/files.ts';
import { GateError, readPublicFile } from '../private-file.ts';
import { parseTokenId } from '../probes/given-tokens.ts';
import { viewToken } from './access-token.ts';
import { type CollectContext, type Collector, loginHelp, loginOptions } from './collector.ts';
import { type OAuthClient, openOAuthClient } from './oauth-client.ts';
import { describeOutcome, requireRefreshToken, scopesFor } from './refresh-replay.ts';

export const revocation: Collector = {
  name: 'revocation',
  summary:
    'sign in, revoke the refresh token, use it: it must be refused; the access token is the revoked one of the gate',
  item: 'revocation',
  options: { ...loginOptions, 'token-out': { type: 'string' } },
  help: `${loginHelp}  --token-out FILE           where the access token is written, mode 0600: MCP_GATE_REVOKED_EXPIRED_TOKEN_FILE
`,
  async run(context) {
    const { 'token-out': file } = context.options;
    if (typeof file === 'string' && isThere(file) && !isSignedToken(readPublicFile(file, 'the file of the token'))) {
      throw new GateError(`${file} is there and holds no token: name another file with --token-out`);
    }
    await using client = await openOAuthClient(context);
    const { isRejected, accessToken } = await testRevocation(client, context);
    const tokenJti = parseTokenId(accessToken);
    if (typeof file === 'string') {
      writeText(file, accessToken);
    }
    return {
      fields: { revokedRefreshRejected: isRejected, tokenJti: tokenJti ?? '' },
      objections: [
        ...(isRejected ? [] : ['the revoked refresh token was not refused']),
        ...(tokenJti === null ? ['the access token has no jti: it cannot be told from another'] : []),
      ],
    };
  },
};

export const tokenLifetime: Collector = {
  name: 'access-token-lifetime',
  summary: 'sign in, and measure how long the access token lives',
  item: 'refreshRevocation',
  partial: true,
  options: loginOptions,
  help: loginHelp,
  async run(context) {
    await using client = await openOAuthClient(context);
    const { accessToken, refreshToken } = await client.login(scopesFor(client, [context.config.MCP_GATE_READ_SCOPE]));
    const view = await viewToken(accessToken, client, context);
    context.transcript.add(
      'signed in',
      view ? `the access token lives ${view.lifetimeSeconds} s` : 'no token of the issuer',
    );
    if (refreshToken !== undefined && typeof client.metadata.revocation_endpoint === 'string') {
      await client.revoke(refreshToken);
    }
    return {
      fields: { accessTokenLifetimeSeconds: view?.lifetimeSeconds ?? 0 },
      objections: view?.audienceMatches ? [] : ['the access token is not for exactly this resource'],
    };
  },
};

/** Whether `text` has the form of a signed JWT (RFC 7515 §3.1), as access tokens do. */
function isSignedToken(text: string): boolean {
  return /^\s*[\w-]+\.[\w-]+\.[\w-]+\s*$/.test(text);
}

/** `accessToken` belongs to the grant that was revoked. */
export async function testRevocation(
  client: OAuthClient,
  context: CollectContext,
): Promise<{ isRejected: boolean; accessToken: string }> {
  const tokens = await client.login(scopesFor(client, [context.config.MCP_GATE_READ_SCOPE]));
  const refreshToken = requireRefreshToken(tokens);
  await client.revoke(refreshToken);
  context.transcript.add('revoked the refresh token', 'done');
  const after = await client.refresh(refreshToken);
  context.transcript.add('used the revoked refresh token', describeOutcome(after));
  if (after.state === 'unclear') {
    throw new GateError(`the answer to the revoked token says nothing (${after.because}): run it again`);
  }
  return { isRejected: after.state === 'rejected', accessToken: tokens.accessToken };
}
