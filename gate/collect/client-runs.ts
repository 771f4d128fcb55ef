// Collector: runs official clients in both protocol eras, after an OAuth sign-in.
import { callbackLimitation } from '../evidence/items.ts';
import { type CollectContext, type Collector, loginHelp, loginOptions } from './collector.ts';
import { type OAuthClient, openOAuthClient } from './oauth-client.ts';
import { type ClientRun, runOfficialClients } from './official-clients.ts';
import { scopesFor } from './refresh-replay.ts';

export const clientRuns: Collector = {
  name: 'client-runs',
  summary: 'official clients in both eras sign in, list tools and call one; their versions are recorded',
  item: 'clientCompatibility',
  options: { ...loginOptions, 'fixed-callback-port': { type: 'string' } },
  help: `${loginHelp}  --fixed-callback-port N    under cloud_idp: the one callback port that is registered; when the issuer refuses a
                             random port, that is recorded as "${callbackLimitation}"
`,
  async run(context) {
    await using client = await openOAuthClient(context);
    const login = await signIn(client, context);
    const runs = await runOfficialClients(login.token, context);
    const { clientA, clientB, legacyClient } = runs;
    const isLimited = !login.takesRandomPort && context.config.MCP_GATE_OAUTH_COMPATIBILITY_PROFILE === 'cloud_idp';
    return {
      fields: {
        clientA: clientA.works,
        clientAProtocolVersion: clientA.era ?? '',
        ...(isLimited
          ? { clientB: false, clientBStatus: callbackLimitation }
          : {
              clientB: clientB.works && login.takesRandomPort,
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

/** A token with the read scope, and whether the issuer accepts any loopback port as callback (RFC 8252 §7.3). */
export async function signIn(
  client: OAuthClient,
  context: CollectContext,
): Promise<{ token: string; takesRandomPort: boolean }> {
  const { config, options, transcript } = context;
  const scopes = scopesFor(client, [config.MCP_GATE_READ_SCOPE]);
  try {
    const { accessToken } = await client.login(scopes, 0);
    transcript.add('signed in with a random loopback port', 'accepted');
    return { token: accessToken, takesRandomPort: true };
  } catch (error) {
    if (options['fixed-callback-port'] === undefined) {
      throw error;
    }
  }
  transcript.add('signed in with a random loopback port', 'refused');
  const { accessToken } = await client.login(scopes);
  transcript.add('signed in with the fixed callback', 'accepted');
  return { token: accessToken, takesRandomPort: false };
}
