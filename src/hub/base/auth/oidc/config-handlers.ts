// Handlers of the OIDC settings: what is set, and what may be set
// (docs/reference/wire-contract/4-endpoints.md#oidc-settings).
import type { z } from 'zod';
import type { authRoutes } from '#contract/auth.ts';
import { refuseField } from '#kernel/errors.ts';
import type { RouteHandlers } from '../../feature.ts';
import { createRefusal } from '../../refusals.ts';
import { createStatement, toFacts, toWarnings } from '../../statements.ts';
import type { Auth } from '../auth.ts';
import { toActor } from '../principal.ts';
import { toIssuerUrl } from './metadata.ts';
import type { OidcSettings } from './settings.ts';

type SecurityConfigHandlers = RouteHandlers<'auth', 'securityConfig' | 'saveSecurityConfig'>;
type Change = z.output<(typeof authRoutes)['saveSecurityConfig']['body']>;

export function securityConfigHandlers(auth: Auth): SecurityConfigHandlers {
  const { document, sessions, audit, publicUrl } = auth;
  return {
    securityConfig() {
      const { clientSecret, allowedEmails, allowedDomains, enabled, issuer, clientId } = document.current().oidc;
      return {
        oidc: {
          enabled,
          provider: 'oidc',
          issuer,
          clientId,
          clientSecretSet: clientSecret !== '',
          allowedEmails,
          allowedDomains,
          redirectUri: publicUrl && `${publicUrl.href.replace(/\/$/, '')}/api/auth/oidc/callback`,
        },
        sessionTtlDays: auth.sessionTtlDays,
        trustedProxyConfigured: auth.trustedProxyConfigured,
        ...describeWarnings(auth),
      };
    },
    async saveSecurityConfig({ body, principal, request }) {
      const next = () => changeOidc(document.current().oidc, body, publicUrl);
      const save = () => {
        const old = document.current().oidc;
        const { oidc } = document.update((all) => ({ ...all, oidc: next() }));
        return () => void document.update((all) => (all.oidc === oidc ? { ...all, oidc: old } : all));
      };
      let revoked = 0;
      if (isNarrower(document.current().oidc, next())) {
        revoked = await sessions.revokeAll({ authMethod: 'oidc', change: save });
      } else {
        save();
      }
      const { enabled, issuer, clientSecret } = document.current().oidc;
      await audit.record({
        type: 'security_config_changed',
        outcome: 'success',
        request,
        by: toActor(principal),
        metadata: { enabled, issuer, revoked },
      });
      return { success: true, clientSecretSet: clientSecret !== '', ...describeWarnings(auth) };
    },
  };
}

type StoredOidc = ReturnType<Auth['document']['current']>['oidc'];

/** Returns the settings with the members that `change` names replaced. Throws AppError `invalid_body` or `oidc_incomplete`. */
export function changeOidc(old: StoredOidc, change: Change, publicUrl: URL | null): StoredOidc {
  const next = {
    enabled: change.enabled,
    issuer: change.issuer === undefined ? old.issuer : issuerAddress(change.issuer),
    clientId: change.clientId,
    clientSecret: change.clientSecret || old.clientSecret,
    allowedEmails: [...new Set(change.allowedEmails ?? old.allowedEmails)],
    allowedDomains: [...new Set(change.allowedDomains ?? old.allowedDomains)],
  };
  return complete(next, publicUrl);
}

/** Empty, or an address that `toIssuerUrl` takes. Throws AppError. */
function issuerAddress(text: string): string {
  if (text !== '' && toIssuerUrl(text) === null) {
    throw refuseField(
      'invalid_body',
      'issuer',
      'must be an https address without user, query or fragment',
      'not_https',
    );
  }
  return text;
}

function complete(next: StoredOidc, publicUrl: URL | null): StoredOidc {
  if (!next.enabled) {
    return next;
  }
  const people = next.allowedEmails.length + next.allowedDomains.length;
  const missing = [
    next.issuer === '' && createStatement('oidc_issuer_missing', 'issuer'),
    next.clientId === '' && createStatement('oidc_client_id_missing', 'clientId'),
    next.clientSecret === '' && createStatement('oidc_client_secret_missing', 'clientSecret'),
    people === 0 && createStatement('oidc_people_missing', 'at least one of allowedEmails and allowedDomains'),
    publicUrl === null && createStatement('public_url_missing', 'the address of the hub in MONITOR_PUBLIC_URL'),
  ].filter((one) => one !== false);
  if (missing.length > 0) {
    const names = missing.map(({ sentence }) => sentence).join(', ');
    throw createRefusal('oidc_incomplete', `enabled needs ${names}`, missing.flatMap(toFacts));
  }
  return next;
}

/** Whether someone who could log in before may not be able to now: nobody's e-mail is stored to ask again. */
export function isNarrower(old: OidcSettings, next: OidcSettings): boolean {
  const lost = (before: readonly string[], after: readonly string[]) => before.some((one) => !after.includes(one));
  return (
    old.enabled &&
    (!next.enabled ||
      old.issuer !== next.issuer ||
      old.clientId !== next.clientId ||
      lost(old.allowedEmails, next.allowedEmails) ||
      lost(old.allowedDomains, next.allowedDomains))
  );
}

function describeWarnings({ document, publicUrl, trustedProxyConfigured }: Auth) {
  const { enabled } = document.current().oidc;
  return toWarnings([
    enabled && publicUrl === null
      ? createStatement('public_url_missing', 'OIDC login is off: set MONITOR_PUBLIC_URL to the address of this hub')
      : null,
    publicUrl?.protocol === 'https:' && !trustedProxyConfigured
      ? createStatement(
          'proxy_not_named',
          'MONITOR_PUBLIC_URL is https: name the TLS proxy in MONITOR_TRUST_PROXY, or all clients look like one',
        )
      : null,
  ]);
}
