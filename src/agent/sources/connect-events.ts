// Events of the kernel: each TCP connection at its start, with its process, however short it is.
import { type Clock, monotonicMs } from '#kernel/time/clock.ts';
import { startLines } from './child-lines.ts';
import { type SourceState, type Tuple, tupleKey, unknownProcess, type WatchCounters } from './connection.ts';
import type { Held, Ledger } from './ledger.ts';
import type { Identity, Processes } from './processes.ts';
import { isWatched } from './scope.ts';
import { openTraceInstance } from './trace-instance.ts';
import { parseTraceLine, type StateChange } from './trace-line.ts';

export interface ConnectEvents extends AsyncDisposable {
  state(): SourceState;
  /** Events that were dropped and lines that were not understood; `isLossKnown` is false when the kernel's counts cannot be read. */
  loss(): Pick<WatchCounters, 'lostEvents' | 'isLossKnown'>;
  /** Forgets attempts without an answer, and ends connections whose process has ended and that no table shows. */
  tidy(now: number): void;
}

export interface EventOptions {
  clock: Clock;
  ledger: Ledger;
  processes: Processes;
  includeLoopback: boolean;
  procDir: string;
  tracefsDir: string;
}

/** A connect() that has no local port yet. */
interface Attempt extends Identity {
  localAddress: string;
  threadId: number;
  at: number;
  /** Possible owners: more than one if another attempt may have been mistaken for this one. */
  mayBeOf: readonly Identity[];
}

const retryMs = 30_000;
/** The kernel gives up an attempt after about two minutes. */
const attemptMs = 150_000;
const maxAttempts = 8192;
const unknownLoss =
  'How many events the kernel dropped is not known: the counts of the tracing instance (per_cpu/*/stats) cannot be read; its user needs the right to.';
const blind = ['Connections between two polls of the socket tables, and which process opened them, are not seen.'];

export async function startConnectEvents(options: EventOptions): Promise<ConnectEvents> {
  const instance = openTraceInstance(options);
  if (typeof instance === 'string') {
    return inactive(instance);
  }
  const reader = createEventReader(options);
  const child = { clock: options.clock, command: ['cat'], input: instance.pipe, onLine: reader.line, retryMs };
  const lines = await startLines(child).catch(async (error: unknown) => {
    await instance[Symbol.asyncDispose]();
    throw error;
  });
  let lostAtEnd: number | null | undefined;
  const dropped = () => (lostAtEnd === undefined ? instance.lost() : lostAtEnd);
  return {
    state() {
      const problem = lines.problem()?.problem ?? null;
      const limits = [
        'UDP is not seen by these events.',
        'Connections that were open before the watch began have no event.',
        ...(dropped() === null ? [unknownLoss] : []),
      ];
      return { name: 'connect-events', active: problem === null, reason: problem, cannotSee: problem ? blind : limits };
    },
    loss() {
      const byKernel = dropped();
      return { lostEvents: reader.damaged() + (byKernel ?? 0), isLossKnown: byKernel !== null };
    },
    tidy: reader.tidy,
    async [Symbol.asyncDispose]() {
      lostAtEnd = instance.lost();
      await lines[Symbol.asyncDispose]();
      await instance[Symbol.asyncDispose]();
    },
  };
}

/** Used where the kernel offers no events. */
export function inactive(reason: string): ConnectEvents {
  const state: SourceState = { name: 'connect-events', active: false, reason, cannotSee: blind };
  return {
    state: () => state,
    loss: () => ({ lostEvents: 0, isLossKnown: true }),
    tidy() {},
    async [Symbol.asyncDispose]() {},
  };
}

/** Attempts to connect that have not become a connection yet, by their peer. */
class Attempts {
  readonly #byPeer = new Map<string, Attempt[]>();
  #size = 0;

  /** False when the oldest attempt was dropped to make room. */
  add(change: StateChange, identity: Identity, at: number): boolean {
    const key = peerKey(change);
    const list = this.#byPeer.get(key) ?? [];
    const { localAddress, threadId } = change;
    list.push({ ...identity, localAddress, threadId, at, mayBeOf: [identity] });
    this.#byPeer.set(key, list);
    this.#size += 1;
    if (this.#size <= maxAttempts) {
      return true;
    }
    const [oldest] = this.#byPeer;
    this.#drop(...(oldest as [string, Attempt[]]), 0);
    return false;
  }

