// Rows of the detection log: written once with the labels of that time, read as the API shows them.
import type { DetectionEntry, DetectionType } from '#contract/detection.ts';
import type { Threat } from '#contract/model.ts';
import type { RetroMatch } from '#contract/retro-match.ts';
import type { Reader, Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { alertStateSql } from './alerts/state.ts';

/** A detection; addresses canonical, fields that do not apply absent. */
export interface Detected {
  type: DetectionType;
  /** Epoch milliseconds. */
  at: number;
  src: string;
  dst?: string;
  dport?: number;
  proto?: string;
  threat?: Threat | null;
  intervalMs?: number;
  obsCount?: number;
  /** Of a retro-match, and of nothing else. */
  retro?: RetroMatch;
  /** Labels that the dictionaries may not have yet. */
  device?: { mac: string | null; vendor: string | null; dnsName: string | null; mdnsName: string | null };
}

/** Labels of both ends of a detection. */
export interface Labels {
  srcMac: string | null;
  srcVendor: string | null;
  srcMdnsName: string | null;
  srcDnsName: string | null;
  dstHost: string | null;
  country: string | null;
  city: string | null;
  org: string | null;
}

type SourceLabels = Pick<Labels, 'srcMac' | 'srcVendor' | 'srcMdnsName' | 'srcDnsName'>;
type DestinationLabels = Pick<Labels, 'dstHost' | 'country' | 'city' | 'org'>;

/** Looks both ends up in the dictionaries of the connection log. */
export function readLabels(reader: Pick<Reader, 'prepare'>, { src, dst, device }: Detected): Labels {
  const source = reader
    .prepare(
      `SELECT mac AS srcMac, vendor AS srcVendor, mdns_name AS srcMdnsName, dns_name AS srcDnsName
       FROM source WHERE address = ?`,
    )
    .get(src) as SourceLabels | undefined;
  const destination = reader
    .prepare('SELECT host AS dstHost, country, city, org FROM destination WHERE address = ?')
    .get(dst ?? null) as DestinationLabels | undefined;
  return {
    srcMac: device?.mac ?? source?.srcMac ?? null,
    srcVendor: device?.vendor ?? source?.srcVendor ?? null,
    srcMdnsName: device?.mdnsName ?? source?.srcMdnsName ?? null,
    srcDnsName: device?.dnsName ?? source?.srcDnsName ?? null,
    dstHost: destination?.dstHost ?? null,
    country: destination?.country ?? null,
    city: destination?.city ?? null,
    org: destination?.org ?? null,
  };
}

/** The values of the columns that a detection without a destination, or without an interval, leaves empty. */
const inapplicable = { dst: null, dport: null, proto: null, intervalMs: null, obsCount: null };

/** Appends a row; returns its id. `chatKey` names the message about it to the chat workspace. */
export function insertDetection(
  writer: Writer,
  detected: Detected,
  labels: Labels,
  chatKey: string | null,
  alertId: number | null = null,
): number {
  const { threat, retro } = detected;
  const { lastInsertRowid } = writer
    .prepare(
      `INSERT INTO detection (type, detected_at, src, src_mac, src_vendor, src_mdns_name, src_dns_name, dst, dst_host,
         dport, proto, country, city, org, threat_source, threat_tag, threat_confidence, interval_ms, obs_count, chat_key,
         retro, alert_id)
       VALUES (@type, @at, @src, @srcMac, @srcVendor, @srcMdnsName, @srcDnsName, @dst, @dstHost, @dport, @proto, @country,
         @city, @org, @threatSource, @threatTag, @threatConfidence, @intervalMs, @obsCount, @chatKey, @retro, @alertId)`,
    )
    .run({
      ...inapplicable,
      ...detected,
      ...labels,
      chatKey,
      alertId,
      threatSource: threat?.source ?? null,
      threatTag: threat?.tag ?? null,
      threatConfidence: threat?.confidence ?? null,
      retro: retro ? JSON.stringify(retro) : null,
    });
  return Number(lastInsertRowid);
}

/** Marks the rows whose alerts were delivered to the chat workspace. */
export function* markChatSent(writer: Writer, keys: readonly string[]): WriteSteps<void> {
  const mark = writer.prepare('UPDATE detection SET chat_sent = 1 WHERE chat_key = ?');
  for (const key of keys) {
    mark.run(key);
    yield;
  }
}

/** Columns of an entry at `@now`, of `detection l`, `source s` and `destination d`: facts discovered later fill gaps. */
export const entryColumns = `l.id, l.type, l.chat_sent AS chatSent, l.src, coalesce(l.src_mac, s.mac) AS srcMac,
  coalesce(l.src_vendor, s.vendor) AS srcVendor, coalesce(l.src_mdns_name, s.mdns_name) AS srcMdnsName,
  coalesce(l.src_dns_name, s.dns_name) AS srcDnsName, l.dst, coalesce(l.dst_host, d.host) AS dstHost, l.dport, l.proto,
  coalesce(l.country, d.country) AS country, coalesce(l.city, d.city) AS city, coalesce(l.org, d.org) AS org,
  l.threat_source AS threatSource, l.threat_tag AS threatTag, l.threat_confidence AS threatConfidence,
  l.interval_ms AS intervalMs, l.obs_count AS obsCount, l.detected_at AS detectedAt, l.retro,
  l.alert_id AS alertId, (SELECT ${alertStateSql} FROM alert a WHERE a.id = l.alert_id) AS alertState`;

export const entryTables = `detection l LEFT JOIN source s ON s.address = l.src
  LEFT JOIN destination d ON d.address = l.dst`;

/** A row of `entryColumns`. */
export interface EntryRow extends Omit<DetectionEntry, 'retro'> {
  /** JSON. */
  retro: string | null;
}

export function toEntry({ retro, ...row }: EntryRow): DetectionEntry {
  return { ...row, retro: retro === null ? null : (JSON.parse(retro) as RetroMatch) };
}

/** The entry of one row, as it is at `now`. */
export function readEntry(reader: Pick<Reader, 'prepare'>, id: number, now: number): DetectionEntry {
  const row = reader.prepare(`SELECT ${entryColumns} FROM ${entryTables} WHERE l.id = @id`).get({ id, now });
  return toEntry(row as EntryRow);
}
