// `gatehouse sim oidc`.
import { wholeOption } from '#kernel/process/option-value.ts';
import { UsageError } from '#kernel/process/program.ts';
import { oneOf, type SimulatorCommand, serveControl, text } from '../command.ts';
import { hubClientId, mcpClientId } from './clients.ts';
import { issuerControlRoutes } from './control-routes.ts';
import { issuerFaults } from './faults.ts';
import { startIssuer } from './issuer.ts';
import { profiles, replayModes } from './settings.ts';
import { defaultUsers } from './users.ts';

export const issuerCommand: SimulatorCommand = {
  kind: 'oidc',
  ports: { port: 4000, control: 2933 },
  help: {
    title: 'OIDC issuer',
    text: `  --replay-mode MODE       what a refresh token used twice does: ${replayModes.join(' or ')} (${replayModes[0]})
  --profile NAME           ${profiles.join(' or ')}, which omits the PKCE methods from discovery (${profiles[0]})
  --access-token-ttl S     lifetime of access tokens in seconds, 1 to 86400 (600)
  --hub-redirect-uri URI   callback of the client gatehouse-hub (http://127.0.0.1:3000/api/auth/oidc/callback)
  --consent-page           asks for login and consent on a page instead of granting both by itself
`,
  },
  options: {
    'replay-mode': { type: 'string' },
    profile: { type: 'string' },
    'access-token-ttl': { type: 'string' },
    'hub-redirect-uri': { type: 'string' },
    'consent-page': { type: 'boolean' },
  },
  plan(given) {
    const replayMode = oneOf('replay-mode', text(given, 'replay-mode'), replayModes);
    const profile = oneOf('profile', text(given, 'profile'), profiles);
    const accessTokenTtlMs =
      wholeOption('access-token-ttl', text(given, 'access-token-ttl') ?? '600', [1, 86_400]) * 1000;
    const redirectUri = text(given, 'hub-redirect-uri') ?? 'http://127.0.0.1:3000/api/auth/oidc/callback';
    if (URL.parse(redirectUri) === null) {
      throw new UsageError(`--hub-redirect-uri takes an absolute address, not "${redirectUri}"`);
    }
    return async (starting) => {
      const { place, clock, stack } = starting;
      const issuer = stack.use(
        await startIssuer({
          clock,
          host: place.host,
          port: place.port,
          hubRedirectUris: [redirectUri],
          replayMode,
          profile,
          accessTokenTtlMs,
          consent: given['consent-page'] === true ? 'page' : 'automatic',
          onEntry: starting.onEntry,
        }),
      );
      const control = await serveControl(starting, {
        title: 'Simulated OIDC issuer',
        control: issuer.control,
        faults: issuerFaults,
        extra: issuerControlRoutes(issuer.control),
      });
      const [user] = defaultUsers;
      return {
        url: issuer.issuer,
        control,
        user: user?.email,
        password: user?.password,
        clientId: hubClientId,
        clientSecret: issuer.clients.find(({ id }) => id === hubClientId)?.secret,
        mcpClientId,
        replayMode,
        profile,
      };
    };
  },
};
