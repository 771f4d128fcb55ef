// Answers of the Agent routes: the administrator's side, and what Agents call with their bearer.
import { supportedSchemaVersions } from '#contract/agent-ingest.ts';
import { limits } from '#contract/limits.ts';
import { AppError, refuseField } from '#kernel/errors.ts';
import { type Clock, stopwatch } from '#kernel/time/clock.ts';
import { dayMs } from '#kernel/time/time.ts';
import type { AuditEntry, AuditTrail } from '../../base/auth/audit.ts';
import type { AgentPrincipal, Principal } from '../../base/auth/principal.ts';
import type { HubHandlers } from '../../base/feature.ts';
import type { ReaderPool } from '../../base/readers/pool.ts';
import type { Admission } from './admission.ts';
import type { Documents } from './documents.ts';
import { type EnrolmentHandlersOptions, enrolmentHandlers } from './enrolment-handlers.ts';
import type { Ingest } from './ingest.ts';
import type { Pipeline } from './pipeline.ts';
import type { AgentQueries } from './queries.ts';

export interface AgentHandlersOptions extends EnrolmentHandlersOptions {
  clock: Clock;
  ingest: Ingest;
  reads: Pick<ReaderPool<AgentQueries>, 'ask'>;
  admission: Admission;
  pipeline: Pick<Pipeline, 'wake'>;
  documents: Documents;
  pollMs: number;
  correlationMs: number;
}

export function agentHandlers(options: AgentHandlersOptions): HubHandlers['agents'] {
  const { clock, registry, ingest, auth, reads, admission, pipeline, documents } = options;
  const { audit, toActor } = auth;
  return {
    ...enrolmentHandlers(options),
    list: () => ({ agents: registry.list() }),
    ingestMetrics: () => admission.metrics(),
    async revoke({ params, principal, request }) {
      const isRevoked = await registry.revoke(params.agentId.toLowerCase());
      const metadata = { agent: params.agentId };
      const outcome = isRevoked ? 'success' : 'failure';
      await audit.record({ type: 'agent_revoked', outcome, request, by: toActor(principal), metadata });
      if (!isRevoked) {
        throw new AppError('not_found', 'there is no active Agent with this id; GET /api/agents lists them');
      }
      return { success: true };
    },
    reconciliation({ params, query, signal }) {
      const found = registry.byId(params.agentId);
      if (!found) {
        throw new AppError('not_found', 'there is no Agent with this id; GET /api/agents lists them');
      }
      const now = clock.now();
      const to = query.to ?? now;
      const from = query.from ?? to - dayMs;
      if (from > to) {
        throw refuseField('invalid_query', 'to', 'is before from', 'before_start');
      }
      if (to - from > limits.reconciliationRangeMs) {
        throw new AppError(
          'range_too_long',
          'from and to must lie at most seven days apart: what Agents deliver is stored that long',
        );
      }
      const { id: agent, agentId } = found;
      const { limit = limits.reconciliationRowsDefault } = query;
      const { pollMs, correlationMs: windowMs } = options;
      return reads.ask('reconciliation', { agent, agentId, from, to, limit, pollMs, windowMs, now }, signal);
    },
    async rotate({ principal, request }) {
      const caller = requireAgent(principal);
      const token = await registry.rotate(caller);
      const outcome = token === null ? 'failure' : 'success';
      await audit.record({ type: 'agent_token_rotated', outcome, request, by: toActor(principal) });
      if (token === null) {
        throw new AppError('unauthorized', 'another rotation of this bearer came first, or the Agent was revoked');
      }
      return { token };
    },
    async revokeSelf({ principal, request }) {
      const { agentId } = requireAgent(principal).agent;
      const isRevoked = await registry.revoke(agentId);
      const outcome = isRevoked ? 'success' : 'failure';
      await audit.record({ type: 'agent_self_revoked', outcome, request, by: toActor(principal) });
      if (!isRevoked) {
        throw new AppError('agent_revoked', 'this Agent was revoked already');
      }
      return { success: true };
    },
    async ingest({ body, principal, request, requestId }) {
      const { agent } = requireAgent(principal);
      const took = stopwatch();
      try {
        const stored = await ingest.store(agent, body);
        admission.stored(stored, took());
        pipeline.wake();
        const { accepted, duplicate, receivedAt, replayed, differs } = stored;
        if (differs) {
          noteIngest(audit, { request, by: toActor(principal), reason: 'batch_body_mismatch', batch: body.batchId });
        }
        return { batchId: body.batchId, accepted, duplicate, rejected: 0, receivedAt, replayed, requestId };
      } catch (error) {
        const isRefused = error instanceof AppError && error.status < 500;
        if (isRefused) {
          admission.refused();
          noteIngest(audit, { request, by: toActor(principal), reason: error.code, batch: body.batchId });
        } else {
          admission.failed();
        }
        throw error;
      }
    },
    capabilities: () => ({
      schemaVersions: [...supportedSchemaVersions],
      maxObservationsPerBatch: limits.agentBatchObservations,
      maxBodyBytes: limits.agentBatchBytes,
      requestsPerMinute: admission.requestsPerMinute,
      compression: [],
    }),
    geoCache: ({ request, signal }) => documents.geo(request.headers['if-none-match'], signal),
    threatIntel: ({ request, signal }) => documents.threats(request.headers['if-none-match'], signal),
  };
}

/** Writes the audit row of a failed delivery. Successful deliveries have none: they are too many. */
function noteIngest(
  audit: AuditTrail,
  { request, by, ...metadata }: Pick<AuditEntry, 'request' | 'by'> & { reason: string; batch: string },
): void {
  audit.note({ type: 'agent_ingest', outcome: 'failure', request, by, metadata });
}

function requireAgent(principal: Principal): AgentPrincipal {
  if (principal.who !== 'agent') {
    throw new Error('a route of Agents was reached without the bearer of one');
  }
  return principal;
}
