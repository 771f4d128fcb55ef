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

/** A detection belongs to whoever observed its flow; a new device to whoever observed any flow of its address. */
const inScope = (isAgent: boolean) => `EXISTS (
  SELECT 1 FROM source so JOIN flow f ON f.source_id = so.id
  WHERE so.address = l.src
    AND (l.dst IS NULL OR (f.destination_id = d.id AND f.dport = l.dport AND f.proto = l.proto))
    AND f.observer_set_id IN (
      SELECT os.id FROM observer_set os JOIN observer o ON o.router_id = ? AND o.kind ${isAgent ? '=' : '<>'} 'agent'
      WHERE ',' || os.members || ',' LIKE '%,' || o.id || ',%'))`;

/** The MAC address of an entry, also when it became known later. */
const mac = 'coalesce(l.src_mac, s.mac)';

/** An address may have been another device's: the MAC address decides where it is known. */
function ofDevice(src: readonly string[] | undefined, srcMac: readonly string[] | undefined): [string, ...unknown[]][] {
  const oneOf = (column: string, values: readonly string[]) => `${column} IN (${values.map(() => '?').join()})`;
  if (srcMac === undefined) {
    return src === undefined ? [] : [[oneOf('l.src', src), ...src]];
  }
  const macs = srcMac.map((text) => text.toLowerCase());
  return src === undefined
    ? [[oneOf(mac, macs), ...macs]]
    : [[`CASE WHEN ${mac} IS NULL THEN ${oneOf('l.src', src)} ELSE ${oneOf(mac, macs)} END`, ...src, ...macs]];
}

const ofLevel: Record<DetectionLevel, string> = {
  danger: "l.threat_confidence = 'high'",
  warn: "l.type <> 'new_device' AND l.threat_confidence IS NOT 'high'",
  info: "l.type = 'new_device'",
};

export const detectionQueries = {
  /** Newest first; `next` names the last row shown. */
  detections(reader: Reader, { query, limit, now }: DetectionPageParams): DetectionPage {
    const { from, to, type, level, src, srcMac, sourceKind, sourceId, before } = query;
    const conditions: [sql: string, ...values: unknown[]][] = [
      ...(from === undefined ? [] : [['l.detected_at >= ?', from] as [string, number]]),
      ...(to === undefined ? [] : [['l.detected_at <= ?', to] as [string, number]]),
      ...(type === undefined ? [] : [['l.type = ?', type] as [string, string]]),
      ...(level === undefined ? [] : [[ofLevel[level]] as [string]]),
      ...ofDevice(src, srcMac),
      ...(before === undefined
        ? []
        : [['(l.detected_at, l.id) < (?, ?)', ...before.split('.').map(Number)] as [string, ...unknown[]]]),
      ...(sourceKind === undefined ? [] : [[inScope(sourceKind === 'agent'), sourceId] as [string, ...unknown[]]]),
    ];
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`;
    const rows = reader
      .prepare(
        `SELECT ${entryColumns} FROM ${entryTables} ${where} ORDER BY l.detected_at DESC, l.id DESC LIMIT ${limit + 1}`,
      )
      .all(...conditions.flatMap(([, ...values]) => values)) as EntryRow[];
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
