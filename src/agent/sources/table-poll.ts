// Reads the socket tables again and again: connections that are open at that moment, and who holds them.
import { existsSync, readFileSync } from 'node:fs';
import type { Clock } from '#kernel/time/clock.ts';
import { type SourceState, type Tuple, tupleKey, unknownProcess } from './connection.ts';
import type { Held, Ledger } from './ledger.ts';
import type { Identity, Processes } from './processes.ts';
import { isWatched } from './scope.ts';
import { parseEndpoints, parseSocketTable, socketState } from './socket-table.ts';
import { createTableFile, type Row, type TableFile } from './table-file.ts';

/** A row that was not there before. */
interface NewRow {
  table: TableFile;
  row: Row;
  endpoints: string;
  state: number;
  inode: number;
}

/** One of a connection that may be reported. */
interface Fresh extends NewRow {
  tuple: Tuple;
  key: string;
}

export interface PollOptions {
  clock: Clock;
  ledger: Ledger;
  processes: Processes;
  includeLoopback: boolean;
  procDir: string;
}

/** Rows of one table that are told apart; more are counted as lost. */
const maxRows = 65_536;
const listenedMs = 120_000;

export type TablePoll = ReturnType<typeof createTablePoll>;

export function createTablePoll({ clock, ledger, processes, includeLoopback, procDir }: PollOptions) {
  const tables = (['tcp', 'tcp6', 'udp', 'udp6'] as const)
    .map((name) => createTableFile(`${procDir}/net/${name}`, name.startsWith('tcp') ? 'tcp' : 'udp'))
    .filter(({ path }) => existsSync(path));
  const ephemeral = ephemeralPorts(procDir);
  /** Ports that accepted connections lately, by the time. */
  const listened = new Map<number, number>();
  let [polls, turn, lost, problem] = [
    0,
    0,
    0,
    tables.length === 0 ? `there is no socket table in ${procDir}/net` : null,
  ];

  const isListening = (port: number, protocol: 'tcp' | 'udp' = 'tcp') =>
    tables.some(({ networkProtocol, listening }) => networkProtocol === protocol && listening.has(port)) ||
    (protocol === 'tcp' && listened.has(port));

  /** What the table has new. */
  function read(table: TableFile): NewRow[] {
    const bytes = table.read();
    const fresh: NewRow[] = [];
    if (bytes === null) {
      for (const row of table.rows.values()) {
        row.turn = turn;
      }
      return fresh;
    }
    table.listening = new Set();
    lost += parseSocketTable(bytes, (endpoints, state, inode) => {
      if (state === (table.networkProtocol === 'tcp' ? socketState.listen : socketState.closed)) {
        table.listening.add(Number.parseInt(endpoints.slice(endpoints.indexOf(':') + 1, endpoints.indexOf(' ')), 16));
        return;
      }
      const id = state === socketState.timeWait ? endpoints : `${endpoints} ${inode}`;
      const known = table.rows.get(id);
      if (known) {
        known.turn = turn;
      } else if (table.rows.size >= maxRows) {
        lost += 1;
      } else {
        const row: Row = { turn, held: null };
        table.rows.set(id, row);
        fresh.push({ table, row, endpoints, state, inode });
      }
    });
    return fresh;
  }

  function reported(fresh: readonly NewRow[]): Fresh[] {
    return fresh.flatMap((one) => {
      const tuple = parseEndpoints(one.endpoints, one.table.networkProtocol);
      const isOurs =
        tuple !== null &&
        tuple.remotePort !== 0 &&
        isWatched(tuple.remoteAddress, includeLoopback) &&
        one.state !== socketState.synReceived &&
        (one.state === socketState.synSent || !isListening(tuple.localPort, tuple.networkProtocol));
      return isOurs ? [{ ...one, tuple, key: tupleKey(tuple) }] : [];
    });
  }

  function show({ row, table }: Fresh, held: Held | null): void {
    row.held = held;
    if (held) {
      held.presence = table.presence;
    }
  }

  /** Sockets that no process holds any more: on their way to the end, or in TIME_WAIT after it. */
  function closing(fresh: Fresh, now: number): void {
    const { key, state, tuple } = fresh;
    const known = ledger.find(key);
    if (known && state !== socketState.timeWait) {
      show(fresh, known);
    } else if (!ledger.wasSeen(key) && polls > 0 && ephemeral(tuple.localPort)) {
      const held = ledger.open({ ...start(fresh, now), ...unknownProcess });
      if (held && state === socketState.timeWait) {
        ledger.end(held, now);
      } else {
        show(fresh, held);
      }
    }
  }

  /** Rows that have gone end their connections, unless another row shows the same one. */
  function sweep(now: number): void {
    const shown = new Set<Held | null>();
    const gone = new Set<Held | null>();
    for (const { rows } of tables) {
      for (const [id, row] of rows) {
        if (row.turn === turn) {
          shown.add(row.held);
        } else {
          rows.delete(id);
          gone.add(row.held);
        }
      }
    }
    for (const held of gone) {
      if (held && !shown.has(held)) {
        ledger.end(held, now);
      }
    }
  }

  const start = ({ tuple }: Fresh, at: number) => ({
    ...{ ...tuple, at, collector: 'socket-table' as const, confidence: 'sampled' as const, isStartSeen: polls > 0 },
  });

  /** A socket that a process holds. `owner` is undefined when it was not looked for, or not found. */
  function held(fresh: Fresh, owner: Identity | undefined, now: number): void {
    const known = ledger.find(fresh.key);
    if (known) {
      const isOne = owner && known.candidates?.some(({ processID }) => processID === owner.processID);
      if (owner && (known.connection.processID === 0 || known.candidates)) {
        ledger.name(known, owner, isOne ? 'exact' : 'sampled');
      }
      show(fresh, known);
    } else if (fresh.row.turn === turn) {
      show(fresh, ledger.open({ ...start(fresh, now), ...(owner ?? unknownProcess) }));
    }
  }

  async function poll(): Promise<void> {
    turn += 1;
    const now = clock.now();
    const rows = tables.map(read);
    const fresh = rows.flatMap(reported);
    noteListening(now);
    for (const one of fresh.filter(({ inode }) => inode === 0)) {
      closing(one, now);
    }
    sweep(now);
    const sockets = fresh.filter(({ inode }) => inode !== 0);
    const unknown = sockets.filter(({ key }) => {
      const known = ledger.find(key);
      return !known || known.candidates || known.connection.processID === 0;
    });
    const owners = await processes.findOwners(new Set(unknown.map(({ inode }) => inode)));
    for (const one of sockets) {
      held(one, owners.get(one.inode), now);
    }
    for (const { presence } of tables) {
      presence.seenAt = now;
    }
    polls += 1;
  }

  function noteListening(now: number): void {
    for (const { networkProtocol, listening } of tables) {
      for (const port of networkProtocol === 'tcp' ? listening : []) {
        listened.delete(port);
        listened.set(port, now);
      }
    }
    for (const [port, at] of listened) {
      if (now - at > listenedMs) {
        listened.delete(port);
      }
    }
  }

  return {
    /** Throws when a table cannot be read. */
    async poll(): Promise<void> {
      try {
        await poll();
        problem = tables.length === 0 ? problem : null;
      } catch (error) {
        problem = `the socket tables cannot be read: ${(error as Error).message}`;
        throw error;
      }
    },
    isListening: (port: number) => isListening(port),
    noteListener: (port: number) => listened.set(port, clock.now()),
    isEphemeral: ephemeral,
    polls: () => polls,
    lost: () => lost,
    state(pollMs: number): SourceState {
      const hidden = processes.hidden();
      return {
        name: 'socket-tables',
        active: problem === null,
        reason: problem,
        cannotSee: [
          `Connections shorter than the time between two polls (${pollMs} ms) are seen by chance.`,
          'UDP without connect() has no remote address in a socket table.',
          'Other network namespaces, such as those of containers, have tables of their own.',
          ...(hidden > 0
            ? [
                `The sockets of ${hidden} processes of other users must not be read: their connections have no process. Run as root, or with CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH.`,
              ]
            : []),
        ],
      };
    },
  };
}

/** Whether the kernel gives a port to a connection that has chosen none. */
function ephemeralPorts(procDir: string): (port: number) => boolean {
  const file = `${procDir}/sys/net/ipv4/ip_local_port_range`;
  // Absent where a service sees of /proc only the processes: what Linux starts with.
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '32768 60999';
  const [low = 32_768, high = 60_999] = text.trim().split(/\s+/).map(Number);
  return (port) => port >= low && port <= high;
}
