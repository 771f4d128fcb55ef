// The OAuth settings of resource and issuer, validated before the start
// (docs/reference/mcp-server.md#5-authentication). Pure.
import { isLoopbackHost } from '#kernel/net/address.ts';
import type { McpEnv } from '../config.ts';

/** `cloud_idp` accepts metadata without PKCE methods; it relaxes nothing else. */
export type CompatibilityProfile = McpEnv['MCP_OAUTH_COMPATIBILITY_PROFILE'];

export interface OAuthSettings {
  /** Exactly as tokens must name it. */
  issuer: string;
  compatibility: CompatibilityProfile;
  /** Exactly as the audience of tokens must be. */
  resource: string;
  readScope: string;
  writeScope: string;
}

/** Throws an Error that names the variable and the fault. */
export function parseOAuth(env: McpEnv): OAuthSettings {
  const issuer = address('MCP_OAUTH_ISSUER', env.MCP_OAUTH_ISSUER);
  const compatibility = env.MCP_OAUTH_COMPATIBILITY_PROFILE;
  if (compatibility === 'cloud_idp' && !isUserPool(issuer)) {
    throw new Error(
      'MCP_OAUTH_COMPATIBILITY_PROFILE: cloud_idp is for the regional user-pool issuer of one cloud provider only; ' +
        'for any other issuer leave it at strict',
    );
  }
  const resource = address('MCP_OAUTH_RESOURCE', env.MCP_OAUTH_RESOURCE);
  const readScope = scope('MCP_OAUTH_READ_SCOPE', env.MCP_OAUTH_READ_SCOPE);
  const writeScope = scope('MCP_OAUTH_NOTES_WRITE_SCOPE', env.MCP_OAUTH_NOTES_WRITE_SCOPE);
  if (readScope === writeScope) {
    throw new Error('MCP_OAUTH_NOTES_WRITE_SCOPE: must differ from MCP_OAUTH_READ_SCOPE');
  }
  return { issuer, compatibility, resource, readScope, writeScope };
}

/** Region of the host and region of the pool must be the same one. */
export function isUserPool(issuer: string): boolean {
  return /^https:\/\/cognito-idp\.([a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com\/\1_[A-Za-z0-9]{1,55}$/.test(issuer);
}

function address(name: string, text: string | undefined): string {
  if (text === undefined) {
    throw new Error(`${name}: is not set; OAuth mode needs it`);
  }
  const url = URL.parse(text);
  if (!url || url.username || url.password || /[?#\s]/.test(text)) {
    throw new Error(`${name}: must be an https address without user, query or fragment`);
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(url.hostname))) {
    throw new Error(`${name}: must be https; http is for tests on loopback only`);
  }
  return text;
}

/** RFC 6749 §3.3 scope-token: it is quoted into a header. */
function scope(name: string, text: string | undefined): string {
  if (text === undefined) {
    throw new Error(`${name}: is not set; OAuth mode needs it`);
  }
  if (!/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(text)) {
    throw new Error(`${name}: must be one scope: printable ASCII without space, quote and backslash`);
  }
  return text;
}
