// Collector: tests the behaviour of a cloud identity provider beyond its metadata (profile cloud_idp).
import { callbackLimitation } from '../evidence/items.ts';
import { clientRuns, objectionsTo, signIn } from './client-runs.ts';
import type { Collector } from './collector.ts';
import { openOAuthClient } from './oauth-client.ts';
import { runOfficialClients } from './official-clients.ts';
import { describe, judged, replay, scopesFor } from './refresh-replay.ts';
import { refusedAfterRevocation } from './revocation.ts';

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
    transcript.add('redeemed a code with a verifier of another S256 challenge', describe(wrongVerifier));
    const otherCallback = await client.redeemForOtherCallback(scopes);
    transcript.add('redeemed a code for another callback', describe(otherCallback));
    const seen = await replay(client, context);
    const { first, refreshed } = seen;
    const { fields, objections } = judged(seen, undefined);
    const { isRejected: isRevoked } = await refusedAfterRevocation(client, context);
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
        ...objectionsTo(runs),
        ...(wrongVerifier.state === 'rejected' ? [] : ['a code was not refused to a wrong verifier']),
        ...(otherCallback.state === 'rejected' ? [] : ['a code was not refused for another callback']),
        ...(isRevoked ? [] : ['the revoked refresh token was not refused']),
      ],
    };
  },
};
