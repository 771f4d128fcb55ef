// MCP specification: transports, profiles, eras, settings and the calls to the monitoring service.
import { type Requirement, stated } from './requirement.ts';

const transports = [
  ...stated(2, '1', {
    'mcp.transport.no-sticky': 'no sticky session is needed',
    'mcp.profile.four': 'profiles are local-stdio, private-http, private-oauth and public-oauth',
    'mcp.profile.mismatch': 'a transport and authentication mismatch makes the endpoint fail before it starts',
    'mcp.transport.stdio': 'stdio is a local process started by the client',
    'mcp.transport.http': 'HTTP is MCP streamable HTTP on a local port at /mcp, behind a reverse proxy',
  }),
  ...stated(2, '1, 2 Environment', {
    'mcp.profile.inferred': 'without MONITOR_DEPLOYMENT_PROFILE the profile is inferred',
  }),
];

const environment = [
  ...stated(2, '2 Environment', {
    'mcp.env.profile': 'MONITOR_DEPLOYMENT_PROFILE is one of the four profiles',
    'mcp.env.url': 'MONITOR_URL defaults to http://localhost:3000',
    'mcp.env.url-sub-path': 'MONITOR_URL may include a reverse-proxy sub-path',
    'mcp.env.port': 'MCP_PORT is the local port, omitted for stdio',
    'mcp.env.bind-address': 'MCP_BIND_ADDRESS defaults to 127.0.0.1 and is a literal IPv4 or IPv6 address',
    'mcp.env.bind-hostname': 'a hostname in MCP_BIND_ADDRESS is rejected',
    'mcp.env.non-loopback': 'a non-loopback bind needs MCP_ALLOW_NON_LOOPBACK exactly true and an explicit profile',
    'mcp.env.auth-mode': 'MCP_AUTH_MODE is token or oauth, default token',
    'mcp.env.mcp-token': 'MCP_TOKEN must be set explicitly in token mode and differ from MONITOR_TOKEN',
    'mcp.env.issuer': 'MCP_OAUTH_ISSUER is an exact HTTPS issuer URL, loopback HTTP only for testing',
    'mcp.env.compatibility': 'MCP_OAUTH_COMPATIBILITY_PROFILE is strict or cloud_idp, default strict',
    'mcp.env.resource': 'MCP_OAUTH_RESOURCE is the canonical public resource URL for exact audience validation',
    'mcp.env.read-scope': 'MCP_OAUTH_READ_SCOPE maps a provider scope to network.read',
    'mcp.env.write-scope': 'MCP_OAUTH_NOTES_WRITE_SCOPE maps a provider scope to notes.write',
    'mcp.env.service-token': 'MCP_SERVICE_TOKEN is a svc_ token with exactly network.read and notes.write',
    'mcp.env.hmac-key': 'MCP_AUDIT_HMAC_KEY is a stable secret of at least 32 characters',
    'mcp.env.audit-path': 'MCP_AUDIT_DB_PATH defaults to .monitor-mcp-audit.db',
    'mcp.env.token': 'MONITOR_TOKEN is the API token for stdio and for creating the HTTP service identity',
    'mcp.env.hmac-key-use': 'MCP_AUDIT_HMAC_KEY is used only to pseudonymise audit subjects and clients',
    'mcp.env.file-0600': 'HTTP settings live in a private environment file with permissions 0600',
    'mcp.env.token-printed': 'the API and admin token is printed in the console at first start',
    'mcp.env.monitor-trust-proxy': 'MONITOR_TRUST_PROXY names proxies whose X-Forwarded-For the service trusts',
  }),
];

const surface = [
  ...stated(2, '4', {
    'mcp.http.accept-both': 'Accept must contain both application/json and text/event-stream',
    'mcp.http.credential-headers': 'the client credential comes in X-Admin-Token or Authorization: Bearer',
    'mcp.hub-calls.service-token': 'the service identity token is sent in X-Admin-Token',
    'mcp.hub-calls.request-id': 'the MCP request id is forwarded as X-Request-Id',
    'mcp.hub-calls.no-admin-token': 'in HTTP mode the browser or admin token is never used for runtime calls',
    'mcp.client.http': 'HTTP clients give a url ending in /mcp and X-Admin-Token with the dedicated token',
    'mcp.http.local-listener': 'the local listener is 127.0.0.1:<MCP_PORT>/mcp',
    'mcp.http.metadata-path': '/.well-known/oauth-protected-resource is served in OAuth mode only',
    'mcp.http.metadata-resource-path': 'the metadata is served at the root path and at the resource-specific path',
    'mcp.hub-calls.create-identity':
      'the identity is created by POST /api/auth/api-identities with label, network.read, notes.write, expiresInMs',
    'mcp.client.stdio': 'stdio clients start a command with MONITOR_URL and MONITOR_TOKEN in the environment',
  }),
  ...stated(2, '4', {
    'mcp.proxy.rule-precedes': 'the MCP path rule precedes the general web-UI rule',
    'mcp.proxy.forwards': 'the proxy forwards to the local /mcp',
    'mcp.proxy.accept': 'the proxy sets Accept to both content types',
    'mcp.proxy.streaming': 'the proxy disables buffering and caching and flushes packets',
    'mcp.proxy.read-timeout': 'the proxy has a read timeout of 3600 seconds',
    'mcp.proxy.headers': 'the proxy may pass X-Real-IP and X-Forwarded-Proto',
    'mcp.proxy.metadata': 'the OAuth metadata path is forwarded unchanged',
  }),
];

const eras = [
  ...stated(2, '4, 9', {
    'mcp.era.initialize': 'initialize is the legacy flow of era 2025-11-25',
    'mcp.era.discover': 'server/discover is the stateless flow of era 2026-07-28 with per-request metadata',
  }),
  ...stated(2, '9', {
    'mcp.era.sdk-v2': 'the server uses generation v2 of the server SDK',
  }),
];

const startup = stated(2, '4; document 1: 5', {
  'mcp.startup.checks-self': 'at start-up the server calls GET /api/auth/api-identities/self',
  'mcp.startup.fails-closed': 'it fails closed unless the identity has exactly network.read and notes.write',
});

export const mcpHttp: readonly Requirement[] = [...transports, ...environment, ...surface, ...eras, ...startup];
