// Watches the outbound connections of this machine: starts every source that is possible and joins what they show.

import type { Log } from '#kernel/process/log.ts';
import type { Clock } from '#kernel/time/clock.ts';
import { startJob } from '#kernel/time/job.ts';
import { agentProgramLimits as limits } from '../limits.ts';
import { type ConnectEvents, inactive, startConnectEvents } from './connect-events.ts';
import type { SourceState, Watch } from './connection.ts';
import { type Conntrack, startConntrack } from './conntrack.ts';
import { Ledger } from './ledger.ts';
import { createProcesses, type Processes } from './processes.ts';
import type { SocketBytes } from './ss-line.ts';
import { TablePoll } from './table-poll.ts';
import { startTcpEnds, type TcpEnds } from './tcp-ends.ts';

export interface WatchOptions {
  clock: Clock;
  log: Log;
  /** Time between two reads of the socket tables; when absent 3 s, or 10 s where events of the kernel show each start. */
  pollMs?: number | undefined;
  /** Whether connections to this machine itself are reported. */
  includeLoopback: boolean;
  /** `tables`: no kernel events, no `ss`, no `conntrack`. */
  allow?: 'all' | 'tables';
  procDir?: string;
  tracefsDir?: string;
}

/** Longest delay between an event and its reading. */
const settleMs = 2000;
const countMs = 15_000;
const tidyMs = 60_000;
const turnedOff = 'only the socket tables are to be read';

/** How the program starts a watch; tests start another one. */
export type StartWatch = (options: WatchOptions) => Promise<Watch>;

/** Throws one sentence when no source at all can be used; a source that cannot be is named by `sources()`. */
export async function startWatch(options: WatchOptions): Promise<Watch> {
  const { clock, log, includeLoopback, allow = 'all' } = options;
  const { procDir = '/proc', tracefsDir = '/sys/kernel/tracing' } = options;
  const processes: Processes = createProcesses(procDir);
  let events: ConnectEvents = inactive(turnedOff);
  let ends: TcpEnds | null = null;
  let conntrack: Conntrack | null = null;
  const ledger: Ledger = new Ledger({
    clock,
    includeLoopback,
    isOutbound: (end) => isOutbound(end, tables, events),
    settleMs: () => (ends?.state().active || events.state().active ? settleMs : 0),
  });
  const shared = { clock, ledger, processes, includeLoopback, procDir };
  const tables = new TablePoll(shared);

  await using stack = new AsyncDisposableStack();
  // The last take() returns ended connections at once.
  stack.defer(() => ledger.close());
  if (allow === 'all') {
    events = stack.use(await startConnectEvents({ ...shared, tracefsDir }));
    ends = stack.use(
      await startTcpEnds({ clock, ledger, includeLoopback, noteListener: (port) => tables.noteListener(port) }),
    );
    conntrack = stack.use(await startConntrack({ clock, ledger }));
  }
  const pollMs = options.pollMs ?? 1000 * (events.state().active ? limits.pollWithEventsS : limits.pollS);
  await tables.poll().catch((error: unknown) => log.warn({ err: error }, 'the socket tables cannot be read'));
  await ends?.count(new AbortController().signal);
  const sources = () => [
    events.state(),
    tables.state(pollMs),
    ends?.state() ?? off('tcp-ends'),
    conntrack?.state() ?? off('conntrack'),
  ];
  requireSource(sources());
  const jobs = [
    {
      name: 'reading the socket tables',
      everyMs: pollMs,
      async run() {
        await tables.poll();
        ledger.settle(clock.now());
      },
    },
    {
      name: 'counting the bytes of connections',
      everyMs: countMs,
      run: async (stop: AbortSignal) => ends?.count(stop),
    },
    { name: 'forgetting connections without an end', everyMs: tidyMs, run: async () => events.tidy(clock.now()) },
  ];
  for (const job of jobs) {
    stack.use(startJob(clock, log, job));
  }
  const running = stack.move();
  return {
    take: () => ledger.take(),
    sources,
    counters() {
      const damaged = tables.lost + (ends?.damaged() ?? 0) + (conntrack?.damaged() ?? 0);
      const { lostEvents: byEvents, isLossKnown } = events.loss();
      const lostEvents = ledger.counters.lostEvents + byEvents + damaged;
      return { ...ledger.counters, lostEvents, isLossKnown, polls: tables.polls };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** With kernel events, each outbound connection has a start event. An end without one is of an accepted connection. */
function isOutbound(
  { openedBy, localPort, remotePort }: SocketBytes,
  tables: TablePoll,
  events: ConnectEvents,
): boolean {
  if (openedBy !== 'unknown') {
    return openedBy === 'this side';
  }
  const isLikely = tables.isEphemeral(localPort) && !tables.isEphemeral(remotePort);
  return isLikely && !events.state().active && !tables.isListening(localPort);
}

function off(name: SourceState['name']): SourceState {
  return { name, active: false, reason: turnedOff, cannotSee: [] };
}

function requireSource(states: readonly SourceState[]): void {
  if (!states.some(({ name, active }) => active && name !== 'conntrack')) {
    const reasons = states.map(({ name, reason }) => `${name}: ${reason}`);
    throw new Error(`no source of connections can be used on this machine (${reasons.join('; ')})`);
  }
}
