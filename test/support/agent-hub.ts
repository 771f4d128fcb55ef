// A hub as an Agent sees it: enrolment, claim, ingest, rotation, revocation. It is written from
// docs/reference/wire-contract/4-endpoints.md#42-agents. It has no rate limit but one that a test sets. It notes every
// request, also those that never end.
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { agentBatch, supportedSchemaVersions } from '#contract/agent-ingest.ts';
import { close, listen } from '#kernel/http/listening.ts';

export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  from: string;
  /** Grows as the body comes in. */
  body: Buffer;
  pieces: number;
  isComplete: boolean;
  status: number | null;
}

export interface AgentHub extends AsyncDisposable {
  readonly url: URL;
  readonly received: readonly Received[];
  /** Requests of one path below /api/agent/. */
  at(path: string): Received[];
  /** JSON of the batches that came in whole. */
  batches(): SentBatch[];
  code(): string;
  approve(requestId: string): void;
  reject(requestId: string): void;
  revoke(agentId: string): void;
  /** The next ingest is answered so, unread. */
  answerNext(status: number, headers?: Record<string, string>): void;
  /** So many ingests are let through, then 429. */
  allow(requests: number, retryAfterS?: number): void;
  /** Ingests are answered when so many of them have come in, or when what it returns is called. */
  hold(requests: number): () => void;
  /** The most requests that were open at once. */
  readonly mostAtOnce: number;
  /** Forgets what was received. */
  clear(): void;
}

export interface SentBatch {
  schemaVersion: number;
  batchId: string;
  sentAt: string;
  agent: { hostName: string; platform: string };
  observations: Record<string, string | number | null>[];
}

interface Application {
  claimSecret: string;
  status: 'pending' | 'approved' | 'collected' | 'rejected';
}

type Answer = [status: number, body: object, headers?: Record<string, string>];

const dayMs = 86_400_000;

