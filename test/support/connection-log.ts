// A real database file with the recorder, the store and the handlers of the connection log on it; no HTTP.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { connectionRoutes } from '#contract/connections.ts';
import type { Threat } from '#contract/model.ts';
import type { Chunk } from '#hub/base/readers/query-table.ts';
import { type ConnectionHandlersOptions, createConnectionHandlers } from '#hub/record/connections/handlers.ts';
import { queries } from '#hub/record/connections/queries.ts';
import { recordObservations } from '#hub/record/connections/record/record.ts';
import type { FactProvider, RecordReport } from '#hub/record/connections/store/facts.ts';
import type { FlowCounts, Observation } from '#hub/record/connections/store/observation.ts';
import { createObservers, type ObserverKind } from '#hub/record/connections/store/observer-set.ts';
import { queries as summaryQueries } from '#hub/record/connections/summary/queries.ts';
import { rejudgeFlows } from '#hub/record/connections/upkeep/rejudge.ts';
import {
  type BodyStream,
  gzippedJson,
  isReadyBody,
  isReadyJson,
  readJsonText,
  readyJson,
} from '#kernel/http/ready-body.ts';
import type { ClientReply } from '#kernel/http/route.ts';
import { parsePart } from '#kernel/http/validate.ts';
import { Db, migrate, ReadConnection } from '#kernel/sqlite/sqlite.ts';
import { watchLeaks } from './leak-guard.ts';
import { makeFolder } from './temporary-folder.ts';

export const hour = 3_600_000;
/** A full hour. */
export const noon = 1_790_000_000_000 - (1_790_000_000_000 % hour);

type Routes = typeof connectionRoutes;
export type ConnectionList = ClientReply<Routes['list']>;
/** Query parameters as they stand in a URL. */
export type UrlQuery = Record<string, string | readonly string[]>;

export interface ConnectionLog extends AsyncDisposable {
  db: Db;
  /** Records observations as the router `routerId` of `kind` sees them; `now` defaults to the latest of them. */
  record(observations: readonly Partial<Observation>[], by?: Recording): Promise<FlowCounts>;
  /** The list as a caller gets it: text parameters in, reply body out; throws AppError. */
  list(query?: UrlQuery): Promise<ConnectionList>;
  /** Any of the routes that answer with JSON, likewise; the reply is checked against its contract. */
  ask<K extends Exclude<keyof Routes, 'export'>>(
    route: K,
    query?: UrlQuery,
    params?: object,
  ): Promise<ClientReply<Routes[K]>>;
  export(query: UrlQuery): Promise<{ headers: Readonly<Record<string, string>>; type: string; text: string }>;
  /** Moves the time the handlers see. */
  setNow(now: number): void;
  /** Sets columns of the dictionary row of `address`. */
  describe(
    table: 'source' | 'destination',
    address: string,
    columns: Record<string, string | number | null>,
  ): Promise<void>;
  /** Lists `address`, on `port` alone when it is given: its flows get the verdict, the others none. */
  judge(address: string, threat: Partial<Threat> | null, port?: number): Promise<void>;
  /** Everything recorded, as plain rows of its tables. */
  contents(): Record<string, unknown[]>;
  clear(): Promise<void>;
}

export interface Recording {
  routerId?: string;
  kind?: ObserverKind;
  name?: string;
  now?: number;
  factProvider?: FactProvider;
  onRecorded?: (report: RecordReport) => void;
  signal?: AbortSignal;
}

const tables = ['flow_hour', 'flow', 'threat', 'observer_set', 'observer', 'source', 'destination'];

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

/** A read-only connection to the log, as a reader thread has one. */
export function openReader({ db }: Pick<ConnectionLog, 'db'>, cacheKb = 4096): ReadConnection & Disposable {
  const reader = new ReadConnection(db.file, cacheKb);
  return Object.assign(reader, { [Symbol.dispose]: () => reader.close() });
}

/** A verdict of a feed. */
const listing: Omit<Threat, 'matchValue'> = {
  level: 'danger',
  confidence: 'high',
  source: 'feed_ioc',
  tag: null,
  matchType: 'ip',
  port: null,
  url: null,
};

