// Endpoint Agents: enrolment, inventory, credential, delivery. Rules:
// docs/reference/wire-contract/4-endpoints.md#42-agents, docs/reference/wire-contract/5-behaviours.md#51-enrolment.
import { z } from 'zod';
import { get, post } from '#kernel/http/declare-route.ts';
import type { RouteTable } from '#kernel/http/route.ts';
import { type Access, agentOnly, agentOrReplaced, can, open } from './access.ts';
import {
  agentAck,
  agentBatch,
  agentCapabilities,
  agentFacts,
  agentPlatforms,
  geoDocument,
  requireSupportedSchema,
  threatDocument,
} from './agent-ingest.ts';
import { reconciliation, reconciliationQuery } from './agent-reconciliation.ts';
import { limits } from './limits.ts';

/** Checks between the credential and the body; the hub has one function for each. */
export type AgentGuard = 'agent-transport' | 'agent-claims' | 'agent-ingest';

export const agent = z.object({
  agentId: z.string(),
  platform: z.enum(agentPlatforms),
  hostName: z.string(),
  osVersion: z.string(),
  agentVersion: z.string(),
  createdAt: z.int(),
  updatedAt: z.int(),
  lastSeenAt: z.int().nullable().describe('Noted at most once a minute; null before its first request'),
  revokedAt: z.int().nullable(),
});
export type Agent = z.output<typeof agent>;

/** A request that waits for a decision. What it says of the machine is claimed, not verified. */
export const pendingRequest = z.object({
  requestId: z.string(),
  platform: z.enum(agentPlatforms),
  hostName: z.string(),
  osVersion: z.string(),
  agentVersion: z.string(),
  createdAt: z.int(),
  expiresAt: z.int(),
  duplicateHostName: z.boolean().describe('An active Agent has this host name already'),
  sameAddress: z.boolean().describe('Whether it came from the address of whoever asks now'),
});
export type PendingRequest = z.output<typeof pendingRequest>;

export const transportRisks = [
  'agent.transport.risk.observations',
  'agent.transport.risk.token',
  'agent.transport.risk.injection',
] as const;

/** How Agents reach this hub, as the caller does; `risks` names what plain HTTP would expose. */
export const agentTransport = z.object({
  transport: z.enum(['https', 'http']),
  secure: z.boolean(),
  consentRequired: z.boolean(),
  accepted: z.boolean(),
  risks: z.array(z.enum(transportRisks)),
});

export const ingestMetrics = z.object({
  requests: z.int(),
  accepted: z.int(),
  duplicate: z.int(),
  rejected: z.int(),
  failures: z.int(),
  rateLimited: z.int(),
  maxInFlight: z.int(),
  inFlight: z.int(),
  lastDurationMs: z.number().nullable(),
  eventLoopDelayMs: z
    .object({ p50: z.number(), p95: z.number(), max: z.number() })
    .describe('Since the start of the hub'),
  limits: z.object({ requestsPerMinutePerAgent: z.int(), maxConcurrent: z.int() }),
});

const requestId = z.object({
  requestId: z.uuid().describe('Id of the request, as GET /api/agents/enrollment-requests lists it'),
});
const agentId = z.object({ agentId: z.uuid().describe('Id of the Agent, as GET /api/agents lists it') });
const success = { 200: z.object({ success: z.literal(true) }) };
const transport = ['agent-transport'] as const satisfies readonly AgentGuard[];

