// Polls the socket tables for open connections and the processes that hold them.
import { existsSync, readFileSync } from 'node:fs';
import type { Clock } from '#kernel/time/clock.ts';
import { type SourceState, type Tuple, tupleKey, unknownProcess } from './connection.ts';
import type { Held, Ledger } from './ledger.ts';
import type { Identity, Processes } from './processes.ts';
import { isWatched } from './scope.ts';
import { parseEndpoints, parseSocketTable, socketState } from './socket-table.ts';
import { createTableFile, type Row, type TableFile } from './table-file.ts';

/** A row that the previous read of the table did not have. */
interface NewRow {
  table: TableFile;
  row: Row;
  endpoints: string;
  state: number;
  inode: number;
}

/** A new row of a connection that may be reported. */
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

/** Most rows that are remembered of one table; more are counted as lost. */
const maxRows = 65_536;
const listenedMs = 120_000;

export class TablePoll {
  /** Whether the kernel gives this port to a connection that has chosen none. */
  readonly isEphemeral: (port: number) => boolean;

  readonly #options: PollOptions;
  readonly #tables: readonly TableFile[];
  /** When ports accepted connections last, by the port. */
  readonly #listened = new Map<number, number>();
  #polls = 0;
  #turn = 0;
  #lost = 0;
  #problem: string | null;

  constructor(options: PollOptions) {
    const { procDir } = options;
    this.#options = options;
    this.isEphemeral = readEphemeralPorts(procDir);
    this.#tables = (['tcp', 'tcp6', 'udp', 'udp6'] as const)
      .map((name) => createTableFile(`${procDir}/net/${name}`, name.startsWith('tcp') ? 'tcp' : 'udp'))
      .filter(({ path }) => existsSync(path));
    this.#problem = this.#tables.length === 0 ? `there is no socket table in ${procDir}/net` : null;
  }

  get polls(): number {
    return this.#polls;
  }

  /** Lines that were not understood, and rows that were too many. */
  get lost(): number {
    return this.#lost;
  }

  /** Throws when a table cannot be read. */
  async poll(): Promise<void> {
    try {
      await this.#readAll();
      this.#problem = this.#tables.length === 0 ? this.#problem : null;
    } catch (error) {
      this.#problem = `the socket tables cannot be read: ${(error as Error).message}`;
      throw error;
    }
  }

