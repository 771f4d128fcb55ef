// `gatehouse sim oidc`.
import { UsageError } from '#kernel/process/program.ts';
import { optionNumber, optionText, optionWord, type SimulatorCommand, serveControl } from '../command.ts';
import type { ApiName, OptionTable } from '../option-table.ts';
import { hubClientId, mcpClientId } from './clients.ts';
import { issuerControlRoutes } from './control.ts';
import { issuerFaults, requireFaultValue } from './faults.ts';
import { type IssuerOptions, startIssuer } from './issuer.ts';
import { profiles, replayModes } from './settings.ts';
import { defaultUsers } from './users.ts';

const usualRedirectUri = 'http://127.0.0.1:3000/api/auth/oidc/callback';

export const issuerOptions = {
  'replay-mode': {
    takes: 'MODE',
    says: `what a refresh token used twice does: ${replayModes.join(' or ')} (${replayModes[0]})`,
    api: 'replayMode',
  },
  profile: {
    takes: 'NAME',
    says: `${profiles.join(' or ')}, which omits the PKCE methods from discovery (${profiles[0]})`,
    api: 'profile',
  },
  'access-token-ttl': {
    takes: 'S',
    says: 'lifetime of access tokens in seconds, 1 to 86400 (600)',
    api: 'accessTokenTtlMs',
    differs: 'milliseconds, a multiple of 1,000',
  },
  'hub-redirect-uri': {
    takes: 'URI',
    says: `callback of the client gatehouse-hub (${usualRedirectUri})`,
    api: 'hubRedirectUris',
    differs: 'a list, empty when absent',
  },
  'consent-page': {
    says: 'asks for login and consent on a page instead of granting both by itself',
    api: 'consent',
    differs: '`page` is this flag',
  },
} satisfies OptionTable<ApiName<IssuerOptions>>;

export const issuerCommand: SimulatorCommand = {
  kind: 'oidc',
  ports: { port: 4000, control: 2933 },
  help: { title: 'OIDC issuer' },
  options: issuerOptions,
  faults: issuerFaults,
  checkFault: requireFaultValue,
  plan(given) {
    const replayMode = optionWord(given, 'replay-mode', replayModes);
    const profile = optionWord(given, 'profile', profiles);
    const accessTokenTtlMs = optionNumber(given, 'access-token-ttl', [1, 86_400], 600) * 1000;
    const redirectUri = optionText(given, 'hub-redirect-uri') ?? usualRedirectUri;
    if (URL.parse(redirectUri) === null) {
      throw new UsageError(`--hub-redirect-uri takes an absolute address, not "${redirectUri}"`);
    }
    return async (starting) => {
      const issuer = starting.stack.use(
        await startIssuer({
          ...starting.options,
          hubRedirectUris: [redirectUri],
          replayMode,
          profile,
          accessTokenTtlMs,
          consent: given['consent-page'] === true ? 'page' : 'automatic',
        }),
      );
      const control = await serveControl(starting, {
        title: 'Simulated OIDC issuer',
        control: issuer,
        extra: issuerControlRoutes(issuer),
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
