// One Agent of the simulator: a machine, its credential, and what it delivers when, by rate or by script.

import { messageOf } from '#kernel/errors.ts';
import { type Clock, hasPassed } from '#kernel/time/clock.ts';
import { minuteMs } from '#kernel/time/time.ts';
import { pickDefined } from '../support/change.ts';
import { createRandom, hash } from '../support/random.ts';
import { Conduct } from './conduct.ts';
import type { SealOptions } from './content.ts';
import { Credential, type CredentialParts } from './credential.ts';
import { createDelivery, type Delivery } from './delivery.ts';
import { createMachine } from './machine.ts';
import { createOutbox, type Sent } from './outbox.ts';
import type { Batch, MachineFacts } from './records.ts';
import { createObservations, type ScriptStep, type WhatToSend } from './script.ts';

export interface Pace {
  /** Batches a minute; 0: only when asked for. */
  rate: number;
  observations: number;
}

export interface EndpointParts
  extends Omit<CredentialParts, 'facts' | 'random' | 'onActive'>,
    Pick<SealOptions, 'foreignId'> {
  clock: Clock;
  number: number;
  seed: number;
  source: string;
  pace: () => Pace;
  script: readonly ScriptStep[] | null;
  /** What the machine says of itself, instead of what the number gives. */
  facts: MachineFacts | undefined;
}

export type Endpoint = ReturnType<typeof createEndpoint>;

export function createEndpoint(parts: EndpointParts) {
  const { number, seed, clock, faults, journal, pace, signal } = parts;
  const machine = createMachine(seed, number, parts.source, parts.facts);
  const agent = machine.facts.hostName;
  const credential = new Credential({
    ...parts,
    facts: machine.facts,
    random: createRandom(hash('codes', seed, number)),
    onActive: () => start(),
  });
  const outbox = createOutbox(clock, createRandom(hash('back-off', seed, number)));
  let toldUntil: number | null = null;
  let producing = new AbortController();
  let produced: Promise<void> = Promise.resolve();

  const more = (count: number) => {
    const now = clock.now();
    const from = Math.min(toldUntil ?? now - minuteMs, now);
    toldUntil = now;
    return machine.observations(from, now, count);
  };
  const makeBatch = (what: WhatToSend = pace().observations): Batch => {
    const observations = typeof what === 'number' ? more(what) : createObservations(machine, what, clock.now());
    return machine.batch(clock.now(), observations);
  };
  const conduct = new Conduct({ ...parts, machine, outbox, credential, more, makeBatch });
  const delivery: Delivery = createDelivery({ ...parts, agent, conduct, outbox, credential });

  const rotate = () => delivery.alone(() => credential.rotate());
  const revoke = () => delivery.alone(() => credential.revoke());
  const byRate = async (ended: AbortSignal) => {
    const { rate } = pace();
    while (rate > 0 && !ended.aborted && credential.canSend()) {
      delivery.push(makeBatch());
      await hasPassed(clock, minuteMs / rate, ended);
    }
  };
  const play = async (steps: readonly ScriptStep[]) => {
    for (const step of steps.filter((one) => one.agent === undefined || one.agent === number)) {
      const waitMs = step.at === undefined ? step.afterMs : Math.max(0, step.at - clock.now());
      if (!(await hasPassed(clock, waitMs, signal))) {
        return;
      }
      await act(step);
    }
    journal.add('script-ended', { agent });
  };
  const act = async (step: ScriptStep) => {
    const { send, fault, times, value } = step;
    if (send !== undefined) {
      delivery.push(makeBatch(send));
    } else if (fault !== undefined) {
      faults.arm(fault, { command: agent, ...pickDefined({ times, value }) });
    } else if (step.rotate) {
      await rotate();
    } else {
      await revoke();
    }
  };
  const guarded = async (work: Promise<void>) => {
    try {
      await work;
    } catch (error) {
      journal.add('broken', { agent, reason: messageOf(error) });
    }
  };
  const produce = () => {
    producing.abort();
    producing = new AbortController();
    produced = guarded(byRate(AbortSignal.any([signal, producing.signal])));
  };
  const start = () => {
    delivery.resume();
    if (parts.script) {
      produced = guarded(play(parts.script));
    } else {
      produce();
    }
  };
  return {
    machine,
    credential,
    get lastBatchId(): string | null {
      return conduct.lastBatchId;
    },
    async deliver(batches: number, what?: WhatToSend): Promise<Sent[]> {
      const all: Sent[] = [];
      for (let left = batches; left > 0 && credential.canSend(); left -= 1) {
        const sent = await delivery.now(makeBatch(what));
        all.push(...sent);
      }
      return all;
    },
    /** Between two deliveries; resolves to the status of the answer. */
    rotate,
    revoke,
    produce(): void {
      if (!parts.script) {
        produce();
      }
    },
    outbox: outbox.state,
    settled: () => Promise.all([credential.claimed, produced, delivery.settled]),
  };
}
