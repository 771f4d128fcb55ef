// Collector: tests the behaviour of a cloud identity provider beyond its metadata (profile cloud_idp).
import { callbackLimitation } from '../evidence/items.ts';
import { clientRuns, listFailedClients, signIn } from './client-runs.ts';
import type { Collector } from './collector.ts';
import { openOAuthClient } from './oauth-client.ts';
import { runOfficialClients } from './official-clients.ts';
import { describeOutcome, judgeReplay, replayRefreshToken, scopesFor } from './refresh-replay.ts';
import { testRevocation } from './revocation.ts';

export const idpCompatibility: Collector = {
  name: 'idp-compatibility',
  summary: 'PKCE S256, resource in both requests, audiences, callbacks, rotation and revocation, client versions',
  item: 'idpCompatibility',
  options: clientRuns.options,
  help: clientRuns.help,
  async run(context) {
    const { config, transcript } = context;
    await using client = await openOAuthClient(context);
    const login = await signIn(client, context);
    const scopes = scopesFor(client, [config.MCP_GATE_READ_SCOPE]);
    const wrongVerifier = await client.redeemWithWrongVerifier(scopes);
    transcript.add('redeemed a code with a verifier of another S256 challenge', describeOutcome(wrongVerifier));
    const otherCallback = await client.redeemForOtherCallback(scopes);
    transcript.add('redeemed a code for another callback', describeOutcome(otherCallback));
    const seen = await replayRefreshToken(client, context);
    const { first, refreshed } = seen;
    const { fields, objections } = judgeReplay(seen, undefined);
    const { isRejected: isRevoked } = await testRevocation(client, context);
    const runs = await runOfficialClients(login.token, context);
    return {
      fields: {
        // From the access token.
        issuer: first?.issuer ?? '',
        resource: first?.audience ?? '',
        pkceMethod: wrongVerifier.state === 'rejected' ? 'S256' : '',
        // Sent in both requests; the audience shows that it was honoured.
        authorizationRequestResource: first?.audienceMatches ?? false,
        tokenRequestResource: first?.audienceMatches ?? false,
        accessTokenAudienceMatched: first?.audienceMatches ?? false,
        refreshAudiencePreserved: refreshed?.audienceMatches ?? false,
        // Every login returned to its callback; a code is bound to that callback.
        testedClientCallbacksMatched: otherCallback.state === 'rejected',
        oldRefreshRejected: fields.replayRequestRejected,
        revokedRefreshRejected: isRevoked,
        inspectorVersion: runs.clientB.version,
        clientAVersion: runs.clientA.version,
        clientBVersion: runs.legacyClient.version,
        ...(login.takesRandomPort
          ? { clientBCallbackCompatible: true }
          : { clientBCallbackCompatible: false, clientBCallbackStatus: callbackLimitation }),
      },
      objections: [
        ...objections,
        ...listFailedClients(runs),
        ...(wrongVerifier.state === 'rejected' ? [] : ['a code was not refused to a wrong verifier']),
        ...(otherCallback.state === 'rejected' ? [] : ['a code was not refused for another callback']),
        ...(isRevoked ? [] : ['the revoked refresh token was not refused']),
      ],
    };
  },
};
