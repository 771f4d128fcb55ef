// MCP specification: token mode, OAuth mode, scopes and revocation.
import { type Requirement, stated } from './requirement.ts';

export const mcpAuth: readonly Requirement[] = [
  ...stated(2, '5', {
    'mcp.auth.token-mode-three': 'token mode needs MCP_TOKEN, MCP_SERVICE_TOKEN and MCP_AUDIT_HMAC_KEY',
    'mcp.auth.token-mode-headers': 'MCP_TOKEN is accepted in X-Admin-Token or as a Bearer token',
    'mcp.auth.secrets-distinct': 'no two of MCP_TOKEN, MCP_SERVICE_TOKEN, MCP_AUDIT_HMAC_KEY, MONITOR_TOKEN are equal',
    'mcp.auth.no-fallback': 'token mode does not fall back to the admin token',
    'mcp.oauth.needs':
      'OAuth mode needs issuer, resource, read scope, notes-write scope, MCP_SERVICE_TOKEN and MCP_AUDIT_HMAC_KEY',
    'mcp.oauth.https': 'HTTPS is required except for loopback-only testing',
    'mcp.oauth.svc-only': 'service calls use only a svc_ identity, never MONITOR_TOKEN',
    'mcp.oauth.strict': 'profile strict, the default, keeps the PKCE metadata check',
    'mcp.oauth.cloud-idp-issuer': 'cloud_idp works only for the exact regional user-pool issuer of one provider',
    'mcp.oauth.containment': 'MCP_AUTH_MODE=token is an immediate containment',
    'mcp.auth.default-loopback': 'the default bind is loopback',
    'mcp.auth.stdio-token': 'stdio uses MONITOR_TOKEN toward the REST API',
    'mcp.auth.stdio-unaffected': 'stdio is not affected by HTTP limits or audit',
    'mcp.oauth.rfc9728': 'OAuth mode publishes RFC 9728 metadata',
    'mcp.oauth.rs256': 'RS256 JWT signatures are validated offline through discovery and JWKS',
    'mcp.oauth.issuer-mismatch': 'a wrong issuer fails closed',
    'mcp.oauth.expired': 'an expired token fails closed',
    'mcp.oauth.audience': 'the audience is exactly one, equal to MCP_OAUTH_RESOURCE, or it fails closed',
    'mcp.oauth.scope-mismatch': 'a wrong scope fails closed',
    'mcp.oauth.pkce': 'the issuer must advertise PKCE S256',
    'mcp.oauth.cloud-idp-omitted': 'cloud_idp permits an omitted code_challenge_methods_supported only',
    'mcp.oauth.cloud-idp-contradiction': 'cloud_idp does not permit contradictory metadata',
    'mcp.oauth.cloud-idp-checks': 'cloud_idp relaxes no signature, issuer, expiry, single-audience or scope check',
    'mcp.oauth.read-scope': 'MCP_OAUTH_READ_SCOPE gives network.read',
    'mcp.oauth.write-scope': 'MCP_OAUTH_NOTES_WRITE_SCOPE gives notes.write',
    'mcp.oauth.step-up': 'the write challenge names both scopes so that a step-up keeps the read scope',
    'mcp.oauth.server-down-else-runs':
      'while the issuer is down collection, web UI, stdio and private HTTP keep running',
    'mcp.oauth.cached-jwks': 'a running process may keep validating with a cached, still valid JWKS',
    'mcp.oauth.valid-until-exp': 'an issued access token stays valid until its exp',
    'mcp.oauth.new-identity': 'a new scoped identity and a restart replace a compromised one, then the old is revoked',
    'mcp.auth.hmac-kept': 'keeping MCP_AUDIT_HMAC_KEY keeps the pseudonyms when the identity rotates',
    'mcp.auth.hmac-namespace': 'changing MCP_AUDIT_HMAC_KEY starts a new pseudonym namespace',
  }),
  ...stated(2, '5, 7', {
    'mcp.auth.401': 'a missing or invalid credential gets a 401 challenge',
    'mcp.oauth.server-down': 'an unreachable authorization server or JWKS fails closed with 401',
    'mcp.oauth.insufficient-scope': 'a read-only token that calls set_device_note gets 403 insufficient_scope',
  }),
];
