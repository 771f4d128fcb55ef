// Simulated Agents in one process: each with its own name, addresses and credential, all at one hub and under one control.
import { Semaphore } from '#kernel/http/limiter.ts';
import { withChanges } from '#kernel/text/changes.ts';
import { type Clock, hasPassed, systemClock } from '#kernel/time/clock.ts';
import { parseChange, pickDefined } from '../support/change.ts';
import type { Journal } from '../support/journal.ts';
import { requireLoopbackHub } from '../support/loopback.ts';
import { toRunning } from '../support/running.ts';
import type { Entry } from '../support/simulator.ts';
import { createSimulatorBase, type SimulatorBase } from '../support/simulator-base.ts';
import type { HoldClock } from '../support/sleepers.ts';
import { createCaller, holdWhileCalling } from './caller.ts';
import { type AgentControl, type AgentView, type Outcome, paceSchema } from './control.ts';
import type { CredentialStatus } from './credential.ts';
import { createEndpoint, type Endpoint, type Pace } from './endpoint.ts';
import { type AgentFault, agentFaults, requireFaultOptions } from './faults.ts';
import type { MachineFacts } from './records.ts';
import type { ScriptStep } from './script.ts';

export interface AgentOptions {
  /** Address of the hub; loopback, unless `allowNonLoopback` or SIM_ALLOW_NON_LOOPBACK=true. */
  hub: URL;
  /** Enrolment codes, for the first Agents; the others wait for `enroll`. */
  codes?: readonly string[];
  /** How many Agents; 1 when absent. */
  count?: number;
  /** Batches a minute of each Agent; 4 when absent, 0: only when asked for. */
  rate?: number;
  /** Observations of a batch; 20 when absent. */
  observations?: number;
  /** 1 when absent. */
  seed?: number;
  /** IPv4 address of the first machine, from which the others count up; 192.168.100.7 when absent. */
  source?: string;
  /** Sends these steps instead of random batches. */
  script?: readonly ScriptStep[];
  /** What each machine says of itself; those without are made of their numbers. */
  machines?: readonly MachineFacts[];
  /** The local address that connections to the hub come from. */
  connectFrom?: string;
  /** How often it asks what became of its application; 3,000 when absent. */
  claimEveryMs?: number;
  /** How long it waits for an answer; 90,000 when absent. */
  timeoutMs?: number;
  allowNonLoopback?: boolean;
  clock?: Clock;
  /** Of a `clock` that jumps: it stands while a hub answers and decides, which takes real time. */
  holdClock?: HoldClock | undefined;
  onEntry?: (entry: Entry) => void;
}

export interface AgentSimulator extends AgentControl, AsyncDisposable {
  readonly hub: URL;
}

type Base = SimulatorBase<AgentFault>;

/** Starts Agents; resolves when the hub has answered the applications with `codes`, whatever it answered. */
export async function startAgent(options: AgentOptions): Promise<AgentSimulator> {
  const { hub, count = 1, seed = 1 } = options;
  requireLoopbackHub(hub.hostname, options.allowNonLoopback);
  const secrets = new Set<string>();
  const { clock, onEntry } = options;
  const base: Base = createSimulatorBase(pickDefined({ clock, onEntry }), {
    faults: agentFaults,
    secrets: () => [...secrets],
    requireOptions: (fault, given) => requireFaultOptions(fault, given, count),
  });
  const plain: Pace = { rate: options.rate ?? 4, observations: options.observations ?? 20 };
  const ended: Promise<void>[] = [];
  let pace = plain;
  const begin = () => new Life(base, options, secrets, () => pace);
  let life = begin();
  const views = () => life.endpoints.map(toView);

  const control: AgentControl = {
    ...base.control,
    get agents() {
      return views();
    },
    async enroll(code, agent) {
      const { credential, machine } = life.findApplicant(agent);
      const status = await credential.enroll(code);
      return { agent: machine.facts.hostName, status, requestId: credential.requestId };
    },
    async deliver({ batches = 1, observations, agent } = {}) {
      const sent = await Promise.all(life.choose(agent).map((one) => one.deliver(batches, observations)));
      return sent.flat();
    },
    rotate: (agent) => life.askEach(agent, (one) => one.rotate()),
    revoke: (agent) => life.askEach(agent, (one) => one.revoke()),
    reset() {
      ended.push(life.end());
      base.faults.clear();
      pace = plain;
      life = begin();
      base.journal.clear();
    },
    state: () => ({ hub: hub.href, ...pace, seed, agents: views(), faults: base.faults.list() }),
    patch(change) {
      pace = withChanges(pace, parseChange(paceSchema, change));
      for (const one of life.endpoints) {
        one.produce();
      }
    },
  };
  for (const code of (options.codes ?? []).slice(0, count)) {
    await control.enroll(code);
  }
  return toRunning(control, {
    hub,
    async [Symbol.asyncDispose]() {
      await Promise.all([...ended, life.end()]);
    },
  });
}

