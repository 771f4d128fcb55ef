// The queries of devices, for reader threads: all devices as shown, and the merge candidates.
import { deviceSources } from '#contract/device-sources.ts';
import type { Device, DeviceStatus, InterfaceKind, MergeCandidate, Wifi } from '#contract/devices.ts';
import { limits } from '#contract/limits.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { type Statement, splitStatements } from '../../base/statements.ts';

export interface DeviceQuery {
  now: number;
  includeArchived: boolean;
  /** Only devices that this router or Agent saw. */
  observerId?: string | undefined;
  /** Note by device id. */
  notes: Readonly<Record<string, string>>;
}

export const deviceQueries = {
  devices: (reader: Reader, query: DeviceQuery): { devices: Device[] } => ({ devices: listDevices(reader, query) }),
  mergeCandidates: (reader: Reader, query: { status: string; now: number }): { candidates: MergeCandidate[] } => ({
    candidates: listCandidates(reader, query),
  }),
};

interface DeviceRow {
  id: number;
  deviceId: string;
  root: number;
  firstSeen: number;
  lastSeen: number;
  sources: number;
  dnsName: string | null;
  mdnsName: string | null;
  netbiosName: string | null;
  archivedAt: number | null;
  mergedInto: number | null;
}

interface InterfaceRow {
  device: number;
  mac: string;
  kind: InterfaceKind;
  vendor: string | null;
  firstSeen: number;
  lastSeen: number;
  node: string | null;
  band: Wifi['band'];
  signal: number | null;
}

interface LeaseRow {
  device: number;
  address: string;
  mac: string | null;
  vendor: string | null;
  lastSeen: number;
}

/** Rows of the parts of a device. */
type Belongings = ReturnType<typeof readBelongings>;

function listDevices(reader: Reader, { now, includeArchived, observerId, notes }: DeviceQuery): Device[] {
  const rows = reader.prepare(`SELECT ${deviceColumns} FROM device`).all() as DeviceRow[];
  const byId = new Map(rows.map((row) => [row.id, row]));
  const parts = Map.groupBy(rows, ({ root }) => root);
  const belongings = readBelongings(reader);
  const observed = observerId === undefined ? null : readObservedRoots(reader, observerId);
  return rows
    .filter(({ archivedAt, root }) => (includeArchived || archivedAt === null) && (observed?.has(root) ?? true))
    .map((row) => {
      const members = row.mergedInto === null ? (parts.get(row.id) ?? [row]) : [row];
      const target = row.mergedInto === null ? undefined : byId.get(row.mergedInto);
      return toDevice(row, members, belongings, { note: notes[row.deviceId], target, now });
    })
    .sort((one, other) => other.lastSeen - one.lastSeen || (one.deviceId < other.deviceId ? -1 : 1));
}

const deviceColumns = `id, device_id AS deviceId, root, first_seen AS firstSeen, last_seen AS lastSeen, sources,
  dns_name AS dnsName, mdns_name AS mdnsName, netbios_name AS netbiosName, archived_at AS archivedAt,
  merged_into AS mergedInto`;

function readBelongings(reader: Reader) {
  const interfaces = reader
    .prepare(
      `SELECT device, mac, kind, vendor, first_seen AS firstSeen, last_seen AS lastSeen, wifi_node AS node,
         wifi_band AS band, wifi_signal AS signal
       FROM interface WHERE device IS NOT NULL`,
    )
    .all() as InterfaceRow[];
  const leases = reader.prepare(
    `SELECT l.device, l.address, l.mac, i.vendor, l.last_seen AS lastSeen
     FROM lease l LEFT JOIN interface i ON i.mac = l.mac
     WHERE l.family = ? AND (l.until IS NULL OR l.last_seen = (
       SELECT max(o.last_seen) FROM lease o WHERE o.device = l.device AND o.family = l.family))
     ORDER BY l.last_seen DESC, l.id DESC`,
  );
  return {
    interfaces: Map.groupBy(interfaces, ({ device }) => device),
    ipv4: Map.groupBy(leases.all(4) as LeaseRow[], ({ device }) => device),
    ipv6: Map.groupBy(leases.all(6) as LeaseRow[], ({ device }) => device),
  };
}

