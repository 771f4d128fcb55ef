// Authentication as a feature: who may call, the routes of login and credentials, the audit trail.
import { limits } from '#contract/limits.ts';
import { isLoopbackHost } from '#kernel/address.ts';
import type { Base, Feature, HandlersOf } from '../feature.ts';
import { type Auth, startAuth } from './auth.ts';
import { authHandlers } from './handlers.ts';

export interface AuthFeature extends Feature<HandlersOf<'auth'>> {
  auth: Auth;
}

/** `url` is where the hub listens: its public address on loopback without a proxy. */
export async function startAuthFeature({ options, offline, settings, ...base }: Base, url: URL) {
  const isProxied = (options.trustProxy ?? []).length > 0;
  const auth = await startAuth({
    ...base,
    document: settings,
    dataDir: options.dataDir,
    initialAdminToken: options.initialAdminToken,
    initialPassword: options.initialPassword,
    firstCredentialFiles: options.firstCredentialFiles ?? false,
    passwordCost: options.passwordCost,
    sessionTtlDays: options.sessionTtlDays ?? limits.sessionTtlDays,
    alwaysSecureCookies: options.alwaysSecureCookies ?? false,
    publicUrl: options.publicUrl ?? (isLoopbackHost(options.host) && !isProxied ? url : null),
    trustedProxyConfigured: isProxied,
    offline,
  });
  return {
    auth,
    handlers: { auth: authHandlers(auth, base.clock) },
    status() {
      const { enabled } = settings.current().oidc;
      const oidc = { enabled, reason: enabled ? null : 'not_configured' };
      return { features: { oidc: offline ? { enabled: false, reason: 'offline_mode' } : oidc } };
    },
    [Symbol.asyncDispose]: () => auth[Symbol.asyncDispose](),
  } satisfies AuthFeature;
}
