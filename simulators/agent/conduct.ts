// How one batch is sent in its turn: once by an honest Agent; the faults add requests and spoil them.
import type { Journal } from '../support/journal.ts';
import type { Answer, Caller } from './caller.ts';
import { type Sealed, type SealOptions, sealBatch } from './content.ts';
import type { Credential } from './credential.ts';
import type { AgentFault, AgentFaults } from './faults.ts';
import type { Machine } from './machine.ts';
import type { Outbox, Sent, Waiting } from './outbox.ts';
import { type Batch, parseAck } from './records.ts';

export interface ConductParts extends Pick<SealOptions, 'foreignId' | 'more'> {
  machine: Machine;
  outbox: Outbox;
  credential: Credential;
  call: Caller;
  faults: AgentFaults;
  journal: Journal;
  makeBatch: (observations: number) => Batch;
}

interface Exchange {
  sent: Sent;
  answer: Answer;
  isLost: boolean;
}

export class Conduct {
  /** The id of the batch that was sent last; null before the first one. */
  lastBatchId: string | null = null;
  readonly #parts: ConductParts;
  readonly #agent: string;

  constructor(parts: ConductParts) {
    this.#parts = parts;
    this.#agent = parts.machine.facts.hostName;
  }

  /** Sends a batch; resolves to each request that was sent for it, none when there is no bearer. */
  async deliver(one: Waiting): Promise<Sent[]> {
    const bearer = this.#parts.credential.bearer();
    if (bearer === null) {
      return [];
    }
    if (this.#take('bearer-elsewhere')) {
      await this.#showBearerElsewhere(bearer);
    }
    if (this.#take('parallel')) {
      return this.#sendParallel(one, bearer);
    }
    const first = await this.#attempt(one, bearer);
    const all = [first.sent];
    if (first.isLost) {
      const { sent } = await this.#attempt(one, bearer);
      all.push(sent);
    }
    if (all.at(-1)?.status === 429) {
      const more = await this.#flood(one, bearer);
      all.push(...more);
    }
    if (all.at(-1)?.ack && one.sealed) {
      const more = await this.#repeat(one.sealed, bearer);
      all.push(...more);
    }
    return all;
  }

  #take(fault: AgentFault) {
    const armed = this.#parts.faults.take(fault, this.#agent);
    if (armed) {
      this.#parts.journal.add('fault', { agent: this.#agent, fault });
    }
    return armed;
  }

  async #request({ batch, body, headers }: Sealed, bearer: string): Promise<Exchange> {
    const { call, outbox, journal } = this.#parts;
    const slow = this.#take('slow-body');
    const pace = this.#take('never-ends-body') ? 'never' : slow ? Number(slow.value ?? 1000) : undefined;
    const lost = this.#take('loses-ack');
    const cut = lost ? Number(lost.value ?? -1) : undefined;
    this.lastBatchId = batch.batchId;
    const answer = await call({ method: 'POST', path: '/api/agent/ingest', bearer, headers, body, pace, cut });
    const { status } = answer;
    const ack = status === 200 ? parseAck(answer.body, batch) : null;
    const sent: Sent = {
      agent: this.#agent,
      batchId: batch.batchId,
      observations: batch.observations.length,
      status,
      ack,
      error: ack ? null : (answer.problem ?? String(answer.body.error ?? 'the ACK is not one for this batch')),
    };
    outbox.note(sent);
    journal.add('batch', { ...sent, ack: ack === null ? null : { ...ack } });
    return { sent, answer, isLost: lost !== null };
  }

  /** One try of one batch, with its consequences. */
  async #attempt(one: Waiting, bearer: string): Promise<Exchange> {
    const { machine, outbox, credential, journal } = this.#parts;
    if (one.tries > 0 && this.#take('new-id-on-retry')) {
      one.batch = { ...one.batch, batchId: machine.id() };
      one.sealed = null;
    }
    one.sealed ??= sealBatch(one.batch, { ...this.#parts, take: (fault) => this.#take(fault) });
    one.tries += 1;
    const exchange = await this.#request(one.sealed, bearer);
    const { batchId, status } = exchange.sent;
    const end = outbox.settle(one, exchange.sent, exchange.answer);
    if (end === 'bearer-refused') {
      credential.refuse(bearer);
    } else if (end === 'parked') {
      journal.add('parked', { agent: this.#agent, batchId, status });
    }
    return exchange;
  }

  async #flood(one: Waiting, bearer: string): Promise<Sent[]> {
    const armed = this.#take('flood');
    const all: Sent[] = [];
    while (armed && all.length < Number(armed.value ?? 50) && (all.at(-1)?.status ?? 429) === 429) {
      const { sent } = await this.#attempt(one, bearer);
      all.push(sent);
    }
    return all;
  }

  /** Sends an acknowledged batch again, as the armed faults want it. */
  async #repeat(sealed: Sealed, bearer: string): Promise<Sent[]> {
    const forms: Sealed[] = [];
    if (this.#take('ignores-ack')) {
      forms.push(sealed);
    }
    if (this.#take('replay-other-content')) {
      const batch = { ...this.#parts.makeBatch(sealed.batch.observations.length), batchId: sealed.batch.batchId };
      forms.push({ batch, body: Buffer.from(JSON.stringify(batch)), headers: {} });
    }
    const all: Sent[] = [];
    for (const form of forms) {
      const { sent } = await this.#request(form, bearer);
      all.push(sent);
    }
    return all;
  }

  async #showBearerElsewhere(bearer: string): Promise<void> {
    const { call, journal } = this.#parts;
    for (const headers of [{ authorization: `Bearer ${bearer}` }, { 'x-admin-token': bearer }]) {
      const { status } = await call({ method: 'GET', path: '/api/connections', headers });
      journal.add('elsewhere', { agent: this.#agent, header: Object.keys(headers)[0], status });
    }
  }

  async #sendParallel(one: Waiting, bearer: string): Promise<Sent[]> {
    const { outbox, makeBatch } = this.#parts;
    const others = Array.from({ length: 7 }, () => outbox.add(makeBatch(one.batch.observations.length)));
    const exchanges = await Promise.all([one, ...others].map((each) => this.#attempt(each, bearer)));
    return exchanges.map(({ sent }) => sent);
  }
}
