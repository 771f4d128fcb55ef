// A real database file with the recorder, the store and the handlers of the connection log on it; no HTTP.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connectionListQuery, type connectionRoutes } from '#contract/connections.ts';
import { connectionHandlers } from '#hub/connections/handlers.ts';
import type { Observation, Recorded } from '#hub/connections/observation.ts';
import type { ObserverKind } from '#hub/connections/observer-set.ts';
import { recordObservations } from '#hub/connections/record.ts';
import { createConnectionStore } from '#hub/connections/store.ts';
import type { ClientReply } from '#kernel/http/route.ts';
import { parsePart } from '#kernel/http/validate.ts';
import { Db, migrate } from '#kernel/sqlite.ts';

export const hour = 3_600_000;
/** A full hour. */
export const noon = 1_790_000_000_000 - (1_790_000_000_000 % hour);

export type ConnectionList = ClientReply<(typeof connectionRoutes)['list']>;

export interface ConnectionLog extends AsyncDisposable {
  db: Db;
  /** Records observations as the router `routerId` of `kind` sees them; `now` defaults to the latest of them. */
  record(observations: readonly Partial<Observation>[], by?: Recording): Promise<Recorded>;
  /** The list as a caller gets it: text parameters in, reply body out; throws AppError. */
  list(query?: Record<string, string | readonly string[]>): Promise<ConnectionList>;
  /** Sets columns of the dictionary row of `address`. */
  describe(
    table: 'source' | 'destination',
    address: string,
    columns: Record<string, string | number | null>,
  ): Promise<void>;
  /** Everything recorded, as plain rows of its five tables. */
  contents(): Record<string, unknown[]>;
  clear(): Promise<void>;
}

export interface Recording {
  routerId?: string;
  kind?: ObserverKind;
  name?: string;
  now?: number;
  signal?: AbortSignal;
}

const tables = ['flow_hour', 'flow', 'observer_set', 'observer', 'source', 'destination'];

export function seen(changes: Partial<Observation> = {}): Observation {
  const at = changes.at ?? noon;
  return {
    src: '192.168.1.2',
    dst: '203.0.113.80',
    dport: 443,
    proto: 'TCP',
    sport: null,
    ttl: null,
    startedAt: at,
    ...changes,
    at,
  };
}

export function openConnectionLog(): ConnectionLog {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-connections-'));
  const file = path.join(folder, 'hub.db');
  migrate(file, path.join(import.meta.dirname, '../../src/hub/migrations'));
  const db = new Db(file);
  const handlers = connectionHandlers<null>({
    store: createConnectionStore(db),
    clock: { now: () => noon, sleep: () => Promise.reject(new Error('nothing sleeps here')) },
    hasRouter: (id) => id === 'vendor-a-idle',
  });
  return {
    db,
    record: (observations, { routerId = 'vendor-a-1', kind = 'vendor_a', now, ...rest } = {}) => {
      const whole = observations.map(seen);
      const latest = Math.max(...whole.map((observation) => observation.at));
      return recordObservations(db, { routerId, kind, observations: whole, now: now ?? latest, ...rest });
    },
    list: async (query = {}) => {
      const parsed = parsePart('invalid_query', connectionListQuery, query);
      return handlers.list({
        params: {},
        query: parsed as ReturnType<typeof connectionListQuery.parse>,
        body: {},
        principal: null,
        requestId: 'test',
        request: {
          id: 'test',
          method: 'GET',
          path: '/api/connections',
          target: '/api/connections',
          address: '127.0.0.1',
          host: 'hub.test',
          isSecure: false,
          headers: {},
          cookies: {},
        },
        signal: new AbortController().signal,
      }) as Promise<ConnectionList>;
    },
    describe: (table, address, columns) =>
      db.write((writer) => {
        const names = Object.keys(columns);
        const sets = names.map((name) => `${name} = ?`).join(', ');
        writer.prepare(`UPDATE ${table} SET ${sets} WHERE address = ?`).run(...Object.values(columns), address);
      }),
    contents: () =>
      Object.fromEntries(tables.map((table) => [table, db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all()])),
    clear: () =>
      db.write((writer) => {
        for (const table of tables) {
          writer.prepare(`DELETE FROM ${table}`).run();
        }
      }),
    [Symbol.asyncDispose]: async () => {
      await db.close();
      rmSync(folder, { recursive: true });
    },
  };
}
