// Authentication as a feature: who may call, the routes of login and credentials, the audit trail.
import type { Base, Feature, HubHandlers } from '../feature.ts';
import { type Auth, startAuth } from './auth.ts';
import { describeExposure } from './credentials/first-token.ts';
import { authHandlers } from './handlers.ts';

export type AuthFeature = Feature<Pick<HubHandlers, 'auth'>> & { auth: Auth };

export async function startAuthFeature(base: Base, url: URL, agents: Auth['agents']): Promise<AuthFeature> {
  const { steadyClock, settings, offline, readers } = base;
  const auth = await startAuth(base, url, agents);
  return {
    auth,
    handlers: { auth: authHandlers(auth, steadyClock, readers.reads) },
    status() {
      const { enabled } = settings.current().oidc;
      const oidc = { enabled, reason: enabled ? null : 'not_configured' };
      const initialAdminTokenFile = auth.firstToken.exposedFile();
      return {
        initialAdminTokenFile,
        isPasswordInitial: settings.current().isPasswordInitial,
        adminWarnings: [initialAdminTokenFile === null ? null : describeExposure(initialAdminTokenFile)],
        features: { oidc: offline ? { enabled: false, reason: 'offline_mode' } : oidc },
      };
    },
    [Symbol.asyncDispose]: () => auth[Symbol.asyncDispose](),
  };
}
