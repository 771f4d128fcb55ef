// What a cloud identity provider does on the wire, beyond what its metadata says (profile cloud_idp).
import { callbackLimitation } from '../evidence/items.ts';
import { clientRuns, signIn } from './client-runs.ts';
import type { Collector } from './collector.ts';
import { openOAuthClient } from './oauth-client.ts';
import { runOfficialClients } from './official-clients.ts';
import { describe, judged, replay, scopesFor } from './refresh-replay.ts';
import { isRefusedAfterRevocation } from './revocation.ts';

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
    const wrong = await client.redeemWithWrongVerifier(scopesFor(client, [config.MCP_GATE_READ_SCOPE]));
    transcript.add('redeemed a code with a verifier of another S256 challenge', describe(wrong));
    const isPkceKept = wrong.state === 'rejected';
    const seen = await replay(client, context);
    const { fields, objections } = judged(seen, undefined);
    const isRevoked = await isRefusedAfterRevocation(client, context);
    const runs = await runOfficialClients(login.token, context);
    return {
      fields: {
        issuer: config.MCP_GATE_ISSUER,
        resource: config.MCP_GATE_RESOURCE,
        pkceMethod: isPkceKept ? 'S256' : '',
        // Sent in both; that they were honoured shows in the audience.
        authorizationRequestResource: seen.audiencesMatch,
        tokenRequestResource: seen.audiencesMatch,
        accessTokenAudienceMatched: seen.audiencesMatch,
        refreshAudiencePreserved: seen.audiencesMatch,
        testedClientCallbacksMatched: true,
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
        ...(isPkceKept ? [] : ['a code was not refused to a wrong verifier']),
        ...(isRevoked ? [] : ['the revoked refresh token was not refused']),
      ],
    };
  },
};