/** The Agents from the start, or from a reset, to the next reset. */
class Life {
  readonly endpoints: readonly Endpoint[];
  readonly #over = new AbortController();

  constructor({ clock, faults, journal }: Base, options: AgentOptions, secrets: Set<string>, pace: () => Pace) {
    const { signal } = this.#over;
    const add: Journal['add'] = (kind, details) => {
      if (!signal.aborted) {
        journal.add(kind, details);
      }
    };
    const {
      hub,
      count = 1,
      seed = 1,
      connectFrom: from = null,
      timeoutMs = 90_000,
      script = null,
      machines = [],
    } = options;
    const { source = '192.168.100.7', claimEveryMs = 3000 } = options;
    const { holdClock } = options;
    const hubClock = holdClock ? systemClock : clock;
    const caller = createCaller({ hub, clock: hubClock, from, timeoutMs, signal });
    const call = holdClock ? holdWhileCalling(caller, holdClock, signal) : caller;
    const waitToClaim = (ms: number) => {
      const passed = hasPassed(hubClock, ms, signal);
      return holdClock ? holdClock(passed) : passed;
    };
    const shared = {
      seed,
      source,
      call,
      clock,
      faults,
      journal: { ...journal, add },
      secrets,
      pace,
      script,
      claimEveryMs,
      waitToClaim,
      claimTurns: new Semaphore(holdClock ? 1 : Number.POSITIVE_INFINITY),
    };
    this.endpoints = Array.from({ length: count }, (_, index) =>
      createEndpoint({
        ...shared,
        number: index + 1,
        facts: machines[index],
        foreignId: () => this.#lastBatchId(index),
        signal,
      }),
    );
  }

  /** The Agent of this number, or every one that can send. Throws when there is none. */
  choose(agent: number | undefined): readonly Endpoint[] {
    const chosen = this.endpoints.filter((one, at) =>
      agent === undefined ? one.credential.canSend() : at === agent - 1,
    );
    if (chosen.length === 0) {
      throw new Error(agent === undefined ? 'no Agent has a bearer' : `there is no Agent ${agent}`);
    }
    return chosen;
  }

  /** The Agent of this number, or the first one that has not applied. Throws when there is none. */
  findApplicant(agent: number | undefined): Endpoint {
    const hasApplied: readonly CredentialStatus[] = ['active', 'pending', 'applying'];
    const found =
      agent === undefined
        ? this.endpoints.find(({ credential }) => !hasApplied.includes(credential.status))
        : this.choose(agent)[0];
    if (!found) {
      throw new Error('every Agent has applied already');
    }
    return found;
  }

  /** Asks the Agents of `choose`, all at once. Rejects when there is none. */
  async askEach(agent: number | undefined, ask: (one: Endpoint) => Promise<number | null>): Promise<Outcome[]> {
    const answers = this.choose(agent).map(async (one) => ({
      agent: one.machine.facts.hostName,
      status: await ask(one),
    }));
    return Promise.all(answers);
  }

  async end(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.endpoints.map((one) => one.settled()));
  }

  /** The id of a batch that another Agent has sent; null when none has. */
  #lastBatchId(except: number): string | null {
    const other = this.endpoints.find((one, at) => at !== except && one.lastBatchId !== null);
    return other?.lastBatchId ?? null;
  }
}

function toView({ machine: { facts, addresses }, credential, outbox }: Endpoint, index: number): AgentView {
  return {
    number: index + 1,
    hostName: facts.hostName,
    platform: facts.platform,
    addresses: { ...addresses },
    credential: credential.status,
    requestId: credential.requestId,
    agentId: credential.agentId,
    ...outbox(),
  };
}
