// The bearer of one Agent: application with a code, claim, rotation, revocation. The bearer never leaves this file but to the hub.
import type { Semaphore } from '#kernel/http/limiter.ts';
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

export interface CredentialParts {
  facts: MachineFacts;
  call: Caller;
  faults: AgentFaults;
  journal: Journal;
  random: Random;
  claimEveryMs: number;
  /** Resolves to false when the simulator ends first. */
  waitToClaim: (ms: number) => Promise<boolean>;
  /** How many Agents may claim at once: one on a clock that jumps, so that all begin in the order of their numbers. */
  claimTurns: Semaphore;
  /** Gets every text that must not appear anywhere. */
  secrets: Set<string>;
  signal: AbortSignal;
  onActive: () => void;
}

interface Claims {
  requestId: string;
  claimSecret: string;
}

const alphabet = [...'23456789ABCDEFGHJKLMNPQRSTUVWXYZ'];

export class Credential {
  readonly #parts: CredentialParts;
  readonly #agent: string;
  #status: CredentialStatus = 'none';
  #requestId: string | null = null;
  #agentId: string | null = null;
  #token: string | null = null;
  #previous: string | null = null;
  #claimed: Promise<void> = Promise.resolve();

  constructor(parts: CredentialParts) {
    this.#parts = parts;
    this.#agent = parts.facts.hostName;
  }

  get status(): CredentialStatus {
    return this.#status;
  }
  get requestId(): string | null {
    return this.#requestId;
  }
  get agentId(): string | null {
    return this.#agentId;
  }
  /** Resolves when the claim that is under way has ended. */
  get claimed(): Promise<void> {
    return this.#claimed;
  }

  /** Applies with a code; resolves to the status of the answer. When accepted, it is claimed in the background. */
  async enroll(given: string): Promise<number | null> {
    const { faults, random, journal, claimTurns, signal } = this.#parts;
    const code = this.#hide(given.trim());
    const before = this.#status;
    this.#status = 'applying';
    if (faults.take('guesses-codes', this.#agent)) {
      for (let guess = 0; guess < 6; guess += 1) {
        await this.#apply(createWrongCode(random, code));
      }
    }
    const { status, body } = await this.#apply(code);
    if (status !== 202) {
      this.#status = before;
      return status;
    }
    const requestId = String(body.requestId);
    this.#requestId = requestId;
    this.#status = 'pending';
    const claims = { requestId, claimSecret: this.#hide(body.claimSecret) };
    this.#claimed = claimTurns
      .use(() => this.#claim(claims), signal)
      .catch((error: unknown) => {
        journal.add('broken', { agent: this.#agent, reason: String(error) });
      });
    return status;
  }

  /** Whether there is a bearer to send with: a valid one, or one that a fault makes it go on with. */
  canSend(): boolean {
    const isKept = () => isEnded(this.#status) && this.#parts.faults.armed('revoked-token-kept', this.#agent) !== null;
    return this.#token !== null && (this.#status === 'active' || isKept());
  }

  /** The bearer to send with; uses up an occasion of the faults that choose another one. */
  bearer(): string | null {
    const { faults } = this.#parts;
    if (this.#status === 'active') {
      const keepsOld = this.#previous !== null && faults.take('old-token-kept', this.#agent);
      return keepsOld ? this.#previous : this.#token;
    }
    return isEnded(this.#status) && faults.take('revoked-token-kept', this.#agent) ? this.#token : null;
  }

  /** The hub answered 401 or 403 to this bearer. */
  refuse(bearer: string): void {
    if (bearer === this.#token && this.#status === 'active') {
      this.#status = 'refused';
      this.#parts.journal.add('refused', { agent: this.#agent });
    }
  }

  async rotate(): Promise<number | null> {
    const lost = this.#parts.faults.take('loses-rotation-reply', this.#agent);
    const cut = lost ? Number(lost.value ?? -1) : undefined;
    const bearer = this.#token;
    const answer = await this.#post('/api/agent/token/rotate', {}, { bearer, cut });
    this.#note('rotated', answer);
    const { status, body } = answer;
    if (status === 200) {
      this.#previous = bearer;
      this.#token = this.#hide(body.token);
    } else if (status === 401 && bearer !== null) {
      this.refuse(bearer);
    }
    return status;
  }

  async revoke(): Promise<number | null> {
    const answer = await this.#post('/api/agent/registration/revoke', {}, { bearer: this.#token });
    this.#note('revoked', answer);
    const { status } = answer;
    if (status === 200) {
      this.#status = 'revoked';
    } else if (status === 401 && this.#token !== null) {
      this.refuse(this.#token);
    }
    return status;
  }

  #post(path: Call['path'], body: object, more: Partial<Call> = {}): Promise<Answer> {
    return this.#parts.call({ method: 'POST', path, body: Buffer.from(JSON.stringify(body)), ...more });
  }

  #note(event: string, { status, problem }: Answer, details: Record<string, unknown> = {}): void {
    const failure = problem === null ? {} : { problem };
    this.#parts.journal.add(event, { agent: this.#agent, status, ...details, ...failure });
  }

  async #apply(code: string): Promise<Answer> {
    const answer = await this.#post('/api/agent/enrollment-requests', { code, agent: this.#parts.facts });
    this.#note('applied', answer);
    return answer;
  }

  async #askForDecision(claims: Claims): Promise<Answer> {
    const answer = await this.#post('/api/agent/enrollment-requests/claim', claims);
    this.#note('claimed', answer, { answer: answer.body.status });
    return answer;
  }

  /** Asks until the application is decided, or there is a newer one. */
  async #claim(claims: Claims): Promise<void> {
    const { faults, journal, signal, claimEveryMs, waitToClaim, onActive } = this.#parts;
    while (!signal.aborted && this.#requestId === claims.requestId) {
      const answer = await this.#askForDecision(claims);
      if (answer.status === 201) {
        this.#token = this.#hide(answer.body.token);
        this.#agentId = String(answer.body.agentId);
        this.#status = 'active';
        journal.add('enrolled', { agent: this.#agent, agentId: this.#agentId });
        onActive();
        if (faults.take('claims-twice', this.#agent)) {
          await this.#askForDecision(claims);
        }
        return;
      }
      const said = answer.body.status;
      if (said === 'collected' || said === 'rejected' || said === 'expired' || said === 'unknown') {
        this.#status = said;
        return;
      }
      await waitToClaim(answer.status === 429 ? retryAfterMs(answer) : claimEveryMs);
    }
  }

  /** The value as text, which no journal shows from now on. */
  #hide(value: unknown): string {
    const text = String(value);
    this.#parts.secrets.add(text);
    return text;
  }
}

function isEnded(status: CredentialStatus): boolean {
  return status === 'revoked' || status === 'refused';
}

function createWrongCode(random: Random, right: string): string {
  for (;;) {
    const code = Array.from({ length: 6 }, () => random.pick(alphabet)).join('');
    if (code !== right.toUpperCase()) {
      return code;
    }
  }
}