export async function startAgentHub(now: () => number): Promise<AgentHub> {
  const received: Received[] = [];
  const codes = new Set<string>();
  const applications = new Map<string, Application>();
  /** Bearer → id of the Agent. */
  const bearers = new Map<string, string>();
  const stored = new Map<string, { accepted: number; duplicate: number; receivedAt: number }>();
  const seen = new Set<string>();
  const next: Answer[] = [];
  let allowed = Number.POSITIVE_INFINITY;
  let retryAfterS = 7;
  let atOnce = 0;
  let held = 0;
  let release: () => void = () => undefined;
  let released = Promise.resolve();
  let mostAtOnce = 0;

  const open: Record<string, (body: Record<string, unknown>) => Answer> = {
    'POST /api/agent/enrollment-requests'({ code }) {
      if (!codes.delete(String(code).trim().toUpperCase())) {
        return [401, { error: 'the code is wrong', code: 'enrollment_code_refused' }];
      }
      const [requestId, claimSecret] = [randomUUID(), `svcc_${randomBytes(32).toString('hex')}`];
      applications.set(requestId, { claimSecret, status: 'pending' });
      return [202, { requestId, claimSecret, expiresAt: now() + 600_000, status: 'pending' }];
    },
    'POST /api/agent/enrollment-requests/claim'({ requestId, claimSecret }) {
      const application = applications.get(String(requestId));
      if (application?.claimSecret !== claimSecret) {
        return [404, { status: 'unknown' }];
      }
      if (application?.status !== 'approved') {
        return [200, { status: application?.status }];
      }
      application.status = 'collected';
      const [token, agentId] = [`svca_${randomBytes(32).toString('hex')}`, String(requestId)];
      bearers.set(token, agentId);
      return [201, { status: 'approved', token, agentId }];
    },
  };
  const guarded: Record<string, (body: Buffer, agentId: string, bearer: string, request: IncomingMessage) => Answer> = {
    'POST /api/agent/token/rotate'(_, agentId, bearer) {
      const token = `svca_${randomBytes(32).toString('hex')}`;
      bearers.delete(bearer);
      bearers.set(token, agentId);
      return [200, { token }];
    },
    'POST /api/agent/registration/revoke'(_body, _agentId, bearer) {
      bearers.delete(bearer);
      return [200, { success: true }];
    },
    'POST /api/agent/ingest'(body, agentId, _bearer, request) {
      if (request.headers['content-encoding'] !== undefined) {
        return [415, { error: 'not compressed, please' }];
      }
      if (body.length > 524_288) {
        return [413, { error: 'too large' }];
      }
      return store(body, agentId);
    },
  };
  const store = (body: Buffer, agentId: string): Answer => {
    const json = objectOf(body);
    if (!supportedSchemaVersions.includes(Number(json?.schemaVersion))) {
      return [400, { error: json === null ? 'malformed JSON' : 'unsupported_schema_version' }];
    }
    const parsed = agentBatch.safeParse(json);
    if (!parsed.success) {
      return [400, { error: parsed.error.issues[0]?.message }];
    }
    const { batchId, observations } = parsed.data;
    const reasons = observations.map(({ firstObservedAt, lastObservedAt }) =>
      Math.max(firstObservedAt, lastObservedAt) > now() + dayMs
        ? 'future_timestamp'
        : lastObservedAt < now() - 7 * dayMs
          ? 'outside_retention'
          : null,
    );
    if (reasons.some((reason) => reason !== null)) {
      const rejected = reasons.map((reason, index) => ({ index, reason })).filter(({ reason }) => reason !== null);
      return [400, { error: 'outside of the window', code: 'observation_window', rejected }];
    }
    const key = `${agentId} ${batchId}`;
    const before = stored.get(key);
    const ids = observations.map(({ observationId }) => `${agentId} ${observationId}`);
    const accepted = ids.filter((id) => !seen.has(id)).length;
    const counts = before ?? { accepted, duplicate: ids.length - accepted, receivedAt: now() };
    stored.set(key, counts);
    for (const id of ids) {
      seen.add(id);
    }
    return [200, { batchId, ...counts, rejected: 0, replayed: before !== undefined, requestId: randomUUID() }];
  };

  const answer = async (request: IncomingMessage, note: Received): Promise<Answer> => {
    const name = `${note.method} ${note.path}`;
    if (open[name]) {
      await read(request, note);
      return open[name](objectOf(note.body) ?? {});
    }
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const agentId = bearers.get(bearer);
    const handle = guarded[name];
    if (!handle || agentId === undefined) {
      return [401, { error: 'not signed in' }];
    }
    if (name.endsWith('/ingest')) {
      const planned = next.shift();
      if (planned) {
        return planned;
      }
      allowed -= 1;
      if (allowed < 0) {
        return [429, { error: 'slow down' }, { 'retry-after': String(retryAfterS) }];
      }
    }
    await read(request, note);
    held -= 1;
    if (held === 0) {
      release();
    }
    await released;
    return handle(note.body, agentId, bearer, request);
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers, socket } = request;
    const from = socket.remoteAddress ?? '';
    const note: Received = {
      method,
      path: url,
      headers,
      from,
      body: Buffer.alloc(0),
      pieces: 0,
      isComplete: false,
      status: null,
    };
    received.push(note);
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    try {
      const [status, body, more = {}] = await answer(request, note);
      note.status = status;
      response.writeHead(status, { 'content-type': 'application/json', ...more });
      response.end(JSON.stringify(body));
    } catch {
      // The client went away in the body: there is nobody to answer.
      response.destroy();
    } finally {
      atOnce -= 1;
    }
  };
  const server = createServer((request, response) => void serve(request, response));
  const url = new URL(`http://${await listen(server)}`);
  return {
    url,
    received,
    at: (path) => received.filter((one) => one.path === `/api/agent/${path}`),
    batches: () =>
      received
        .filter(({ path, isComplete }) => path === '/api/agent/ingest' && isComplete)
        .map(({ body }) => JSON.parse(body.toString()) as SentBatch),
    code() {
      const code = randomBytes(3).toString('hex').toUpperCase();
      codes.add(code);
      return code;
    },
    approve: (requestId) => decide(applications.get(requestId), 'approved'),
    reject: (requestId) => decide(applications.get(requestId), 'rejected'),
    revoke(agentId) {
      for (const [bearer, of] of bearers) {
        if (of === agentId) {
          bearers.delete(bearer);
        }
      }
    },
    answerNext: (status, headers = {}) => void next.push([status, { error: `as a test wants: ${status}` }, headers]),
    allow(requests, seconds = 7) {
      allowed = requests;
      retryAfterS = seconds;
    },
    hold(requests) {
      held = requests;
      ({ promise: released, resolve: release } = Promise.withResolvers<void>());
      return release;
    },
    get mostAtOnce() {
      return mostAtOnce;
    },
    clear: () => void received.splice(0),
    [Symbol.asyncDispose]: () => close(server),
  };
}

function decide(application: Application | undefined, status: 'approved' | 'rejected'): void {
  if (application?.status !== 'pending') {
    throw new Error('nobody waits for this decision');
  }
  application.status = status;
}

async function read(request: IncomingMessage, note: Received): Promise<void> {
  for await (const piece of request) {
    note.body = Buffer.concat([note.body, piece]);
    note.pieces += 1;
  }
  note.isComplete = true;
}

function objectOf(body: Buffer): Record<string, unknown> | null {
  try {
    return JSON.parse(body.toString()) as Record<string, unknown>;
  } catch {
    return null;
  }
}
