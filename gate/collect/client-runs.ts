// Collector: signs in with OAuth, then runs official clients of both protocol eras with the token.
import { callbackLimitation } from '../evidence/items.ts';
import { type CollectContext, type Collector, loginHelp, loginOptions } from './collector.ts';
import { type OAuthClient, openOAuthClient } from './oauth-client.ts';
import { type ClientRun, runOfficialClients } from './official-clients.ts';
import { scopesFor } from './refresh-replay.ts';

export const clientRuns: Collector = {
  name: 'client-runs',
  summary: 'signs in, then runs three official clients of both eras: each lists tools, the SDK clients also call one',
  item: 'clientCompatibility',
  options: { ...loginOptions, 'fixed-callback-port': { type: 'string' } },
  help: `${loginHelp}  --fixed-callback-port N    under cloud_idp: the one callback port that is registered; when the issuer refuses a
                             random port, that is recorded as "${callbackLimitation}"
`,
  async run(context) {
    await using client = await openOAuthClient(context);
    const { token, takesRandomPort } = await signIn(client, context);
    const runs = await runOfficialClients(token, context);
    // Client A is the current SDK, client B the Inspector, the legacy client the first SDK. Era: protocol version.
    const { clientA, clientB, legacyClient } = runs;
    const isCallbackLimited = !takesRandomPort && context.config.MCP_GATE_OAUTH_COMPATIBILITY_PROFILE === 'cloud_idp';
    return {
      fields: {
        clientA: clientA.works,
        clientAProtocolVersion: clientA.era ?? '',
        ...(isCallbackLimited
          ? { clientB: false, clientBStatus: callbackLimitation }
          : {
              clientB: clientB.works && takesRandomPort,
              clientBProtocolVersion: clientB.era ?? '',
              clientBStatus: '',
            }),
        legacyClient: legacyClient.works,
        legacyProtocolVersion: legacyClient.era ?? '',
      },
      objections: listFailedClients(runs),
    };
  },
};

export function listFailedClients(runs: Readonly<Record<string, ClientRun>>): string[] {
  return Object.values(runs).flatMap(({ name, works }) => (works ? [] : [`${name} did not work`]));
}

/** Gets a token with the read scope, and tests whether the issuer accepts any loopback port (RFC 8252 §7.3). */
export async function signIn(
  client: OAuthClient,
  context: CollectContext,
): Promise<{ token: string; takesRandomPort: boolean }> {
  const { config, options, transcript } = context;
  const scopes = scopesFor(client, [config.MCP_GATE_READ_SCOPE]);
  try {
    // Port 0: the operating system chooses a free one.
    const { accessToken } = await client.login(scopes, 0);
    transcript.add('tried to sign in with a random loopback port', 'accepted');
    return { token: accessToken, takesRandomPort: true };
  } catch (error) {
    // With a fixed port to try next, any failure counts as a refusal of the random port.
    if (options['fixed-callback-port'] === undefined) {
      throw error;
    }
  }
  transcript.add('tried to sign in with a random loopback port', 'failed');
  const { accessToken } = await client.login(scopes);
  transcript.add('tried to sign in with the fixed callback port', 'accepted');
  return { token: accessToken, takesRandomPort: false };
}
