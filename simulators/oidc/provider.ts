// The certified provider, configured: code flow with PKCE S256, RS256 JWT access tokens of one audience, rotation.
import { randomBytes } from 'node:crypto';
import { type Configuration, errors, interactionPolicy, Provider } from 'oidc-provider';
import type { Clock } from '#kernel/time/clock.ts';
import { errorPage } from './pages.ts';
import type { RequestFaults } from './per-request-faults.ts';
import type { IssuerSettings } from './settings.ts';
import type { SigningKey } from './signing-key.ts';
import type { Storage } from './storage.ts';
import { moveTimestamps } from './time-claims.ts';
import type { Users } from './users.ts';

/** Scopes about the user; the others belong to resources. */
export const userScopes = ['openid', 'email', 'profile', 'offline_access'] as const;

export interface ProviderOptions {
  issuer: string;
  clock: Clock;
  key: SigningKey;
  settings: IssuerSettings;
  /** Scopes of every resource, such as `network.read`. */
  resourceScopes: readonly string[];
  users: Users;
  storage: Storage;
  requestFaults: RequestFaults;
}

/** An audience that nobody asked for. */
export const secondAudience = 'https://second-audience.example';

export const otherIssuer = (issuer: string): string => `${issuer}/other`;

export function createProvider(options: ProviderOptions): Provider {
  const { issuer, clock, key, settings, resourceScopes, users, storage, requestFaults } = options;
  const day = 86_400;
  const configuration: Configuration = {
    adapter: storage.adapter,
    jwks: { keys: [key] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    scopes: [...userScopes],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    // Claims of the granted scopes are in the ID token too, as large providers do.
    conformIdTokenClaims: false,
    responseTypes: ['code'],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: () => false,
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clientBasedCORS: () => true,
    // Every model: the defaults print advice on stdout.
    ttl: {
      AccessToken: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? settings.accessTokenTtlMs / 1000,
      AuthorizationCode: 60,
      Grant: 14 * day,
      IdToken: 3600,
      Interaction: 600,
      RefreshToken: 14 * day,
      Session: day,
    },
    interactions: {
      policy: policyWithAccountSelection(),
      url: (_ctx, interaction) => `/interaction/${interaction.uid}`,
    },
    renderError(ctx, { error, error_description: description }) {
      ctx.type = 'html';
      ctx.body = errorPage(error, description ?? '');
    },
    findAccount(ctx, sub) {
      const user = users.find(sub);
      return (
        (user && {
          accountId: sub,
          claims: () => ({
            sub,
            email: user.email,
            email_verified: user.emailVerified && requestFaults.take(ctx, 'unverified-email') === null,
            name: user.name,
          }),
        }) ??
        undefined
      );
    },
    formats: {
      customizers: {
        jwt(ctx, _token, { payload }) {
          Object.assign(payload, moveTimestamps(payload, clock));
          if (requestFaults.takeWrongIssuer(ctx, 'token')) {
            payload.iss = otherIssuer(issuer);
          }
          if (requestFaults.take(ctx, 'two-audiences')) {
            payload.aud = [String(payload.aud), secondAudience];
          }
        },
      },
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (ctx, client, token) =>
          token.clientId === client.clientId && requestFaults.take(ctx, 'revocation-ignored') === null,
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => [],
        useGrantedResource: () => true,
        getResourceServerInfo(ctx, resource) {
          if (settings.resources !== null && !settings.resources.includes(resource)) {
            throw new errors.InvalidTarget();
          }
          const long = ctx.oidc.route === 'token' ? requestFaults.take(ctx, 'long-lived-token') : null;
          return {
            scope: resourceScopes.join(' '),
            audience: resource,
            accessTokenTTL: long ? Number(long.value ?? day) : settings.accessTokenTtlMs / 1000,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'RS256' } },
          };
        },
      },
    },
  };
  return new Provider(issuer, configuration);
}

/** `prompt=select_account` is answered by asking who it is, as providers with several accounts do. */
function policyWithAccountSelection(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0);
  return policy;
}
