// The protected resource metadata (RFC 9728), its paths, and the challenges that refer to it.
import { mcpPath } from '../settings.ts';
import type { OAuthSettings } from './settings.ts';

const wellKnown = '/.well-known/oauth-protected-resource';

/** Path → document, the same one at the root, at the local path and at the path of the resource (RFC 9728 §3.1). */
export function resourceDocuments(settings: OAuthSettings): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const { resource, issuer, readScope, writeScope } = settings;
  const document = {
    resource,
    authorization_servers: [issuer],
    scopes_supported: [readScope, writeScope],
    bearer_methods_supported: ['header'],
  };
  const paths = ['', mcpPath, resourcePath(resource)];
  return new Map(paths.map((path) => [wellKnown + path, document]));
}

/** Values of `WWW-Authenticate` (RFC 6750 §3, RFC 9728 §5.1). */
export function createChallenges({ resource, readScope, writeScope }: OAuthSettings) {
  const metadata = `resource_metadata="${new URL(resource).origin}${wellKnown}${resourcePath(resource)}"`;
  const challenge = (scope: string, error?: string) =>
    `Bearer ${error === undefined ? '' : `error="${error}", `}scope="${scope}", ${metadata}`;
  return {
    /** Without a credential. */
    missing: challenge(readScope),
    invalid: challenge(readScope, 'invalid_token'),
    read: challenge(readScope, 'insufficient_scope'),
    /** Names both scopes, so that a client that steps up retains the read scope. */
    write: challenge(`${readScope} ${writeScope}`, 'insufficient_scope'),
  };
}

function resourcePath(resource: string): string {
  const { pathname } = new URL(resource);
  return pathname === '/' ? '' : pathname.replace(/\/$/, '');
}
