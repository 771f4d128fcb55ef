// MCP specification: the publication gate.
import { type Requirement, stated } from './requirement.ts';

const running = [
  ...stated(2, '3, 5 Gate', {
    'gate.run.failure-exit': 'a failing run exits non-zero',
  }),
  ...stated(2, '5 Gate', {
    'gate.report.no-secrets': 'the report holds no secrets',
    'gate.report.private': 'the report has permissions 0600',
    'gate.run.inputs': 'the gate reads a private gate environment file and an evidence JSON file',
    'gate.run.staged': 'it runs against a load balancer or proxy that DNS does not publish',
    'gate.run.connect-address': 'MCP_GATE_CONNECT_ADDRESS pins the staged target',
    'gate.run.canonical-name': 'the canonical hostname stays in TLS SNI and the Host header',
    'gate.run.profile': 'MCP_GATE_OAUTH_COMPATIBILITY_PROFILE selects the profile',
    'gate.run.revoked-token': 'MCP_GATE_REVOKED_EXPIRED_TOKEN is checked after the access-token lifetime has passed',
    'gate.report.content': 'the report has commit, timestamp, hostname, router count and pass/fail categories',
  }),
  ...stated(2, '3', {
    'gate.run.blocks-dns': 'a failing run blocks DNS publication',
    'gate.run.ready-state': 'a passing run writes ready_for_manual_dns_review',
  }),
  ...stated(2, '5 Gate', {
    'gate.run.changes-nothing':
      'it changes no DNS, certificate, load balancer, security group, identity-provider or service configuration',
    'gate.run.no-publication-before': 'the OAuth endpoint is not published before the gate passes',
    'gate.run.rollback':
      'after a failed post-publication check: aliases removed, route disabled, last verified release restored',
  }),
];

const evidence = [
  ...stated(2, '5 Gate, 9', {
    'gate.evidence.schema-v3': 'evidence has schema v3',
  }),
  ...stated(2, '5 Gate, 8', {
    'gate.evidence.30-days': 'evidence is at most 30 days old',
    'gate.evidence.token-lifetime': 'the access-token lifetime is at most 15 minutes',
  }),
  ...stated(2, '5 Gate', {
    'gate.evidence.older-template': 'an older template with a new number only is refused',
    'gate.evidence.successful': 'every evidence item must be successful',
    'gate.evidence.commit': 'every evidence item names the exact deployed 40-character commit',
    'gate.evidence.health': 'health and readiness checks and router collection are healthy',
    'gate.evidence.reject-replay': 'reject-replay: the replay fails and the current family stays usable',
    'gate.evidence.revoke-family': 'revoke-family: the current family fails after replay detection',
    'gate.evidence.era-2025': 'client runs of era 2025-11-25',
    'gate.evidence.era-2026': 'client runs of era 2026-07-28',
    'gate.evidence.loopback-marker': 'unsupported-random-loopback-port marks a client release without a fixed callback',
    'gate.evidence.restore': 'a database restore entry is required, not under cloud_idp',
    'gate.evidence.jwks-cold': 'the JWKS outage test uses a cold process',
    'gate.idp.block-matches': 'under cloud_idp the idpCompatibility block matches issuer and resource',
    'gate.idp.pkce': 'it records PKCE S256',
    'gate.idp.resource': 'it records resource in authorization and token requests',
    'gate.idp.audience': 'it records access-token and refreshed audience',
    'gate.idp.callback': 'it records the exact callback for compatible clients',
    'gate.idp.old-refresh': 'it records rejection of the old refresh token and of tokens after revocation',
    'gate.idp.three-clients': 'it records the tested versions of three client kinds',
    'gate.idp.callback-limitation': 'a callback limitation is explicit and claims no compatibility',
  }),
  ...stated(2, '5', {
    'gate.idp.evidence-first':
      'cloud_idp needs evidence of PKCE S256, resource, callback, rotation and revocation per client version',
  }),
];

const probes = stated(2, '5 Gate', {
  'gate.probe.challenges': 'the gate probes 401 challenges',
  'gate.probe.eras': 'the gate probes initialize and server/discover',
  'gate.probe.error-32020': 'the gate probes error code -32020',
  'gate.probe.error-32022': 'the gate probes the unsupported-version error -32022',
  'gate.probe.read-token-403': 'the gate probes 403 for a read token that calls set_device_note',
  'gate.probe.write-visible': 'the gate probes that a write-scoped token sees set_device_note',
  'gate.probe.burst': 'the gate probes 429 with Retry-After after the staging burst',
  'gate.probe.burst-fills': 'the rate probe fills the global one-minute bucket and never runs on a live endpoint',
});

export const mcpGate: readonly Requirement[] = [...running, ...evidence, ...probes];
