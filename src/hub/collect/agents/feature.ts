// Endpoint Agents as a feature: enrolment, delivery, and the pipeline of their observations.
import type { AgentGuard } from '#contract/agents.ts';
import { limits } from '#contract/limits.ts';
import type { Guard } from '#kernel/http/bind-route.ts';
import type { Auth } from '../../base/auth/auth.ts';
import type { Principal } from '../../base/auth/principal.ts';
import type { Base, Feature, HubHandlers } from '../../base/feature.ts';
import type { Devices } from '../../identify/devices/devices.ts';
import type { ThreatFeature } from '../../identify/threat/feature.ts';
import type { Announcer } from '../../record/connections/announce.ts';
import type { ConnectionsFeature } from '../../record/connections/feature.ts';
import type { Marks } from '../../record/connections/privacy/marks.ts';
import { createAdmission } from './admission.ts';
import { agentCoverage } from './coverage.ts';
import { createDocuments } from './documents.ts';
import { startEnrolment } from './enrolment.ts';
import { agentHandlers } from './handlers.ts';
import { createIngest } from './ingest.ts';
import { startPipeline } from './pipeline.ts';
import type { AgentRegistry } from './registry.ts';
import { startAgentRetention } from './retention.ts';
import type { SessionLog } from './session-log.ts';
import { createClaimGuard, createThrottle } from './throttle.ts';
import { createTransport } from './transport.ts';

export interface AgentsFeature extends Feature<Pick<HubHandlers, 'agents'>> {
  guards: Record<AgentGuard, Guard<Principal>>;
}

interface Peers {
  auth: Pick<Auth, 'audit' | 'toActor'>;
  registry: AgentRegistry;
  sessionLog: SessionLog;
  connections: Pick<ConnectionsFeature, 'record' | 'tellUnkept'>;
  marks: Marks;
  devices: Pick<Devices, 'record'>;
  announcer: Pick<Announcer, 'collect' | 'publish'>;
  threat: Pick<ThreatFeature, 'state' | 'indicators'>;
}

export function startAgentsFeature(base: Base, peers: Peers): AgentsFeature {
  const { db, clock, steadyClock, log, readers, options } = base;
  const { auth, registry, threat, connections, devices, sessionLog, announcer, marks } = peers;
  const pollMs = options.pollIntervalMs ?? limits.pollIntervalMs;
  const chosen = { ...options.agents };
  const stack = new AsyncDisposableStack();
  const transport = createTransport(base, auth);
  const enrolment = stack.use(startEnrolment({ db, clock: steadyClock, log, registry, audit: auth.audit }));
  const admission = stack.use(createAdmission({ clock, ...chosen }));
  const { record } = connections;
  const pipeline = stack.use(startPipeline({ db, clock, log, devices, sessionLog, announcer, record }));
  stack.use(startAgentRetention({ db, clock, log }));
  return {
    handlers: {
      agents: agentHandlers({
        clock,
        auth,
        registry,
        enrolment,
        transport,
        admission,
        pipeline,
        pollMs,
        ingest: createIngest({ db, clock, marks, tellUnkept: connections.tellUnkept }),
        reads: readers.reads,
        throttle: createThrottle(clock),
        documents: createDocuments({ clock, readers, threat }),
        correlationMs: chosen.correlationMs ?? limits.agentCorrelationMs,
      }),
    },
    guards: {
      'agent-transport': transport.guard,
      'agent-claims': createClaimGuard(clock),
      'agent-ingest': admission.guard,
    },
    coverage: () => registry.list().flatMap((agent) => agentCoverage(db, agent, clock.now())),
    settled: () => pipeline.settled(),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
