// Answers of the routes of enrolment and transport.
import { AppError } from '#kernel/errors.ts';
import { reply } from '#kernel/http/route.ts';
import type { Auth } from '../../base/auth/auth.ts';
import type { RouteHandlers } from '../../base/feature.ts';
import type { Enrolment } from './enrolment.ts';
import { type AgentRegistry, toAgentView } from './registry.ts';
import type { Throttle } from './throttle.ts';
import type { Transport } from './transport.ts';

export interface EnrolmentHandlersOptions {
  registry: AgentRegistry;
  enrolment: Enrolment;
  transport: Transport;
  throttle: Throttle;
  auth: Pick<Auth, 'audit' | 'toActor'>;
}

type EnrolmentHandlers = RouteHandlers<
  'agents',
  'createCode' | 'enroll' | 'claim' | 'transport' | 'saveTransport' | 'requests' | 'approve' | 'reject'
>;

const byCode = { method: 'enrollment-code', actor: null, credential: null } as const;

export function enrolmentHandlers(options: EnrolmentHandlersOptions): EnrolmentHandlers {
  const { enrolment, transport, throttle, auth } = options;
  const { audit, toActor } = auth;
  return {
    async createCode({ principal, request }) {
      const created = await enrolment.createCode();
      const metadata = { expiresAt: created.expiresAt };
      const by = toActor(principal);
      await audit.record({ type: 'agent_enrollment_created', outcome: 'success', request, by, metadata });
      return created;
    },
    async enroll({ body, request }) {
      throttle.require(request.address);
      const type = 'agent_enrollment_requested';
      try {
        const applied = await enrolment.apply({ ...body, address: request.address });
        throttle.succeeded(request.address);
        const metadata = { request: applied.requestId };
        await audit.record({ type, outcome: 'success', request, by: byCode, metadata });
        return { ...applied, status: 'pending' };
      } catch (error) {
        if (error instanceof AppError && error.code === 'enrollment_code_refused') {
          throttle.failed(request.address);
          audit.note({ type, outcome: 'failure', request, by: byCode, metadata: { reason: error.code } });
        }
        throw error;
      }
    },
    async claim({ body, request }) {
      const claimed = await enrolment.claim(body);
      if (claimed.status === 'unknown') {
        throw new AppError('not_found', 'there is no such request, or this is not its claim secret: enrol again', {
          details: { status: 'unknown' },
        });
      }
      if (claimed.status !== 'approved') {
        return { status: claimed.status };
      }
      const metadata = { agent: claimed.agentId };
      await audit.record({ type: 'agent_enrolled', outcome: 'success', request, by: byCode, metadata });
      return reply(201, claimed);
    },
    transport: ({ request }) => transport.report(request),
    async saveTransport({ body, principal, request }) {
      transport.accept(body.allowPlaintext);
      const by = toActor(principal);
      await audit.record({ type: 'agent_transport_consent', outcome: 'success', request, by, metadata: { ...body } });
      return transport.report(request);
    },
    requests: async ({ request }) => ({ requests: await enrolment.pending(request.address) }),
    async approve({ params, body, principal, request }) {
      const approved = await enrolment.approve(params.requestId, body.replaceExisting ?? false);
      const by = toActor(principal);
      const type = 'agent_enrollment_approved';
      if (!approved) {
        await audit.record({ type, outcome: 'failure', request, by, metadata: { request: params.requestId } });
        throw new AppError('not_found', `${notPending}; GET /api/agents/enrollment-requests lists those that are`);
      }
      const { agent, replaced } = approved;
      const metadata = { request: params.requestId, agent: agent.agentId, replaced };
      await audit.record({ type, outcome: 'success', request, by, metadata });
      return { agent: toAgentView(agent) };
    },
    async reject({ params, principal, request }) {
      const isRejected = await enrolment.reject(params.requestId);
      const outcome = isRejected ? 'success' : 'failure';
      const metadata = { request: params.requestId };
      await audit.record({ type: 'agent_enrollment_rejected', outcome, request, by: toActor(principal), metadata });
      if (!isRejected) {
        throw new AppError('not_found', notPending, { details: { rejected: false } });
      }
      return { rejected: true };
    },
  };
}

const notPending = 'no request with this id waits for a decision: it was decided, has expired, or never was';