export const agentRoutes = {
  createCode: post('/api/agents/enrollment-tokens', can('auth.admin'), {
    audit: 'handler',
    summary: 'Make an enrolment code; it is shown once and valid for ten minutes',
    refusals: ['enrollment_code_limit'],
    body: z.object({}),
    reply: { 201: z.object({ code: z.string(), expiresAt: z.int() }) },
  }),
  enroll: post('/api/agent/enrollment-requests', open, {
    guards: transport,
    summary: 'Apply with an enrolment code; somebody has to approve',
    refusals: ['enrollment_code_refused', 'enrollment_throttled', 'enrollment_requests_full'],
    body: z.object({
      code: z
        .string()
        .trim()
        .regex(/^[0-9A-Za-z]{6}$/, 'must be six letters and digits'),
      agent: agentFacts.describe('What the machine says of itself: claims, which somebody has to check'),
    }),
    reply: {
      202: z.object({
        requestId: z.string(),
        claimSecret: z.string(),
        expiresAt: z.int(),
        status: z.literal('pending'),
      }),
    },
  }),
  claim: post('/api/agent/enrollment-requests/claim', open, {
    guards: ['agent-transport', 'agent-claims'],
    summary: 'Ask what became of a request, and get the bearer once after its approval',
    refusals: ['not_found', 'enrollment_throttled'],
    body: z.object({
      requestId: z.uuid(),
      claimSecret: z.string().regex(/^svcc_[0-9a-f]{64}$/, 'must be svcc_ and 64 hexadecimal digits'),
    }),
    reply: {
      200: z.object({ status: z.enum(['pending', 'collected', 'rejected', 'expired']) }),
      201: z.object({ status: z.literal('approved'), token: z.string(), agentId: z.string() }),
    },
  }),
  transport: get('/api/agents/transport', can('auth.admin'), {
    summary: 'Whether the traffic of Agents is encrypted, and what plain HTTP would expose',
    reply: { 200: agentTransport },
  }),
  saveTransport: post('/api/agents/transport', can('auth.admin'), {
    audit: 'handler',
    summary: 'Accept that Agents send over plain HTTP, or stop accepting it',
    body: z.object({ allowPlaintext: z.boolean() }),
    reply: { 200: agentTransport },
  }),
  requests: get('/api/agents/enrollment-requests', can('auth.admin'), {
    summary: 'Requests that wait for a decision, newest first',
    reply: { 200: z.object({ requests: z.array(pendingRequest) }) },
  }),
  approve: post('/api/agents/enrollment-requests/:requestId/approve', can('auth.admin'), {
    audit: 'handler',
    summary: 'Approve a request; replaceExisting revokes active Agents of the same host name',
    refusals: ['not_found'],
    params: requestId,
    body: z.object({ replaceExisting: z.boolean().optional() }),
    reply: { 200: z.object({ agent }) },
  }),
  reject: post('/api/agents/enrollment-requests/:requestId/reject', can('auth.admin'), {
    audit: 'handler',
    summary: 'Reject a request',
    refusals: ['not_found'],
    params: requestId,
    body: z.object({}),
    reply: { 200: z.object({ rejected: z.literal(true) }) },
  }),
  list: get('/api/agents', can('auth.admin'), {
    summary: 'Agents, newest first, revoked ones included',
    reply: { 200: z.object({ agents: z.array(agent) }) },
  }),
  ingestMetrics: get('/api/agents/ingest-metrics', can('auth.admin'), {
    summary: 'Counters and limits of what Agents deliver',
    reply: { 200: ingestMetrics },
  }),
  revoke: post('/api/agents/:agentId/revoke', can('auth.admin'), {
    audit: 'handler',
    summary: 'Revoke an Agent for good',
    refusals: ['not_found'],
    params: agentId,
    body: z.object({}),
    reply: success,
  }),
  reconciliation: get('/api/agents/:agentId/reconciliation', can('auth.admin'), {
    summary: 'Where routers and an Agent saw different connections of its machine, each with the likely reason',
    refusals: ['not_found', 'range_too_long'],
    params: agentId,
    query: reconciliationQuery,
    reply: { 200: reconciliation },
  }),
  rotate: post('/api/agent/token/rotate', agentOrReplaced, {
    guards: transport,
    audit: 'handler',
    summary: 'Replace the bearer; the old one ends when the new one is used',
    body: z.object({}),
    reply: { 200: z.object({ token: z.string() }) },
  }),
  revokeSelf: post('/api/agent/registration/revoke', agentOnly, {
    guards: transport,
    audit: 'handler',
    summary: 'Revoke the calling Agent',
    refusals: ['agent_revoked'],
    body: z.object({}),
    reply: success,
  }),
  ingest: post('/api/agent/ingest', agentOnly, {
    guards: ['agent-transport', 'agent-ingest'],
    allowance: 'ingest',
    audit: 'handler',
    summary: `Deliver a batch of at most ${limits.agentBatchObservations} observations; stored whole or not at all`,
    refusals: ['unsupported_schema_version', 'observation_window', 'agent_rate_limited', 'agent_ingest_busy'],
    body: agentBatch,
    precheck: requireSupportedSchema,
    bodyLimit: limits.agentBatchBytes,
    reply: { 200: agentAck },
  }),
  capabilities: get('/api/agent/capabilities', agentOnly, {
    guards: transport,
    summary: 'Which forms of a batch this hub accepts, and how much at once',
    reply: { 200: agentCapabilities },
  }),
  geoCache: get('/api/agent/geo-cache', agentOnly, {
    guards: transport,
    summary: 'Every place of a destination that is known; If-None-Match is answered with 304',
    reply: { 200: geoDocument, 304: z.null() },
  }),
  threatIntel: get('/api/agent/threat-intel', agentOnly, {
    guards: transport,
    summary: 'Every threat indicator; If-None-Match is answered with 304',
    reply: { 200: threatDocument, 304: z.null() },
  }),
} as const satisfies RouteTable<Access>;
