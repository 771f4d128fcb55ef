// Simulated Agents in one process: each with its own name, addresses and credential, all at one hub and under one control.
import { type Clock, systemClock } from '#kernel/time/clock.ts';
import { createArmedFaults } from '../support/armed-faults.ts';
import { baseControl } from '../support/base-control.ts';
import { createJournal, type Journal } from '../support/journal.ts';
import { requireLoopbackHub } from '../support/loopback.ts';
import type { Entry } from '../support/simulator.ts';
import { createCaller } from './caller.ts';
import { type AgentControl, type AgentView, changedPace } from './control.ts';
import { createEndpoint, type Endpoint, type Pace } from './endpoint.ts';
import { type AgentFault, requireFaultOptions } from './faults.ts';
import type { ScriptStep } from './script.ts';

export interface AgentOptions {
  /** Address of the hub; loopback, unless `allowNonLoopback` or SIM_ALLOW_NON_LOOPBACK=true. */
  hub: URL;
  /** Enrolment codes, for the first Agents; the others wait for `control.enroll`. */
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
  /** The local address that connections to the hub come from. */
  connectFrom?: string;
  /** How often it asks what became of its application; 3,000 when absent. */
  claimEveryMs?: number;
  /** How long it waits for an answer; 90,000 when absent. */
  timeoutMs?: number;
  allowNonLoopback?: boolean;
  clock?: Clock;
  onEntry?: (entry: Entry) => void;
}

export interface AgentSimulator extends AsyncDisposable {
  readonly hub: URL;
  readonly control: AgentControl;
}

/** One life of the Agents: from the start, or a reset, to the next one. */
interface Life {
  endpoints: readonly Endpoint[];
  end(): Promise<void>;
}

/** Starts Agents; resolves when the hub has answered the applications with `codes`, whatever it answered. */
export async function startAgent(options: AgentOptions): Promise<AgentSimulator> {
  const { hub, count = 1, seed = 1, clock = systemClock, onEntry } = options;
  requireLoopbackHub(hub.hostname, options.allowNonLoopback);
  const plain: Pace = { rate: options.rate ?? 4, observations: options.observations ?? 20 };
  const faults = createArmedFaults<AgentFault>();
  const ended: Promise<void>[] = [];
  const secrets = new Set<string>();
  const journal = createJournal({ clock, secrets: () => [...secrets], onEntry });
  let pace = plain;

  const begin = (): Life => {
    const over = new AbortController();
    const add: Journal['add'] = (kind, details) => {
      if (!over.signal.aborted) {
        journal.add(kind, details);
      }
    };
    const call = createCaller({
      hub,
      clock,
      from: options.connectFrom ?? null,
      timeoutMs: options.timeoutMs ?? 90_000,
      signal: over.signal,
    });
    const endpoints: Endpoint[] = Array.from({ length: count }, (_, index) =>
      createEndpoint({
        number: index + 1,
        seed,
        source: options.source ?? '192.168.100.7',
        call,
        clock,
        faults,
        journal: { ...journal, add },
        secrets,
        pace: () => pace,
        script: options.script ?? null,
        claimEveryMs: options.claimEveryMs ?? 3000,
        foreignId: () => endpoints.find((one, at) => at !== index && one.lastBatchId !== null)?.lastBatchId ?? null,
        signal: over.signal,
      }),
    );
    return {
      endpoints,
      async end() {
        over.abort();
        await Promise.all(endpoints.map((one) => one.settled()));
      },
    };
  };
  let now = begin();

  const chosen = (agent: number | undefined): readonly Endpoint[] => {
    const of = now.endpoints.filter((one, at) => (agent === undefined ? one.credential.canSend() : at === agent - 1));
    if (of.length === 0) {
      throw new Error(agent === undefined ? 'no Agent has a bearer' : `there is no Agent ${agent}`);
    }
    return of;
  };
  const each = async <T>(agent: number | undefined, act: (one: Endpoint) => Promise<T>): Promise<T[]> =>
    Promise.all(chosen(agent).map(act));
  const views = () => now.endpoints.map(viewOf);

  const control: AgentControl = {
    ...baseControl(faults, journal, (fault, given) => requireFaultOptions(fault, given, count)),
    get agents() {
      return views();
    },
    async enroll(code, agent) {
      const isFree = ({ credential: { status } }: Endpoint) =>
        status !== 'active' && status !== 'pending' && status !== 'applying';
      const one = agent === undefined ? now.endpoints.find(isFree) : chosen(agent)[0];
      if (!one) {
        throw new Error('every Agent has applied already');
      }
      const status = await one.credential.enroll(code);
      return { agent: one.machine.facts.hostName, status, requestId: one.credential.requestId };
    },
    async deliver({ batches = 1, observations, agent } = {}) {
      return (await each(agent, (one) => one.deliver(batches, observations))).flat();
    },
    rotate: (agent) => each(agent, async (one) => ({ agent: one.machine.facts.hostName, status: await one.rotate() })),
    revoke: (agent) => each(agent, async (one) => ({ agent: one.machine.facts.hostName, status: await one.revoke() })),
    reset() {
      ended.push(now.end());
      faults.clear();
      pace = plain;
      now = begin();
      journal.clear();
    },
    state: () => ({ hub: hub.href, ...pace, seed, agents: views(), faults: faults.list() }),
    patch(change) {
      pace = changedPace(pace, change);
      for (const one of now.endpoints) {
        one.produce();
      }
    },
  };
  for (const code of (options.codes ?? []).slice(0, count)) {
    await control.enroll(code);
  }
  return {
    hub,
    control,
    async [Symbol.asyncDispose]() {
      await Promise.all([...ended, now.end()]);
    },
  };
}

function viewOf({ machine: { facts, addresses }, credential, outbox }: Endpoint, index: number): AgentView {
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
