// Reads a part of the log as a period: each connection with its sightings by the hour, and who saw it.
import {
  mostPeriod,
  type Period,
  type PeriodConnection,
  type PeriodHost,
  type PeriodObserver,
  periodProtocols,
  periodVersion,
} from '#capture/period.ts';
import { memoize } from '#kernel/memoize.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { hourMs } from '#kernel/time/time.ts';
import { HourRows } from '../store/hour-pack.ts';
import { findHours, readHourRows } from '../store/hour-rows.ts';
import { readMembers } from '../store/observer-set.ts';

/** Hours since the epoch; `to` is the first hour after the period. */
export interface HourRange {
  from: number;
  to: number;
}

export interface LogPeriod extends Period {
  /** Connections of protocols that the simulated routers do not translate. They are left out. */
  leftOut: number;
}

interface FlowRow extends Omit<PeriodConnection, 'by' | 'seen'> {
  observers: number;
}

const selectFlow = `SELECT s.address AS src, d.address AS dst, f.dport, f.proto, f.sport, f.ttl, f.process, f.pid,
    f.bytes_in AS bytesIn, f.bytes_out AS bytesOut, f.observer_set_id AS observers
  FROM flow f JOIN source s ON s.id = f.source_id JOIN destination d ON d.id = f.destination_id WHERE f.id = ?`;

/** Reads the connections of the hours in `range`. Throws an Error when they were seen more often than one file may hold. */
export function readLogPeriod(reader: Reader, range: HourRange): LogPeriod {
  const sightings = readSightings(reader, range);
  const observers = createObserverList(reader);
  const find = reader.prepare(selectFlow);
  const connections: PeriodConnection[] = [];
  let leftOut = 0;
  for (const [flow, seen] of sightings) {
    const { observers: set, ...row } = find.get(flow) as FlowRow;
    if (periodProtocols.includes(row.proto)) {
      connections.push({ ...row, by: observers.list(set), seen });
    } else {
      leftOut += 1;
    }
  }
  connections.sort((one, other) => (one.seen[0]?.[0] ?? 0) - (other.seen[0]?.[0] ?? 0));
  return {
    header: {
      format: 'gatehouse-period',
      version: periodVersion,
      from: isoTime(range.from * hourMs),
      to: isoTime(range.to * hourMs),
      anonymised: false,
      observers: observers.all(),
    },
    hosts: readHosts(reader, new Set(connections.map(({ src }) => src))),
    connections,
    leftOut,
  };
}

/** Returns the hours of each flow, in milliseconds after the start of the period. */
function readSightings(reader: Reader, { from, to }: HourRange): Map<number, PeriodConnection['seen']> {
  const found = new Map<number, PeriodConnection['seen']>();
  const rows = new HourRows();
  let sightings = 0;
  for (const hour of findHours(reader, from, to - 1)) {
    readHourRows(reader, hour, rows);
    const start = (hour - from) * hourMs;
    for (let row = 0; row < rows.length; row += 1) {
      const flow = rows.flow[row] as number;
      const seen = found.get(flow) ?? [];
      const observations = rows.observations[row] as number;
      seen.push([start + (rows.first[row] as number), start + (rows.last[row] as number), observations]);
      found.set(flow, seen);
      sightings += Math.max(1, observations);
    }
    if (sightings > mostPeriod.sightings) {
      throw new Error(
        `the log has more than ${mostPeriod.sightings} sightings up to ${isoTime((hour + 1) * hourMs)}: choose an earlier --to`,
      );
    }
  }
  return found;
}

/**
 * Collects the observers of a period: `list` turns a set of them into places in `all`. The name of a router is its id, since the
 * log has no other.
 */
function createObserverList(reader: Reader) {
  const find = reader.prepare(
    `SELECT o.kind, coalesce(a.host_name, o.name, o.router_id) AS name, a.platform, a.os_version AS osVersion,
       a.agent_version AS agentVersion
     FROM observer o LEFT JOIN agent a ON a.agent_id = o.router_id WHERE o.id = ?`,
  );
  const observers: PeriodObserver[] = [];
  const placeOf = memoize((id: number) => observers.push(toObserver(find.get(id) as ObserverRow)) - 1);
  return { list: (set: number) => readMembers(reader, set).map(placeOf), all: () => observers };
}

interface ObserverRow {
  kind: PeriodObserver['kind'];
  name: string;
  platform: 'macos' | 'windows' | 'linux' | null;
  osVersion: string | null;
  agentVersion: string | null;
}

function toObserver({ kind, name, platform, osVersion, agentVersion }: ObserverRow): PeriodObserver {
  return kind === 'agent'
    ? { kind, name, platform: platform ?? 'linux', osVersion: osVersion ?? '0', agentVersion: agentVersion ?? '0' }
    : { kind, name };
}

/** Returns the IPv4 sources of which a MAC is known, by their addresses. */
function readHosts(reader: Reader, sources: ReadonlySet<string>): PeriodHost[] {
  const rows = reader
    .prepare(
      `SELECT address AS host, mac, dns_name AS name FROM source
       WHERE mac IS NOT NULL AND address NOT LIKE '%:%' ORDER BY id`,
    )
    .all() as PeriodHost[];
  return rows
    .filter(({ host }) => sources.has(host))
    .map(({ host, mac, name }) => ({ host, mac, name: name !== null && isHostName(name) ? name : null }));
}

/** Whether a router could have heard the name from DHCP. */
function isHostName(name: string): boolean {
  return /^[\w.-]{1,63}$/.test(name);
}
