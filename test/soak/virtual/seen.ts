// What the hub holds, read by its API and in its tables.
import path from 'node:path';
import Database from 'better-sqlite3';
import { type Api, api } from '#contract/index.ts';
import { type Client, ClientError, createClient } from '#kernel/http/client.ts';
import { dayMs } from '#kernel/time/time.ts';
import { hourRows } from '../../support/hour-rows.ts';
import type { Home } from './home.ts';
import type { FlowKey } from './model.ts';
import { homeZone } from './plan.ts';
import { flowKey } from './traffic.ts';
import { offsetAt } from './zone.ts';

export interface Seen {
  at: number;
  /** Flows with the instant they were last seen. */
  flows: Map<FlowKey, number>;
  /** `flow hour` pairs, packed or not. */
  hours: Set<string>;
  /** What the list and the summary count over everything. */
  total: number;
  summaryTotal: number;
  macs: Set<string>;
  /** Rows of the audit trail, by type. */
  audit: Map<string, number>;
  /** Sessions that the hub lists as active. */
  sessions: number;
  /** By token: whether the hub knows the caller. */
  identities: Map<string, boolean>;
  /** Generations of the usual kind, the oldest first; epoch milliseconds. */
  generations: { name: string; madeAt: number }[];
  /** What SQLite says of the newest one. */
  newestIs: string;
  /** Milliseconds of the last day that were observed, by router. */
  covered: Map<string, number>;
  /** Scheduled analyses that were made, by local date. */
  analyses: Map<string, number>;
  /** Requests to models of the current local month, as the hub counts them and by its list of analyses. */
  monthRequests: number;
  monthAnalyses: number;
  /** `src dst` of detections that are about a listed address. */
  threats: Set<string>;
  /** Messages that are on their way to the chat workspace. */
  waitingMessages: number;
  homeCountry: string;
}

export async function look(home: Home): Promise<Seen> {
  const { lab, model } = home;
  const { admin } = lab.as;
  const at = lab.clock.now();
  const { total } = await admin.connections.list({ query: { limit: '0' } });
  const summary = await admin.connections.summary({ query: { to: String(at) } });
  const { devices } = await admin.devices.list({ query: { includeArchived: '1' } });
  const { sessions } = await admin.auth.sessions({});
  const { homeCountry } = await admin.config.general({});
  const { backups } = await admin.backup.list({});
  const generations = backups.map(({ name, created }) => ({ name, madeAt: Date.parse(created) }));
  const identities = new Map<string, boolean>();
  for (const { token } of model.identities) {
    identities.set(token, await isLetIn(lab.url, token));
  }
  const { events } = await admin.ai.notificationEvents({ query: { limit: '200' } });
  const analyses = new Map<string, number>();
  for (const { triggerKey, status } of events) {
    const [, date] = /^scheduled:daily:(\d{4}-\d\d-\d\d):/.exec(triggerKey ?? '') ?? [];
    if (date !== undefined && status === 'complete') {
      analyses.set(date, (analyses.get(date) ?? 0) + 1);
    }
  }
  const timezoneOffset = String(-offsetAt(homeZone, at));
  const { current } = await admin.ai.monthlyUsage({ query: { timezoneOffset } });
  return {
    ...{ at, total, summaryTotal: summary.total, homeCountry, sessions: sessions.length, generations, identities },
    ...{ analyses, monthRequests: current.requests },
    monthAnalyses: events.filter(({ createdAt, status }) => createdAt >= current.from && status === 'complete').length,
    macs: new Set(devices.flatMap(({ mac }) => mac ?? [])),
    newestIs: soundness(path.join(lab.dataDir, 'backups', generations.at(-1)?.name ?? '')),
    ...reading(path.join(lab.dataDir, 'monitor.db'), (db) => tables(db, at)),
  };
}

/** Whether the hub answers the holder of a session or of an identity. Throws what is no answer to that. */
export async function isLetIn(url: URL, token: string): Promise<boolean> {
  try {
    await createCaller(url, token).connections.list({ query: { limit: '0' } });
    return true;
  } catch (error) {
    if (error instanceof ClientError && error.status === 401) {
      return false;
    }
    throw error;
  }
}

function reading<T>(file: string, work: (db: Database.Database) => T): T {
  const db = new Database(file, { readonly: true });
  try {
    return work(db);
  } finally {
    db.close();
  }
}

function soundness(file: string): string {
  try {
    return reading(file, (db) => String(db.pragma('integrity_check', { simple: true })));
  } catch (error) {
    return String(error);
  }
}

function tables(db: Database.Database, at: number) {
  const all = <T>(sql: string, ...values: number[]) => db.prepare(sql).all(...values) as T[];
  const byId = new Map(
    all<{ id: number; src: string; dst: string; dport: number; proto: string; last: number }>(
      `SELECT f.id, s.address AS src, d.address AS dst, f.dport, f.proto, f.last_seen AS last FROM flow f
       JOIN source s ON s.id = f.source_id JOIN destination d ON d.id = f.destination_id`,
    ).map(({ id, src, dst, dport, proto, last }) => [id, { key: flowKey(src, dst, dport, proto), last }]),
  );
  const waiting = `SELECT (SELECT count(*) FROM outbox_message WHERE state = 'open') +
    (SELECT count(*) FROM outbox_event WHERE message_id IS NULL AND withdrawn_at IS NULL) AS waiting`;
  const spans = `SELECT s.key, sum((min(p.until, :at) - max(p.since, :at - ${dayMs})) * 1.0 * p.seen / (p.until - p.since)) AS ms
    FROM coverage_span p JOIN coverage_subject s ON s.id = p.subject
    WHERE s.kind = 'router' AND p.until > :at - ${dayMs} AND p.since < :at GROUP BY s.key`;
  return {
    flows: new Map([...byId.values()].map(({ key, last }) => [key, last])),
    hours: new Set(hourRows(db).map(({ hour, flow }) => `${byId.get(flow)?.key ?? `flow ${flow}`} ${hour}`)),
    audit: new Map(
      all<{ type: string; rows: number }>(
        'SELECT event_type AS type, count(*) AS rows FROM audit_event GROUP BY 1',
      ).map(({ type, rows }) => [type, rows]),
    ),
    threats: new Set(
      all<{ pair: string }>(
        `SELECT DISTINCT src || ' ' || dst AS pair FROM detection WHERE type IN ('threat', 'retro_match')`,
      ).map(({ pair }) => pair),
    ),
    covered: new Map(
      (db.prepare(spans).all({ at }) as { key: string; ms: number }[]).map(({ key, ms }) => [key, Math.round(ms)]),
    ),
    waitingMessages: all<{ waiting: number }>(waiting)[0]?.waiting ?? 0,
  };
}

/** A caller with the token of a session or of an identity. */
export function createCaller(url: URL, token: string): Client<Api> {
  return createClient(api, { baseUrl: url, headers: { 'x-admin-token': token } });
}
