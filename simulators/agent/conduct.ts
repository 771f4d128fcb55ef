// How one batch is sent in its turn: once by an honest Agent; the faults add requests and spoil them.
import type { Journal } from '../support/journal.ts';
import type { Answer, Caller } from './caller.ts';
import { type Sealed, type SealOptions, seal } from './content.ts';
import type { Credential } from './credential.ts';
import type { AgentFault, AgentFaults } from './faults.ts';
import type { Machine } from './machine.ts';
import type { Outbox, Sent, Waiting } from './outbox.ts';
import { ackOf, type Batch } from './records.ts';

export interface ConductParts extends Pick<SealOptions, 'foreignId' | 'more'> {
  machine: Machine;
  outbox: Outbox;
  credential: Credential;
  call: Caller;
  faults: AgentFaults;
  journal: Journal;
  /** A batch of so many random observations. */
  makeBatch: (observations: number) => Batch;
}

export interface Conduct {
  /** Sends it; resolves to every request that it took, none when there is no bearer. */
  deliver(one: Waiting): Promise<Sent[]>;
  readonly lastBatchId: string | null;
}

interface Exchange {
  sent: Sent;
  answer: Answer;
  /** The connection was cut on purpose. */
  isLost: boolean;
}

export function createConduct(parts: ConductParts): Conduct {
  const { machine, outbox, credential, call, faults, journal, makeBatch } = parts;
  const agent = machine.facts.hostName;
  let lastBatchId: string | null = null;

  const take = (fault: AgentFault) => {
    const armed = faults.take(fault, agent);
    if (armed) {
      journal.add('fault', { agent, fault });
    }
    return armed;
  };
  const request = async ({ batch, body, headers }: Sealed, bearer: string): Promise<Exchange> => {
    const slow = take('slow-body');
    const pace = take('never-ends-body') ? 'never' : slow ? Number(slow.value ?? 1000) : undefined;
    const lost = take('loses-ack');
    const cut = lost ? Number(lost.value ?? -1) : undefined;
    lastBatchId = batch.batchId;
    const answer = await call({ method: 'POST', path: '/api/agent/ingest', bearer, headers, body, pace, cut });
    const { status } = answer;
    const ack = status === 200 ? ackOf(answer.body, batch) : null;
    const error = ack ? null : (answer.problem ?? String(answer.body.error ?? 'the ACK is not one for this batch'));
    const sent = { agent, batchId: batch.batchId, observations: batch.observations.length, status, ack, error };
    outbox.note(sent);
    journal.add('batch', { ...sent, ack: ack === null ? null : { ...ack } });
    return { sent, answer, isLost: lost !== null };
  };
  /** One try of one batch, with its consequences. */
  const attempt = async (one: Waiting, bearer: string): Promise<Exchange> => {
    if (one.tries > 0 && take('new-id-on-retry')) {
      one.batch = { ...one.batch, batchId: machine.id() };
      one.sealed = null;
    }
    one.sealed ??= seal(one.batch, { ...parts, take });
    one.tries += 1;
    const exchange = await request(one.sealed, bearer);
    const end = outbox.settle(one, exchange.sent, exchange.answer);
    if (end === 'bearer-refused') {
      credential.refuse(bearer);
    } else if (end === 'parked') {
      journal.add('parked', { agent, batchId: exchange.sent.batchId, status: exchange.sent.status });
    }
    return exchange;
  };
  const floods = async (one: Waiting, bearer: string): Promise<Sent[]> => {
    const armed = take('flood');
    const all: Sent[] = [];
    while (armed && all.length < Number(armed.value ?? 50) && (all.at(-1)?.status ?? 429) === 429) {
      const { sent } = await attempt(one, bearer);
      all.push(sent);
    }
    return all;
  };
  /** What follows an ACK that was not enough. */
  const repeats = async (sealed: Sealed, bearer: string): Promise<Sent[]> => {
    const forms: Sealed[] = [];
    if (take('ignores-ack')) {
      forms.push(sealed);
    }
    if (take('replay-other-content')) {
      const batch = { ...makeBatch(sealed.batch.observations.length), batchId: sealed.batch.batchId };
      forms.push({ batch, body: Buffer.from(JSON.stringify(batch)), headers: {} });
    }
    const all: Sent[] = [];
    for (const form of forms) {
      const { sent } = await request(form, bearer);
      all.push(sent);
    }
    return all;
  };
  const elsewhere = async (bearer: string) => {
    for (const headers of [{ authorization: `Bearer ${bearer}` }, { 'x-admin-token': bearer }]) {
      const { status } = await call({ method: 'GET', path: '/api/connections', headers });
      journal.add('elsewhere', { agent, header: Object.keys(headers)[0], status });
    }
  };
  const parallel = async (one: Waiting, bearer: string): Promise<Sent[]> => {
    const others = Array.from({ length: 7 }, () => outbox.add(makeBatch(one.batch.observations.length)));
    const exchanges = await Promise.all([one, ...others].map((each) => attempt(each, bearer)));
    return exchanges.map(({ sent }) => sent);
  };
  return {
    async deliver(one) {
      const bearer = credential.bearer();
      if (bearer === null) {
        return [];
      }
      if (take('bearer-elsewhere')) {
        await elsewhere(bearer);
      }
      if (take('parallel')) {
        return parallel(one, bearer);
      }
      const first = await attempt(one, bearer);
      const all = [first.sent];
      if (first.isLost) {
        const { sent } = await attempt(one, bearer);
        all.push(sent);
      }
      if (all.at(-1)?.status === 429) {
        const more = await floods(one, bearer);
        all.push(...more);
      }
      if (all.at(-1)?.ack && one.sealed) {
        const more = await repeats(one.sealed, bearer);
        all.push(...more);
      }
      return all;
    },
    get lastBatchId() {
      return lastBatchId;
    },
  };
}
