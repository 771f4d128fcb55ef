// The bearer of one Agent: application with a code, claim, rotation, revocation. The bearer never leaves this file but to the hub.
import { type Clock, hasPassed } from '#kernel/time/clock.ts';
import type { Journal } from '../support/journal.ts';
import type { Random } from '../support/random.ts';
import { type Answer, type Call, type Caller, retryAfterMs } from './caller.ts';
import type { AgentFaults } from './faults.ts';
import type { MachineFacts } from './records.ts';

/** `refused`: the hub answered 401 or 403. `unknown`: the hub does not know the application. */
export type CredentialStatus =
  | 'none'
  | 'applying'
  | 'pending'
  | 'active'
  | 'collected'
  | 'rejected'
  | 'expired'
  | 'unknown'
  | 'refused'
  | 'revoked';

export interface Credential {
  readonly status: CredentialStatus;
  readonly requestId: string | null;
  readonly agentId: string | null;
  /** Applies with a code; resolves to the status of the answer. When accepted, it is claimed in the background. */
  enroll(code: string): Promise<number | null>;
  /** Resolves when the claim that is under way has ended. */
  readonly claimed: Promise<void>;
  /** Whether there is a bearer to send with: a valid one, or one that a fault makes it go on with. */
  canSend(): boolean;
  /** The bearer to send with; uses up an occasion of the faults that choose another one. */
  bearer(): string | null;
  /** What a 401 or 403 to this bearer means. */
  refuse(bearer: string): void;
  rotate(): Promise<number | null>;
  revoke(): Promise<number | null>;
}

export interface CredentialParts {
  facts: MachineFacts;
  call: Caller;
  clock: Clock;
  faults: AgentFaults;
  journal: Journal;
  random: Random;
  claimEveryMs: number;
  /** Gets every text that must not appear anywhere. */
  secrets: Set<string>;
  signal: AbortSignal;
  /** Called when the bearer is there. */
  onActive: () => void;
}

interface Claims {
  requestId: string;
  claimSecret: string;
}

const alphabet = [...'23456789ABCDEFGHJKLMNPQRSTUVWXYZ'];

export function createCredential(parts: CredentialParts): Credential {
  const { facts, call, clock, faults, journal, random, signal } = parts;
  const agent = facts.hostName;
  let status: CredentialStatus = 'none';
  let requestId: string | null = null;
  let agentId: string | null = null;
  let token: string | null = null;
  let previous: string | null = null;
  let claimed: Promise<void> = Promise.resolve();

  const post = (path: Call['path'], body: object, more: Partial<Call> = {}) =>
    call({ method: 'POST', path, body: Buffer.from(JSON.stringify(body)), ...more });
  const secret = (value: unknown): string => {
    const text = String(value);
    parts.secrets.add(text);
    return text;
  };
  const apply = async (code: string): Promise<Answer> => {
    const answer = await post('/api/agent/enrollment-requests', { code, agent: facts });
    journal.add('applied', { agent, status: answer.status, ...problemOf(answer) });
    return answer;
  };
  const askOnce = async (claims: Claims): Promise<Answer> => {
    const answer = await post('/api/agent/enrollment-requests/claim', claims);
    journal.add('claimed', { agent, status: answer.status, answer: answer.body.status, ...problemOf(answer) });
    return answer;
  };
  /** Until it is decided, or there is a newer application. */
  const claim = async (claims: Claims): Promise<void> => {
    while (!signal.aborted && requestId === claims.requestId) {
      const answer = await askOnce(claims);
      if (answer.status === 201) {
        token = secret(answer.body.token);
        agentId = String(answer.body.agentId);
        status = 'active';
        journal.add('enrolled', { agent, agentId });
        parts.onActive();
        if (faults.take('claims-twice', agent)) {
          await askOnce(claims);
        }
        return;
      }
      const said = answer.body.status;
      if (said === 'collected' || said === 'rejected' || said === 'expired' || said === 'unknown') {
        status = said;
        return;
      }
      const waitMs = answer.status === 429 ? retryAfterMs(answer) : parts.claimEveryMs;
      await hasPassed(clock, waitMs, signal);
    }
  };

  const refuse = (bearer: string) => {
    if (bearer === token && status === 'active') {
      status = 'refused';
      journal.add('refused', { agent });
    }
  };

  return {
    get status() {
      return status;
    },
    get requestId() {
      return requestId;
    },
    get agentId() {
      return agentId;
    },
    get claimed() {
      return claimed;
    },
    async enroll(given) {
      const code = secret(given.trim());
      const before = status;
      status = 'applying';
      if (faults.take('guesses-codes', agent)) {
        for (let guess = 0; guess < 6; guess += 1) {
          await apply(wrongCode(random, code));
        }
      }
      const answer = await apply(code);
      if (answer.status === 202) {
        requestId = String(answer.body.requestId);
        status = 'pending';
        claimed = claim({ requestId, claimSecret: secret(answer.body.claimSecret) }).catch((error: unknown) => {
          journal.add('broken', { agent, reason: String(error) });
        });
      } else {
        status = before;
      }
      return answer.status;
    },
    canSend: () =>
      token !== null && (status === 'active' || (isOver(status) && faults.armed('revoked-token-kept', agent) !== null)),
    bearer() {
      if (status === 'active') {
        return previous !== null && faults.take('old-token-kept', agent) ? previous : token;
      }
      return isOver(status) && faults.take('revoked-token-kept', agent) ? token : null;
    },
    refuse,
    async rotate() {
      const lost = faults.take('loses-rotation-reply', agent);
      const cut = lost ? Number(lost.value ?? -1) : undefined;
      const bearer = token;
      const answer = await post('/api/agent/token/rotate', {}, { bearer, cut });
      journal.add('rotated', { agent, status: answer.status, ...problemOf(answer) });
      if (answer.status === 200) {
        previous = bearer;
        token = secret(answer.body.token);
      } else if (answer.status === 401 && bearer !== null) {
        refuse(bearer);
      }
      return answer.status;
    },
    async revoke() {
      const answer = await post('/api/agent/registration/revoke', {}, { bearer: token });
      journal.add('revoked', { agent, status: answer.status, ...problemOf(answer) });
      if (answer.status === 200) {
        status = 'revoked';
      } else if (answer.status === 401 && token !== null) {
        refuse(token);
      }
      return answer.status;
    },
  };
}

function problemOf({ problem }: Answer) {
  return problem === null ? {} : { problem };
}

function isOver(status: CredentialStatus): boolean {
  return status === 'revoked' || status === 'refused';
}

function wrongCode(random: Random, right: string): string {
  for (;;) {
    const code = Array.from({ length: 6 }, () => random.pick(alphabet)).join('');
    if (code !== right.toUpperCase()) {
      return code;
    }
  }
}
