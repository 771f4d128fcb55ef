// REST specification: endpoint Agents, from enrolment to ingest.
import { type Requirement, stated } from './requirement.ts';

const enrolment = [
  ...stated(1, '2 Agent and enrolment, 8', {
    'rest.enrolment.code-six': 'an enrolment code has six alphanumeric characters',
    'rest.enrolment.code-10-minutes': 'an enrolment code is valid for 10 minutes',
  }),
  ...stated(1, '2 Agent and enrolment, 3, 5', {
    'rest.enrolment.code-shown-once': 'an enrolment code is shown once',
  }),
  ...stated(1, '3, 4 Agents', {
    'rest.enrolment.code-issue-admin': 'POST /api/agents/enrollment-tokens needs auth.admin and issues the code',
  }),
  ...stated(1, '3, 8', {
    'rest.enrolment.code-burned': '5 failed attempts burn the code',
    'rest.enrolment.request-expires': 'a pending request expires after 10 minutes',
  }),
  ...stated(1, '2 Agent and enrolment, 3, 4 Agents', {
    'rest.enrolment.request-pending': 'POST /api/agent/enrollment-requests with a valid code makes a pending request',
    'rest.enrolment.request-claim-secret': 'an enrolment request returns a claim secret and never a token',
  }),
  ...stated(1, '3, 4 Agents', {
    'rest.enrolment.approve': 'approve needs auth.admin, makes the request approved and mints the token',
    'rest.enrolment.reject': 'reject needs auth.admin and makes the request rejected',
    'rest.enrolment.claim': 'claim with the claim secret after approval makes the credential active',
    'rest.enrolment.bearer-once': 'claim returns the bearer exactly once',
  }),
  ...stated(1, '4 Agents, 5', {
    'rest.enrolment.request-public': 'the enrolment request is Public, protected by the code in its body',
    'rest.enrolment.claim-public': 'the claim is Public, protected by the claim secret',
  }),
  ...stated(1, '4 Agents', {
    'rest.enrolment.list-pending': 'GET /api/agents/enrollment-requests is admin and lists pending requests',
  }),
];

const credential = [
  ...stated(1, '2 Agent and enrolment', {
    'rest.agents.peppered-hash': 'the hub stores only a peppered hash of the bearer',
    'rest.agents.credential-store': 'the Agent stores its bearer in the credential store of its operating system',
  }),
  ...stated(1, '2 Agent and enrolment, 5', {
    'rest.agents.bearer-prefix': 'the Agent bearer has the prefix svca_',
    'rest.agents.bearer-ingest-only': 'the Agent bearer carries only agent.ingest',
  }),
  ...stated(1, '5', {
    'rest.agents.bearer-not-elsewhere': 'the bearer cannot authenticate browser, admin or MCP routes',
    'rest.agents.bearer-routes': 'the bearer is accepted by rotation, ingest, registration revoke and the read routes',
    'rest.agents.http-loopback-only': 'HTTP is accepted only on a loopback development listener',
  }),
  ...stated(1, '3, 4 Agents', {
    'rest.agents.rotate': 'POST /api/agent/token/rotate with the bearer keeps the credential active, rotated',
    'rest.agents.self-revoke': 'POST /api/agent/registration/revoke revokes only the authenticated Agent',
  }),
  ...stated(1, '3, 4 Agents, 5', {
    'rest.agents.admin-revoke': 'POST /api/agents/:agentId/revoke needs auth.admin and revokes the credential',
  }),
];

const inventory = [
  ...stated(1, '4 Agents', {
    'rest.agents.transport-read': 'GET /api/agents/transport is admin and reports whether Agent traffic is encrypted',
    'rest.agents.transport-exposure': 'the transport report says what plaintext would expose',
    'rest.agents.transport-accept': "POST /api/agents/transport is admin and records the operator's acceptance",
    'rest.agents.list-no-hashes': 'the Agent inventory never holds credential hashes',
    'rest.agents.metrics-aggregate': 'ingest metrics are aggregate counters and limits only',
  }),
  ...stated(1, '4 Agents, 5', {
    'rest.agents.list-admin': 'GET /api/agents needs auth.admin',
    'rest.agents.metrics-admin': 'GET /api/agents/ingest-metrics needs auth.admin',
  }),
];

const delivery = [
  ...stated(1, '4 Agents, 8', {
    'rest.ingest.200-observations': 'a batch has at most 200 observations',
    'rest.ingest.512-kib': 'a batch has at most 512 KiB of uncompressed JSON',
  }),
  ...stated(1, '4 Agents', {
    'rest.ingest.transactional': 'one batch is stored transactionally',
    'rest.ingest.idempotent': 'a retry of the same Agent and batch id returns the original ACK',
    'rest.ingest.bearer': 'POST /api/agent/ingest needs the Agent bearer',
    'rest.agents.geo-cache': 'GET /api/agent/geo-cache returns the whole location cache, no destinations are sent',
    'rest.agents.geo-cache-etag': 'geo-cache supports ETag and 304',
    'rest.agents.threat-intel': 'GET /api/agent/threat-intel returns every threat indicator, no destinations are sent',
    'rest.agents.threat-intel-etag': 'threat-intel supports ETag and 304',
    'rest.agents.threat-intel-unavailable':
      'without feeds threat-intel answers available: false, which is not read as no threats',
  }),
  ...stated(1, '4 Agents, 9', {
    'rest.agents.capabilities': 'GET /api/agent/capabilities returns accepted schema versions and batch limits',
  }),
  ...stated(1, '9', {
    'rest.agents.picks-version': 'an Agent can pick a schema version both sides speak',
  }),
  ...stated(1, '5, 8', {
    'rest.ingest.30-per-minute': 'one Agent may send 30 requests per minute',
  }),
  ...stated(1, '8', {
    'rest.ingest.4-concurrent': '4 ingests run at once, hub-wide',
  }),
];

export const restAgents: readonly Requirement[] = [...enrolment, ...credential, ...inventory, ...delivery];