  /**
   * The attempt that has become this connection. The event does not name the socket: attempts of several processes to one
   * peer at the same time are told apart by the thread that runs, and otherwise by the socket table (`candidates`).
   */
  take(change: StateChange): { attempt: Attempt; candidates: readonly Identity[] | null } | null {
    const key = peerKey(change);
    const list = this.#byPeer.get(key) ?? [];
    const possible = list.filter(({ localAddress }) => localAddress === change.localAddress);
    const attempt = possible.find(({ threadId }) => change.isInProcess && threadId === change.threadId) ?? possible[0];
    if (!attempt) {
      return null;
    }
    this.#drop(key, list, list.indexOf(attempt));
    if (change.isInProcess && attempt.threadId === change.threadId) {
      return { attempt, candidates: null };
    }
    const all = new Map(possible.flatMap(({ mayBeOf }) => mayBeOf).map((one) => [one.processID, one]));
    const candidates = [...all.values()];
    for (const one of possible) {
      one.mayBeOf = candidates;
    }
    return { attempt, candidates: candidates.length > 1 ? candidates : null };
  }

  /** Drops attempts that are so old that the kernel has given them up. */
  tidy(now: number): void {
    for (const [key, list] of this.#byPeer) {
      for (const attempt of list.filter(({ at }) => now - at > attemptMs)) {
        this.#drop(key, list, list.indexOf(attempt));
      }
    }
  }

  #drop(key: string, list: Attempt[], index: number): void {
    list.splice(index, 1);
    this.#size -= 1;
    if (list.length === 0) {
      this.#byPeer.delete(key);
    }
  }
}

/** Turns lines of trace_pipe into connections of the ledger. */
export function createEventReader({
  clock,
  ledger,
  processes,
  includeLoopback,
}: Omit<EventOptions, 'procDir' | 'tracefsDir'>) {
  const attempts = new Attempts();
  let damaged = 0;

  function opened(change: StateChange): Held | null {
    const found = attempts.take(change);
    if (!found || change.localPort === 0) {
      return null;
    }
    const { attempt, candidates } = found;
    const confidence = candidates ? 'sampled' : 'exact';
    const known = ledger.find(tupleKey(change));
    // A poll may show a connection before its event is read, but not before it began.
    if (known && known.connection.firstObservedAt >= attempt.at) {
      if (!candidates) {
        ledger.name(known, attempt, known.isTaken ? 'sampled' : 'exact');
      }
      if (!known.isTaken) {
        known.connection.firstObservedAt = attempt.at;
        known.connection.collector = 'socket-events';
      }
      return known;
    }
    if (known) {
      ledger.end(known, attempt.at);
    }
    const { networkProtocol, localAddress, localPort, remoteAddress, remotePort } = change;
    const tuple = { networkProtocol, localAddress, localPort, remoteAddress, remotePort };
    const { processID, processName } = candidates ? findCommonIdentity(candidates) : attempt;
    const start = { at: attempt.at, confidence, collector: 'socket-events', isStartSeen: true } as const;
    const held = ledger.open({ ...tuple, processID, processName, ...start });
    if (held) {
      held.candidates = candidates;
    }
    return held;
  }

  function apply(change: StateChange): void {
    const at = Math.round(clock.now() - Math.max(0, monotonicMs() - change.monotonicMs));
    if (change.newState === 'TCP_SYN_SENT') {
      const isKept = attempts.add(change, processes.identify(change.threadId, change.comm), at);
      damaged += isKept ? 0 : 1;
      return;
    }
    const held = change.oldState === 'TCP_SYN_SENT' ? opened(change) : ledger.find(tupleKey(change));
    if (held && change.newState === 'TCP_CLOSE') {
      ledger.end(held, at);
    }
  }

  return {
    line(line: string): void {
      // Skip loopback early: on a busy machine most events are between its own programs.
      if (!includeLoopback && line.includes(' daddr=127.')) {
        return;
      }
      const change = parseTraceLine(line);
      if (change === null) {
        damaged += line === '' ? 0 : 1;
      } else if ('newState' in change && change.remotePort !== 0 && isWatched(change.remoteAddress, includeLoopback)) {
        apply(change);
      }
    },
    damaged: () => damaged,
    tidy(now: number): void {
      attempts.tidy(now);
      for (const held of ledger.openConnections()) {
        const { collector, processID, firstObservedAt } = held.connection;
        const isOld = now - firstObservedAt > attemptMs;
        if (collector === 'socket-events' && held.presence === null && isOld && !processes.isAlive(processID)) {
          ledger.end(held, now);
        }
      }
    },
  };
}

/** The facts that all candidates share, so that none is named by chance. */
function findCommonIdentity(candidates: readonly Identity[]): Identity {
  const [name = unknownProcess.processName, ...others] = new Set(candidates.map(({ processName }) => processName));
  return { ...unknownProcess, processName: others.length === 0 ? name : unknownProcess.processName };
}

function peerKey({ remoteAddress, remotePort }: Tuple): string {
  return `${remoteAddress} ${remotePort}`;
}
