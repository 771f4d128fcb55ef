// A hub as an Agent sees it: the routes of Agents over HTTP, with an administrator's decisions and named misbehaviour.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type AgentBatch, agentBatch, agentFacts, requireSupportedSchema } from '#contract/agent-ingest.ts';
import { AppError } from '#kernel/errors.ts';
import { createId, createToken } from '#kernel/text/secret.ts';

/** What a request meets instead of its usual answer, or after it was done. */
export interface Fault {
  /** `METHOD /path`, or the path alone. */
  path: string;
  /** How often; always when absent. */
  times?: number;
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** The request is carried out, and its answer is lost. */
  loses?: boolean;
  /** The answer takes so long. */
  delayMs?: number;
  /** Changes the answer 200. */
  edit?: (body: Record<string, unknown>) => unknown;
}

interface EnrolmentRequest {
  requestId: string;
  claimSecret: string;
  hostName: string;
  state: 'pending' | 'approved' | 'rejected' | 'expired' | 'collected';
  token: string | null;
}

interface Bearer {
  agentId: string;
  token: string;
  previous: string | null;
  isRevoked: boolean;
}

export interface Call {
  what: string;
  status: number | null;
  bearer: string | null;
  at: number;
}

export interface AgentHub extends AsyncDisposable {
  readonly url: URL;
  readonly code: string;
  readonly calls: Call[];
  readonly requests: EnrolmentRequest[];
  readonly bearers: Bearer[];
  /** Batches in the order in which they were stored. */
  readonly stored: AgentBatch[];
  /** Every delivery: also those that were stored before. */
  readonly received: string[];
  capabilities: Record<string, unknown>;
  /** How long the rotated-out bearer opens everything while the new one is not used; false: it opens the rotation alone. */
  isGraceOver: boolean;
  fault(fault: Fault): void;
  clearFaults(): void;
  decide(state: 'approved' | 'rejected' | 'expired'): void;
  /** A bearer as after an approved enrolment. */
  issue(): Bearer;
  /** Every secret it has issued. */
  secrets(): string[];
}

interface Answer {
  status: number;
  body: unknown;
}

const refuse = (code: string, status: number): never => {
  throw Object.assign(new Error(code), { code, status });
};

