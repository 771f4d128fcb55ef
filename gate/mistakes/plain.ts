// The plainest mistakes: those of checks that no other file is about.
import type { Mistake } from './mistake.ts';

export const plainMistakes: readonly Mistake[] = [
  {
    id: 'evidence.provider-run-failed',
    sentence: 'the experiments with the cloud provider did not pass, and their item is in the evidence',
    red: ['evidence.idpCompatibility'],
  },
  {
    id: 'evidence.clients-of-one-era',
    sentence: 'no client ran in era 2026-07-28',
    red: ['evidence.protocolEras'],
  },
  {
    id: 'issuer.names-itself-otherwise',
    sentence: 'the discovery document names another issuer than the one it is found under',
    red: ['issuer.metadata'],
  },
  {
    id: 'issuer.long-lived-tokens',
    sentence: 'access tokens live 20 minutes',
    red: ['tokens.lifetime'],
  },
  {
    id: 'endpoint.older-initialize',
    sentence: 'initialize is answered with a revision of before 2025-11-25',
    red: ['era.legacy'],
  },
  {
    id: 'endpoint.malformed-accepted',
    sentence: 'a token that is no JWT is let in',
    red: ['token.malformed'],
  },
  {
    id: 'endpoint.write-tool-renamed',
    sentence: 'the write tool is listed under another name to a token with both scopes',
    red: ['scope.write-visible'],
  },
  {
    id: 'operator.hub-not-alive',
    sentence: 'the hub does not answer at /healthz',
    red: ['hub.health'],
  },
  {
    id: 'operator.hub-not-ready',
    sentence: 'the hub is alive and not ready',
    red: ['hub.ready'],
  },
  {
    id: 'operator.hub-routers-unreadable',
    sentence: 'the hub does not say how its routers are',
    red: ['hub.routers'],
  },
  {
    id: 'operator.no-audit-store',
    sentence: 'MCP_GATE_AUDIT_DB_PATH names a file that is no database',
    red: ['audit.integrity'],
  },
];