function toDevice(
  row: DeviceRow,
  members: readonly DeviceRow[],
  { interfaces, ipv4, ipv6 }: Belongings,
  { note, target, now }: { note: string | undefined; target: DeviceRow | undefined; now: number },
): Device {
  const cards = sortNewestFirst(members.flatMap(({ id }) => interfaces.get(id) ?? []));
  const v4 = sortNewestFirst(members.flatMap(({ id }) => ipv4.get(id) ?? []));
  const v6 = sortNewestFirst(members.flatMap(({ id }) => ipv6.get(id) ?? []));
  const recent = v6.filter(({ lastSeen }) => now - lastSeen <= limits.deviceActiveMs).map(({ address }) => address);
  const held = v4[0] ?? v6[0];
  const mac = held?.mac ?? cards[0]?.mac ?? null;
  const lastSeen = Math.max(...members.map((member) => member.lastSeen));
  const bits = members.reduce((all, { sources }) => all | sources, 0);
  const sourceList = deviceSources.filter((_, index) => (bits & (1 << index)) !== 0);
  return {
    deviceId: row.deviceId,
    ip: held?.address ?? '',
    mac,
    vendor: (held?.mac ? held.vendor : cards[0]?.vendor) ?? null,
    dnsName: row.dnsName,
    mdnsName: row.mdnsName,
    netbiosName: row.netbiosName,
    ipv6Addr: v6[0]?.address ?? null,
    ipv6Addrs: recent.length > 0 ? [...new Set(recent)] : null,
    firstSeen: Math.min(...members.map((member) => member.firstSeen)),
    lastSeen,
    sources: sourceList.join(','),
    sourceList,
    noteKey: note === undefined ? null : row.deviceId,
    note: note ?? null,
    status: toStatus(row.archivedAt, lastSeen, now),
    archivedAt: row.archivedAt,
    mergedInto: target?.deviceId ?? null,
    interfaces: cards.map(toInterface),
  };
}

function toInterface({ mac, kind, vendor, firstSeen, lastSeen, node, band, signal }: InterfaceRow) {
  const isWireless = node !== null || band !== null || signal !== null;
  return { mac, kind, vendor, firstSeen, lastSeen, wifi: isWireless ? { node, band, signal } : null };
}

/** By the last sighting: within a day, within a week, longer ago. */
function toStatus(archivedAt: number | null, lastSeen: number, now: number): DeviceStatus {
  if (archivedAt !== null) {
    return 'archived';
  }
  const ageMs = now - lastSeen;
  return ageMs <= limits.deviceActiveMs ? 'active' : ageMs <= limits.deviceRecentMs ? 'recent' : 'stale';
}

function sortNewestFirst<T extends { lastSeen: number }>(rows: readonly T[]): T[] {
  return [...rows].sort((one, other) => other.lastSeen - one.lastSeen);
}

function readObservedRoots(reader: Reader, observerId: string): Set<number> {
  const rows = reader
    .prepare('SELECT d.root FROM device_observer o JOIN device d ON d.id = o.device WHERE o.observer_id = ?')
    .all(observerId) as { root: number }[];
  return new Set(rows.map(({ root }) => root));
}

interface CandidateRow {
  id: number;
  a: string;
  b: string;
  score: number;
  reasons: string;
  counterReasons: string;
  status: MergeCandidate['status'];
  createdAt: number;
  resolvedAt: number | null;
}

/** Pending ones are shown while both devices are, and while the score is high enough. */
function listCandidates(reader: Reader, { status, now }: { status: string; now: number }): MergeCandidate[] {
  const rows = reader
    .prepare(
      `SELECT c.id, a.device_id AS a, b.device_id AS b, c.score, c.reasons, c.counter_reasons AS counterReasons,
         c.status, c.created_at AS createdAt, c.resolved_at AS resolvedAt
       FROM merge_candidate c JOIN device a ON a.id = c.a JOIN device b ON b.id = c.b
       WHERE (@status = 'all' OR c.status = @status)
         AND (c.status <> 'pending' OR (c.score >= @least AND a.archived_at IS NULL AND b.archived_at IS NULL))
       ORDER BY c.score DESC, c.created_at DESC, c.id`,
    )
    .all({ status, least: limits.mergeScore }) as CandidateRow[];
  if (rows.length === 0) {
    return [];
  }
  const shown = new Map(
    listDevices(reader, { now, includeArchived: true, notes: {} }).map((device) => [device.deviceId, device]),
  );
  return rows.map(({ a, b, reasons, counterReasons, ...row }) => ({
    ...row,
    deviceIdA: a,
    deviceIdB: b,
    ...toReasons(reasons, counterReasons),
    ...pickBothDevices(shown.get(a) as Device, shown.get(b) as Device),
  }));
}

/** Reasons as they are stored: statements, and sentences alone in rows of older versions. */
function toReasons(reasons: string, counterReasons: string) {
  const read = (stored: string) => splitStatements(JSON.parse(stored) as (Statement | string)[]);
  const [pros, cons] = [read(reasons), read(counterReasons)];
  return {
    reasons: pros.sentences,
    reasonFacts: pros.facts,
    counterReasons: cons.sentences,
    counterReasonFacts: cons.facts,
  };
}

/** The shown fields of both devices. */
function pickBothDevices(a: Device, b: Device) {
  return {
    ipA: a.ip,
    macA: a.mac,
    vendorA: a.vendor,
    mdnsNameA: a.mdnsName,
    dnsNameA: a.dnsName,
    ipB: b.ip,
    macB: b.mac,
    vendorB: b.vendor,
    mdnsNameB: b.mdnsName,
    dnsNameB: b.dnsName,
  };
}
