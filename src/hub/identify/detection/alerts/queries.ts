// Alerts as the API shows them, for reader threads.
import type { z } from 'zod';
import { alertLimits } from '#contract/alert-limits.ts';
import type { Alert } from '#contract/alert-records.ts';
import type { AlertState } from '#contract/alert-states.ts';
import type { alertRoutes } from '#contract/alerts.ts';
import { AppError } from '#kernel/errors.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { dayMs } from '#kernel/time/time.ts';
import { type EntryRow, entryColumns, entryTables, toEntry } from '../detection-log.ts';
import { readContacts } from './contacts.ts';
import { readHistory } from './events.ts';
import { readRules, readRulesOfAlert } from './rules.ts';
import { alertStateSql, isQuietSql } from './state.ts';

type Query = z.output<typeof alertRoutes.list.query>;
type Page = z.output<(typeof alertRoutes.list.reply)[200]>;
type Detail = z.output<(typeof alertRoutes.detail.reply)[200]>;
type Rules = z.output<(typeof alertRoutes.rules.reply)[200]>;

const columns = `a.id, a.kind, a.target, a.note, a.first_at AS firstAt, a.last_at AS lastAt,
  CASE a.level WHEN 2 THEN 'danger' WHEN 1 THEN 'warn' ELSE 'info' END AS level, ${alertStateSql} AS state,
  iif(a.quiet IS NULL OR a.quiet_until IS NULL OR a.quiet_until > @now, a.state_at, a.quiet_until) AS since,
  iif(${isQuietSql}, a.quiet_until, NULL) AS until`;

const device = 'coalesce(l.src_mac, l.src)';
const searched = ['l.src', 'l.src_mac', 'l.src_vendor', 'l.src_dns_name', 'l.src_mdns_name', 'l.dst', 'l.dst_host']
  .concat(['l.org', 'l.country', 'l.threat_source', 'l.threat_tag'])
  .map((column) => `instr(lower(${column}), @q) > 0`)
  .join(' OR ');

/** SQL of each part of a query; a part that is absent restricts nothing. */
const conditions = {
  state: `${alertStateSql} IN (SELECT value FROM json_each(@state))`,
  kind: 'a.kind = @kind',
  level: "a.level = CASE @level WHEN 'danger' THEN 2 WHEN 'warn' THEN 1 ELSE 0 END",
  device: `EXISTS (SELECT 1 FROM detection l
    WHERE l.alert_id = a.id AND (${device} IN (SELECT value FROM json_each(@device)) OR l.src IN (SELECT value FROM json_each(@device))))`,
  q: `(instr(lower(a.target), @q) > 0 OR instr(lower(a.note), @q) > 0
    OR EXISTS (SELECT 1 FROM detection l WHERE l.alert_id = a.id AND (${searched})))`,
  before: '(a.last_at, a.id) < (@lastAt, @lastId)',
} satisfies Partial<Record<keyof Query, string>>;

type AlertRow = Omit<Alert, 'lead' | 'devices' | 'deviceCount' | 'ports' | 'lists' | 'times'>;

export const alertQueries = {
  alerts(reader: Reader, { query, now }: { query: Query; now: number }): Page {
    const { limit = alertLimits.alertsPage, before, state: states, device: devices, q, kind, level } = query;
    const [lastAt, lastId] = (before ?? '0.0').split('.').map(Number);
    const given = { before, state: states, device: devices, q, kind, level };
    const where = Object.entries(conditions).flatMap(([name, sql]) =>
      given[name as keyof typeof given] === undefined ? [] : [sql],
    );
    const values = {
      ...{ now, lastAt, lastId, kind, level },
      state: JSON.stringify(states ?? []),
      device: JSON.stringify(devices ?? []),
      q: q?.toLowerCase(),
    };
    const rows = reader
      .prepare(
        `SELECT ${columns} FROM alert a WHERE ${['1', ...where].join(' AND ')}
         ORDER BY a.last_at DESC, a.id DESC LIMIT ${limit + 1}`,
      )
      .all(values) as AlertRow[];
    const alerts = rows.slice(0, limit).map((row) => completeAlert(reader, row, now, alertLimits.alertDevices));
    const last = rows.length > limit ? alerts.at(-1) : undefined;
    return {
      alerts,
      next: last ? `${last.lastAt}.${last.id}` : null,
      ...countAlerts(reader, now),
      serverTime: now,
    };
  },

  alertCounts: (reader: Reader, { now }: { now: number }): Pick<Page, 'counts' | 'urgent'> => countAlerts(reader, now),

  /** Throws AppError `not_found`. */
  alertDetail(reader: Reader, { id, now }: { id: number; now: number }): Detail {
    const alert = readAlert(reader, id, now, Number.POSITIVE_INFINITY);
    const detections = reader
      .prepare(
        `SELECT ${entryColumns} FROM ${entryTables} WHERE l.alert_id = ?
         ORDER BY l.detected_at DESC, l.id DESC LIMIT ${alertLimits.alertsPage}`,
      )
      .all(id, { now }) as EntryRow[];
    return {
      alert,
      ...readContacts(reader, id),
      detections: detections.map(toEntry),
      history: readHistory(reader, id, now),
      rules: readRulesOfAlert(reader, id, now),
      serverTime: now,
    };
  },

  alertRules: (reader: Reader, { q, now }: { q: string | undefined; now: number }): Rules => ({
    rules: readRules(reader, now, q),
    serverTime: now,
  }),
};

