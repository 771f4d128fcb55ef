// How often each invariant was checked, and the first one that was broken.

export const invariantNames = {
  'agent-batches': 'what Agents were acknowledged is in the database',
  'answered-writes': 'notes and settings are as their writers were answered',
  'nothing-twice': 'no batch, observation, flow or message is there twice',
  memory: 'memory in use grows by no more than 1 MiB an hour, as far as the samples can tell',
  descriptors: 'file descriptors are given back',
  health: '/healthz answers within its bound',
  status: 'what the hub says of routers and services is true within the promised time',
  alive: 'the hub answers, and nothing ends that was not ended',
} as const;

export type InvariantName = keyof typeof invariantNames;

export interface Broken {
  invariant: InvariantName;
  problem: string;
}

export interface Checks {
  /** Counts a check; the first problem is kept. */
  check(invariant: InvariantName, problem: string | null): void;
  /** From now on nothing is counted: what is being ended owes nothing. */
  close(): void;
  readonly counts: Readonly<Record<InvariantName, number>>;
  readonly broken: Broken | null;
}

export function createChecks(): Checks {
  const counts = Object.fromEntries(Object.keys(invariantNames).map((name) => [name, 0])) as Record<
    InvariantName,
    number
  >;
  let broken: Broken | null = null;
  let isClosed = false;
  return {
    counts,
    check(invariant, problem) {
      if (isClosed) {
        return;
      }
      counts[invariant] += 1;
      if (problem !== null) {
        broken ??= { invariant, problem };
      }
    },
    close() {
      isClosed = true;
    },
    get broken() {
      return broken;
    },
  };
}
