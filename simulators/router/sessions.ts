import { createRandom, hash } from '../support/random.ts';
import type { Latency } from './latency.ts';
import type { Connection } from './ssh/server.ts';
import type { Wire } from './terminal/output.ts';
import { startTerminal, type Terminal, type TerminalOptions } from './terminal/terminal.ts';
import type { Login } from './vendor.ts';
import type { Users, World } from './world/world.ts';

export interface SessionsOptions
  extends Omit<TerminalOptions, 'world' | 'login' | 'wire' | 'latency' | 'random' | 'onTable'> {
  world: () => World;
  seed: number;
  latency: () => Latency;
  allowed: number;
}

interface Session {
  from: string;
  login: Login;
  wire: Wire;
  terminal: Terminal;
}

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(options: SessionsOptions) {
  const { vendor, violations, note } = options;
  const sessions = new Map<Wire, Session>();
  const tables = new Set<Wire>();
  let opened = 0;

  const usersFor = (wire: Wire): Users =>
    [...sessions.values()].map((session) => ({
      user: session.login.user,
      from: session.from,
      privileged: session.login.privileged,
      self: session.wire === wire,
    }));

  const watchTable = (wire: Wire, running: boolean) => {
    if (!running) {
      tables.delete(wire);
      return;
    }
    if (tables.size > 0) {
      violations.add('overlapping-polls', 'a NAT table was asked for while another session was still reading it');
    }
    tables.add(wire);
  };

  return {
    open(connection: Connection, user: string, wire: Wire): (bytes: Uint8Array) => void {
      opened += 1;
      const session = opened;
      const world = options.world().viewFor(() => usersFor(wire));
      const login = vendor.newLogin(user, world);
      const terminal = startTerminal({
        ...options,
        world,
        login,
        wire,
        latency: options.latency(),
        random: createRandom(hash(options.seed, 'session', session)),
        onTable: (running) => watchTable(wire, running),
        note: (kind, details) => note(kind, { session, ...details }),
      });
      sessions.set(wire, { from: connection.from, login, wire, terminal });
      note('session-opened', { session, connection: connection.id, user });
      if (sessions.size > options.allowed) {
        violations.add(
          'parallel-sessions',
          `${sessions.size} sessions are open at once; ${options.allowed} are allowed`,
        );
      }
      wire.closed.addEventListener(
        'abort',
        () => {
          sessions.delete(wire);
          tables.delete(wire);
          note('session-closed', { session });
        },
        { once: true },
      );
      return (bytes) => terminal.feed(bytes);
    },
    kick(): void {
      for (const { wire } of [...sessions.values()]) {
        wire.cut('exit');
      }
    },
    log(text: string): void {
      for (const { terminal } of sessions.values()) {
        terminal.log(text);
      }
    },
    size: () => sessions.size,
  };
}
