// OAuth mode: Bearer tokens of the issuer for this resource; scopes map to permissions
// (docs/reference/mcp-server.md#53-oauth-mode).

import type { Log } from '#kernel/process/log.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { type Authenticator, readBearer } from '../http/caller.ts';
import { refuse } from '../http/refusal.ts';
import type { ToolPermission } from '../tool.ts';
import { type AccessToken, verifyAccessToken } from './access-token.ts';
import { createIssuerKeys } from './issuer-keys.ts';
import { createChallenges } from './resource-metadata.ts';
import type { OAuthSettings } from './settings.ts';

export function createOAuthAuthenticator(
  settings: OAuthSettings,
  clock: Clock,
  log: Log,
  stop: AbortSignal,
): Authenticator {
  const keys = createIssuerKeys(settings, clock, log, stop);
  const challenges = createChallenges(settings);
  const granted = ({ scopes }: AccessToken) =>
    new Set<ToolPermission>([
      ...(scopes.has(settings.readScope) ? (['network.read'] as const) : []),
      ...(scopes.has(settings.writeScope) ? (['notes.write'] as const) : []),
    ]);
  return {
    isPresented: (headers) => readBearer(headers) !== null,
    async authenticate(headers, signal) {
      const token = readBearer(headers);
      if (token === null) {
        return refuse.unauthorized('sign in: send an access token of the authorization server', challenges.missing);
      }
      let access: AccessToken;
      try {
        access = await verifyAccessToken(token, keys, settings, clock, signal);
      } catch (error) {
        signal.throwIfAborted();
        log.debug({ kind: error instanceof Error ? error.name : typeof error }, 'an access token was not believed');
        return refuse.invalidToken('the access token is not valid here: sign in again', challenges.invalid);
      }
      const permissions = granted(access);
      if (!permissions.has('network.read')) {
        const challenge = permissions.size === 0 ? challenges.read : challenges.write;
        return refuse.insufficientScope(`the access token lacks the scope ${settings.readScope}`, challenge);
      }
      return { subject: `${settings.issuer}|${access.subject}`, client: access.client, granted: permissions };
    },
    insufficient: () =>
      refuse.insufficientScope(
        `the access token lacks the scope ${settings.writeScope}: sign in again with both scopes`,
        challenges.write,
      ),
  };
}