  /** Whether this port accepts connections, or did recently. */
  isListening(port: number, protocol: 'tcp' | 'udp' = 'tcp'): boolean {
    return (
      this.#tables.some(({ networkProtocol, listening }) => networkProtocol === protocol && listening.has(port)) ||
      (protocol === 'tcp' && this.#listened.has(port))
    );
  }

  noteListener(port: number): void {
    this.#listened.set(port, this.#options.clock.now());
  }

  state(pollMs: number): SourceState {
    const hidden = this.#options.processes.hidden();
    const cannotSee = [
      `Connections shorter than the time between two polls (${pollMs} ms) are seen by chance.`,
      'UDP without connect() has no remote address in a socket table.',
      'Other network namespaces, such as those of containers, have tables of their own.',
    ];
    if (hidden > 0) {
      cannotSee.push(
        `The Agent lacks permission to read the sockets of ${hidden} processes of other users: their connections have ` +
          'no process. Run it as root, or with CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH.',
      );
    }
    return { name: 'socket-tables', active: this.#problem === null, reason: this.#problem, cannotSee };
  }

  async #readAll(): Promise<void> {
    const { clock, ledger, processes } = this.#options;
    this.#turn += 1;
    const now = clock.now();
    const rows = this.#tables.map((table) => this.#readNewRows(table));
    const fresh = rows.flatMap((all) => all.flatMap((row) => this.#toFresh(row) ?? []));
    this.#noteListening(now);
    for (const one of fresh.filter(({ inode }) => inode === 0)) {
      this.#takeClosing(one, now);
    }
    this.#endGone(now);
    const sockets = fresh.filter(({ inode }) => inode !== 0);
    const unknown = sockets.filter(({ key }) => {
      const known = ledger.find(key);
      return !known || known.candidates || known.connection.processID === 0;
    });
    const owners = await processes.findOwners(new Set(unknown.map(({ inode }) => inode)));
    for (const one of sockets) {
      this.#takeHeld(one, owners.get(one.inode), now);
    }
    for (const { presence } of this.#tables) {
      presence.seenAt = now;
    }
    this.#polls += 1;
  }

  #readNewRows(table: TableFile): NewRow[] {
    const bytes = table.read();
    const fresh: NewRow[] = [];
    if (bytes === null) {
      for (const row of table.rows.values()) {
        row.turn = this.#turn;
      }
      return fresh;
    }
    table.listening = new Set();
    const damaged = parseSocketTable(bytes, (endpoints, state, inode) => {
      if (state === (table.networkProtocol === 'tcp' ? socketState.listen : socketState.closed)) {
        table.listening.add(Number.parseInt(endpoints.slice(endpoints.indexOf(':') + 1, endpoints.indexOf(' ')), 16));
        return;
      }
      const id = state === socketState.timeWait ? endpoints : `${endpoints} ${inode}`;
      const known = table.rows.get(id);
      if (known) {
        known.turn = this.#turn;
      } else if (table.rows.size >= maxRows) {
        this.#lost += 1;
      } else {
        const row: Row = { turn: this.#turn, held: null };
        table.rows.set(id, row);
        fresh.push({ table, row, endpoints, state, inode });
      }
    });
    this.#lost += damaged;
    return fresh;
  }

  /** Returns null for a row whose connection is not reported. */
  #toFresh(row: NewRow): Fresh | null {
    const tuple = parseEndpoints(row.endpoints, row.table.networkProtocol);
    const isReported =
      tuple !== null &&
      tuple.remotePort !== 0 &&
      isWatched(tuple.remoteAddress, this.#options.includeLoopback) &&
      row.state !== socketState.synReceived &&
      (row.state === socketState.synSent || !this.isListening(tuple.localPort, tuple.networkProtocol));
    return isReported ? { ...row, tuple, key: tupleKey(tuple) } : null;
  }

  /** Takes a socket that no process holds any more: on its way to the end, or in TIME_WAIT after it. */
  #takeClosing(fresh: Fresh, now: number): void {
    const { ledger } = this.#options;
    const { key, state, tuple } = fresh;
    const known = ledger.find(key);
    if (known && state !== socketState.timeWait) {
      show(fresh, known);
    } else if (!ledger.wasSeen(key) && this.#polls > 0 && this.isEphemeral(tuple.localPort)) {
      const held = ledger.open({ ...this.#toStart(fresh, now), ...unknownProcess });
      if (held && state === socketState.timeWait) {
        ledger.end(held, now);
      } else {
        show(fresh, held);
      }
    }
  }

  /** Takes a socket that a process holds. `owner` is undefined when it was not looked for, or not found. */
  #takeHeld(fresh: Fresh, owner: Identity | undefined, now: number): void {
    const { ledger } = this.#options;
    const known = ledger.find(fresh.key);
    if (known) {
      const isOne = owner && known.candidates?.some(({ processID }) => processID === owner.processID);
      if (owner && (known.connection.processID === 0 || known.candidates)) {
        ledger.name(known, owner, isOne ? 'exact' : 'sampled');
      }
      show(fresh, known);
    } else if (fresh.row.turn === this.#turn) {
      show(fresh, ledger.open({ ...this.#toStart(fresh, now), ...(owner ?? unknownProcess) }));
    }
  }

  /** Ends the connections of missing rows, unless another row shows the same connection. */
  #endGone(now: number): void {
    const shown = new Set<Held | null>();
    const gone = new Set<Held | null>();
    for (const { rows } of this.#tables) {
      for (const [id, row] of rows) {
        if (row.turn === this.#turn) {
          shown.add(row.held);
        } else {
          rows.delete(id);
          gone.add(row.held);
        }
      }
    }
    for (const held of gone) {
      if (held && !shown.has(held)) {
        this.#options.ledger.end(held, now);
      }
    }
  }

  #toStart({ tuple }: Fresh, at: number) {
    const seen = { collector: 'socket-table', confidence: 'sampled' } as const;
    return { ...tuple, ...seen, at, isStartSeen: this.#polls > 0 };
  }

  #noteListening(now: number): void {
    for (const { networkProtocol, listening } of this.#tables) {
      for (const port of networkProtocol === 'tcp' ? listening : []) {
        this.#listened.delete(port);
        this.#listened.set(port, now);
      }
    }
    for (const [port, at] of this.#listened) {
      if (now - at > listenedMs) {
        this.#listened.delete(port);
      }
    }
  }
}

function show({ row, table }: Fresh, held: Held | null): void {
  row.held = held;
  if (held) {
    held.presence = table.presence;
  }
}

/** Whether the kernel gives a port to a connection that has chosen none. */
function readEphemeralPorts(procDir: string): (port: number) => boolean {
  const file = `${procDir}/sys/net/ipv4/ip_local_port_range`;
  // Absent where a service sees of /proc only the processes: what Linux starts with.
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '32768 60999';
  const [low = 32_768, high = 60_999] = text.trim().split(/\s+/).map(Number);
  return (port) => port >= low && port <= high;
}