/** With a certificate it speaks TLS. */
export async function startAgentHub(tls?: { key: string; cert: string }): Promise<AgentHub> {
  const faults: Fault[] = [];
  const batches = new Map<string, { count: number; receivedAt: number }>();
  const observations = new Set<string>();
  const secrets = new Set<string>();
  const secret = (prefix: string) => {
    const made = createToken(prefix, 32);
    secrets.add(made);
    return made;
  };

  const bearerOf = (token: string | null, opens: 'all' | 'rotation'): Bearer => {
    const found = hub.bearers.find(
      (one) => !one.isRevoked && token !== null && [one.token, one.previous].includes(token),
    );
    if (found === undefined || (found.previous === token && hub.isGraceOver && opens === 'all')) {
      return refuse('unauthorized', 401);
    }
    if (found.token === token) {
      found.previous = null;
    }
    return found;
  };

  const routes: Record<string, (body: unknown, token: string | null) => Answer> = {
    'POST /api/agent/enrollment-requests': (body) => {
      const { code, agent } = body as { code: string; agent: unknown };
      if (code !== hub.code) {
        refuse('enrollment_code_refused', 401);
      }
      const { hostName } = agentFacts.parse(agent);
      const made = { requestId: createId(), claimSecret: secret('svcc_') };
      hub.requests.push({ ...made, hostName, state: 'pending', token: null });
      return { status: 202, body: { ...made, expiresAt: Date.now() + 600_000, status: 'pending' } };
    },
    'POST /api/agent/enrollment-requests/claim': (body) => {
      const { requestId, claimSecret } = body as EnrolmentRequest;
      const found = hub.requests.find((one) => one.requestId === requestId && one.claimSecret === claimSecret);
      if (found === undefined) {
        return { status: 404, body: { status: 'unknown', error: 'unknown', code: 'not_found' } };
      }
      if (found.state !== 'approved') {
        return { status: 200, body: { status: found.state } };
      }
      const { agentId, token } = hub.issue();
      found.state = 'collected';
      return { status: 201, body: { status: 'approved', token, agentId } };
    },
    'GET /api/agent/capabilities': (_, token) => {
      bearerOf(token, 'all');
      return { status: 200, body: hub.capabilities };
    },
    'POST /api/agent/token/rotate': (_, token) => {
      const found = bearerOf(token, 'rotation');
      found.previous = token;
      found.token = secret('svca_');
      return { status: 200, body: { token: found.token } };
    },
    'POST /api/agent/registration/revoke': (_, token) => {
      bearerOf(token, 'all').isRevoked = true;
      return { status: 200, body: { success: true } };
    },
    'POST /api/agent/ingest': (body, token) => {
      bearerOf(token, 'all');
      requireSupportedSchema(body);
      const parsed = agentBatch.safeParse(body);
      if (!parsed.success) {
        throw Object.assign(new Error(parsed.error.message), { code: 'invalid_body', status: 400 });
      }
      const batch = parsed.data;
      hub.received.push(batch.batchId);
      const known = batches.get(batch.batchId);
      const ack = known ?? { count: batch.observations.length, receivedAt: Date.now() };
      if (known === undefined) {
        batches.set(batch.batchId, ack);
        hub.stored.push(batch);
      }
      const fresh = batch.observations.filter(({ observationId }) => !observations.has(observationId));
      for (const { observationId } of fresh) {
        observations.add(observationId);
      }
      const accepted = known ? ack.count : fresh.length;
      const counts = { accepted, duplicate: ack.count - accepted, rejected: 0 };
      const { receivedAt } = ack;
      const replayed = known !== undefined;
      return { status: 200, body: { batchId: batch.batchId, ...counts, receivedAt, replayed, requestId: createId() } };
    },
  };

  const listener = (request: IncomingMessage, response: ServerResponse) => void answer(request, response);
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  function faultFor(what: string): Fault | undefined {
    const index = faults.findIndex(({ path }) => what === path || what.endsWith(` ${path}`));
    const fault = faults[index];
    if (fault?.times !== undefined) {
      fault.times -= 1;
      if (fault.times <= 0) {
        faults.splice(index, 1);
      }
    }
    return fault;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const what = `${request.method} ${request.url}`;
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? null;
    const body = await text(request).catch(() => '');
    const call: Call = { what, status: null, bearer, at: Date.now() };
    hub.calls.push(call);
    const fault = faultFor(what);
    if (fault?.delayMs !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
    }
    const usual = fault?.status === undefined ? done(what, body, bearer) : { status: fault.status, body: fault.body };
    if (fault?.loses === true) {
      response.destroy();
      return;
    }
    const edited = fault?.edit && usual.status === 200 ? fault.edit(usual.body as Record<string, unknown>) : usual.body;
    call.status = usual.status;
    response.writeHead(usual.status, { 'content-type': 'application/json', ...fault?.headers });
    response.end(typeof edited === 'string' ? edited : JSON.stringify(edited ?? { error: `answered ${usual.status}` }));
  }

  function done(what: string, body: string, bearer: string | null): Answer {
    try {
      const route = routes[what];
      return route ? route(body === '' ? null : JSON.parse(body), bearer) : refuse('not_found', 404);
    } catch (error) {
      const { code = 'internal', status = 500 } = error as { code?: string; status?: number };
      const details = error instanceof AppError ? error.details : {};
      return { status, body: { error: (error as Error).message, code, requestId: createId(), ...details } };
    }
  }

  const hub: AgentHub = {
    url: new URL(`${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    code: 'AB23CD',
    calls: [],
    requests: [],
    bearers: [],
    stored: [],
    received: [],
    capabilities: {
      schemaVersions: [1],
      maxObservationsPerBatch: 200,
      maxBodyBytes: 524_288,
      requestsPerMinute: 60_000,
      compression: [],
    },
    isGraceOver: false,
    fault: (fault) => void faults.push({ ...fault }),
    clearFaults: () => void faults.splice(0),
    decide(state) {
      for (const one of hub.requests.filter((request) => request.state === 'pending')) {
        one.state = state;
      }
    },
    issue() {
      const bearer = { agentId: createId(), token: secret('svca_'), previous: null, isRevoked: false };
      hub.bearers.push(bearer);
      return bearer;
    },
    secrets: () => [...secrets],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return hub;
}
