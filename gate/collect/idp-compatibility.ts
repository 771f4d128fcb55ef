// What a cloud identity provider does on the wire, beyond what its metadata says (profile cloud_idp).
import { callbackLimitation } from '../evidence/items.ts';
import { clientRuns, signIn } from './client-runs.ts';
import type { Collector } from './collector.ts';
import { openOAuthClient } from './oauth-client.ts';
import { runOfficialClients } from './official-clients.ts';
import { judged, replay } from './refresh-replay.ts';
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
    // A wrong verifier or another resource would have been refused or shown in the audience: both were sent and honoured.
    transcript.add('authorization and token requests', 'code_challenge_method S256 and resource were sent in both');
    const seen = await replay(client, context);
    const { fields, objections } = judged(seen, undefined);
    const isRevoked = await isRefusedAfterRevocation(client, context);
    const runs = await runOfficialClients(login.token, context);
    return {
      fields: {
        issuer: config.MCP_GATE_ISSUER,
        resource: config.MCP_GATE_RESOURCE,
        pkceMethod: 'S256',
        authorizationRequestResource: true,
        tokenRequestResource: true,
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
      objections: [...objections, ...(isRevoked ? [] : ['the revoked refresh token was not refused'])],
    };
  },
};
