// The query of the detection log, for reader threads: a scope reads many flows.
import type { z } from 'zod';
import type { DetectionEntry, DetectionLevel, detectionLogQuery } from '#contract/detection.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { type EntryRow, entryColumns, entryTables, toEntry } from './detection-log.ts';

export interface DetectionPageParams {
  query: Omit<z.output<typeof detectionLogQuery>, 'limit'>;
  limit: number;
  now: number;
}

interface DetectionPage {
  logs: DetectionEntry[];
  truncated: boolean;
  next: string | null;
  serverTime: number;
}

interface Condition {
  sql: string;
  values: readonly unknown[];
}

/** A detection belongs to whoever observed its flow; a new device to whoever observed any flow of its address. */
const buildScopeCondition = (isAgent: boolean) => `EXISTS (
  SELECT 1 FROM source so JOIN flow f ON f.source_id = so.id
  WHERE so.address = l.src
    AND (l.dst IS NULL OR (f.destination_id = d.id AND f.dport = l.dport AND f.proto = l.proto))
    AND f.observer_set_id IN (
      SELECT os.id FROM observer_set os JOIN observer o ON o.router_id = ? AND o.kind ${isAgent ? '=' : '<>'} 'agent'
      WHERE ',' || os.members || ',' LIKE '%,' || o.id || ',%'))`;

/** The MAC address of an entry, also when it became known later. */
const mac = 'coalesce(l.src_mac, s.mac)';

/** An address may have been another device's: the MAC address decides where it is known. */
function buildDeviceCondition(src?: readonly string[], srcMac?: readonly string[]): Condition | null {
  const buildInList = (column: string, values: readonly string[]) => `${column} IN (${values.map(() => '?').join()})`;
  if (srcMac === undefined) {
    return src === undefined ? null : { sql: buildInList('l.src', src), values: src };
  }
  const macs = srcMac.map((text) => text.toLowerCase());
  if (src === undefined) {
    return { sql: buildInList(mac, macs), values: macs };
  }
  const sql = `CASE WHEN ${mac} IS NULL THEN ${buildInList('l.src', src)} ELSE ${buildInList(mac, macs)} END`;
  return { sql, values: [...src, ...macs] };
}

const levelConditions: Record<DetectionLevel, string> = {
  danger: "l.threat_confidence = 'high'",
  warn: "l.type <> 'new_device' AND l.threat_confidence IS NOT 'high'",
  info: "l.type = 'new_device'",
};

export const detectionQueries = {
  /** Newest first; `next` names the last row shown. */
  detections(reader: Reader, { query, limit, now }: DetectionPageParams): DetectionPage {
    const { from, to, type, level, src, srcMac, sourceKind, sourceId, before } = query;
    const all: (Condition | null)[] = [
      from === undefined ? null : { sql: 'l.detected_at >= ?', values: [from] },
      to === undefined ? null : { sql: 'l.detected_at <= ?', values: [to] },
      type === undefined ? null : { sql: 'l.type = ?', values: [type] },
      level === undefined ? null : { sql: levelConditions[level], values: [] },
      buildDeviceCondition(src, srcMac),
      before === undefined ? null : { sql: '(l.detected_at, l.id) < (?, ?)', values: before.split('.').map(Number) },
      sourceKind === undefined ? null : { sql: buildScopeCondition(sourceKind === 'agent'), values: [sourceId] },
    ];
    const conditions = all.filter((one) => one !== null);
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
    const rows = reader
      .prepare(
        `SELECT ${entryColumns} FROM ${entryTables} ${where} ORDER BY l.detected_at DESC, l.id DESC LIMIT ${limit + 1}`,
      )
      .all(...conditions.flatMap(({ values }) => values), { now }) as EntryRow[];
    const logs = rows.slice(0, limit).map(toEntry);
    const last = rows.length > limit ? logs.at(-1) : undefined;
    return {
      logs,
      truncated: last !== undefined,
      next: last ? `${last.detectedAt}.${last.id}` : null,
      serverTime: now,
    };
  },
};

export type DetectionQueries = typeof detectionQueries;