export type AlertQueries = typeof alertQueries;

/** Names `most` devices and ports of the alert at most. Throws AppError `not_found`. */
export function readAlert(
  reader: Pick<Reader, 'prepare'>,
  id: number,
  now: number,
  most: number = alertLimits.alertDevices,
): Alert {
  const row = reader.prepare(`SELECT ${columns} FROM alert a WHERE a.id = @id`).get({ id, now }) as
    | AlertRow
    | undefined;
  if (row === undefined) {
    throw new AppError('not_found', `there is no alert ${id}; GET /api/alerts lists them`);
  }
  return completeAlert(reader, row, now, most);
}

/** How many alerts need a look. */
export function countOpenAlerts(reader: Pick<Reader, 'prepare'>, now: number): number {
  return reader
    .prepare(`SELECT count(*) FROM alert a WHERE a.state = 'open' AND NOT (${isQuietSql})`)
    .pluck()
    .get({ now }) as number;
}

/** How many alerts there are by state, and what the overview says when none is open. */
function countAlerts(reader: Reader, now: number): Pick<Page, 'counts' | 'urgent' | 'clearSince' | 'handled'> {
  const rows = reader
    .prepare(
      `SELECT ${alertStateSql} AS state, count(*) AS alerts, sum(a.kind <> 'new_device') AS urgent, max(a.opened_until) AS openedUntil
       FROM alert a GROUP BY 1`,
    )
    .all({ now }) as { state: AlertState; alerts: number; urgent: number; openedUntil: number | null }[];
  const counts = { open: 0, acknowledged: 0, muted: 0, expected: 0, resolved: 0 };
  for (const row of rows) {
    counts[row.state] = row.alerts;
  }
  const handled = reader
    .prepare(
      `SELECT count(DISTINCT alert_id) FROM alert_event
       WHERE at >= ? AND actor IS NOT NULL AND undone_at IS NULL AND action IN ('mute', 'expect', 'resolve')`,
    )
    .pluck()
    .get(now - 7 * dayMs) as number;
  const ends = rows.map(({ openedUntil }) => openedUntil).filter((at) => at !== null);
  return {
    counts,
    urgent: rows.find((row) => row.state === 'open')?.urgent ?? 0,
    clearSince: counts.open > 0 || ends.length === 0 ? null : Math.max(...ends),
    handled,
  };
}

function completeAlert(reader: Pick<Reader, 'prepare'>, row: AlertRow, now: number, most: number): Alert {
  const lead = reader
    .prepare(
      `SELECT ${entryColumns} FROM ${entryTables} WHERE l.alert_id = ? ORDER BY l.detected_at DESC, l.id DESC LIMIT 1`,
    )
    .get(row.id, { now }) as EntryRow;
  const devices = reader
    .prepare(
      `SELECT ${device} AS device, max(l.src) AS src, max(l.src_mac) AS srcMac, max(l.src_vendor) AS srcVendor,
         max(l.src_dns_name) AS srcDnsName, max(l.src_mdns_name) AS srcMdnsName, min(l.detected_at) AS firstAt,
         max(l.detected_at) AS lastAt, count(*) AS times
       FROM detection l WHERE l.alert_id = ? GROUP BY ${device} ORDER BY lastAt DESC, device`,
    )
    .all(row.id) as Alert['devices'];
  const names = reader
    .prepare('SELECT DISTINCT dport, threat_source AS list FROM detection WHERE alert_id = ? ORDER BY dport, list')
    .all(row.id) as { dport: number | null; list: string | null }[];
  const ports = [...new Set(names.flatMap(({ dport }) => dport ?? []))];
  return {
    ...row,
    lead: toEntry(lead),
    times: devices.reduce((sum, { times }) => sum + times, 0),
    devices: devices.slice(0, most),
    deviceCount: devices.length,
    ports: ports.slice(0, most),
    lists: [...new Set(names.flatMap(({ list }) => list ?? []))],
  };
}