export function openConnectionLog(): ConnectionLog {
  const watch = watchLeaks();
  const folder = makeFolder('connections');
  const file = path.join(folder, 'hub.db');
  migrate(file, path.join(import.meta.dirname, '../../src/hub/base/migrations'));
  const db = new Db(file);
  const reader = new ReadConnection(file, 16_384);
  const time = { now: noon };
  const handlers = createConnectionHandlers<null>({
    ...inProcess(reader),
    clock: { now: () => time.now, monotonic: () => time.now, sleep: (_, signal) => aborted(signal) },
    observers: createObservers(db, () => [{ id: 'vendor-a-idle' }]),
    judged: () => ({ judged: 'full', judgedWhy: null }),
    measureCoverage: async () => ({ share: 1, message: null }),
    detailPeers: {
      localOrigins: () => ({
        facts: { country: null, org: null, lat: null, lon: null, city: null },
        ...{ country: null, org: null, place: null },
      }),
      vendorData: () => null,
      evidence: () => null,
    },
  });
  /** What a handler answers to text parameters. */
  const answer = async <K extends keyof Routes>(name: K, query: UrlQuery, params: object = {}) => {
    const route: Routes[keyof Routes] = connectionRoutes[name];
    const parsed = parsePart('invalid_query', 'query' in route ? route.query : undefined, query);
    const handler = handlers[name] as (call: unknown) => unknown;
    const signal = new AbortController().signal;
    return handler({ params, query: parsed, body: {}, principal: null, requestId: 'test', signal });
  };
  const ask = async <K extends Exclude<keyof Routes, 'export'>>(name: K, query: UrlQuery = {}, params?: object) => {
    const ready = await answer(name, query, params);
    const body = isReadyBody(ready) && isReadyJson(ready) ? JSON.parse(readJsonText(ready)) : ready;
    const schema = connectionRoutes[name].reply[200].strict();
    return schema.parse(body) as ClientReply<Routes[K]>;
  };
  return {
    db,
    record: (observations, { routerId = 'vendor-a-1', kind = 'vendor_a', now, ...rest } = {}) => {
      const whole = observations.map(seen);
      const latest = Math.max(...whole.map((observation) => observation.at));
      return recordObservations(db, { routerId, kind, observations: whole, now: now ?? latest, ...rest });
    },
    list: (query) => ask('list', query),
    ask,
    export: async (query) => {
      const { type, headers, body } = (await answer('export', query)) as BodyStream;
      const pieces = await body.toArray();
      return { type, headers, text: Buffer.concat(pieces as Buffer[]).toString('utf8') };
    },
    setNow: (now) => {
      time.now = now;
    },
    describe: (table, address, columns) =>
      db.write((writer) => {
        const names = Object.keys(columns);
        const sets = names.map((name) => `${name} = ?`).join(', ');
        writer.prepare(`UPDATE ${table} SET ${sets} WHERE address = ?`).run(...Object.values(columns), address);
      }),
    judge: async (address, threat, port) => {
      const verdict = threat && { ...listing, matchValue: address, ...threat };
      const judge = ({ dport }: { dport: number }) => (port === undefined || port === dport ? verdict : null);
      await rejudgeFlows(db, { judge, destinations: [address] });
    },
    contents: () =>
      Object.fromEntries(tables.map((table) => [table, db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all()])),
    clear: () =>
      db.write((writer) => {
        for (const table of tables) {
          writer.prepare(`DELETE FROM ${table}`).run();
        }
        writer.prepare('DELETE FROM flow_hour_pack').run();
        writer.prepare('INSERT INTO flow_change (flows, total) VALUES (NULL, 0)').run();
      }),
    [Symbol.asyncDispose]: async () => {
      reader.close();
      await db.close();
      rmSync(folder, { recursive: true });
      await watch[Symbol.asyncDispose]();
    },
  };
}

/** The queries in this thread; what crosses to a reader thread is copied here too. */
function inProcess(reader: ReadConnection): Pick<ConnectionHandlersOptions, 'reads' | 'summaries' | 'exports'> {
  const encode = (chunk: Chunk) => (typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk);
  const all = { ...queries, ...summaryQueries };
  const run = (name: keyof typeof all, params: unknown) =>
    (all[name] as (reader: ReadConnection, params: unknown) => unknown)(reader, structuredClone(params));
  return {
    reads: {
      ask: async (name, params) => readyJson(encode(JSON.stringify(run(name, params)))),
      askGzipped: async (name, params) =>
        gzippedJson(gzipSync(Buffer.concat([...(run(name, params) as Iterable<Chunk>)].map(encode)))),
    },
    summaries: { ask: async (name, params) => readyJson(encode(JSON.stringify(run(name, params)))) },
    exports: {
      async *stream(name, params) {
        for (const chunk of run(name, params) as Iterable<Chunk>) {
          yield encode(chunk);
        }
      },
    },
  };
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
}
