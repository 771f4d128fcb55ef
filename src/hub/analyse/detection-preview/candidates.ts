// Finds in the stored log what could have been told: contacts with listed destinations, cards of earlier contacts, new devices and beacons.
import { limits } from '#contract/limits.ts';
import type { Threat } from '#contract/model.ts';
import type { ListChange } from '#contract/retro-match.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { hourMs, hourOf } from '#kernel/time/time.ts';
import type { Candidate } from '../../identify/detection/raise.ts';
import type { findProbableDevice } from '../../identify/devices/candidates.ts';
import type { HourRows } from '../../record/connections/store/hour-pack.ts';
import type { findHours, readHourRows } from '../../record/connections/store/hour-rows.ts';

/** The functions that read the hours of the log. */
export interface Hours {
  createRows: () => HourRows;
  findHours: typeof findHours;
  readHourRows: typeof readHourRows;
}

export interface Period {
  from: number;
  to: number;
}

export interface Flow extends Pick<ListChange, 'previousAt' | 'cause'> {
  id: number;
  src: string;
  dst: string;
  dport: number;
  proto: string;
  host: string | null;
  firstSeen: number;
  lastSeen: number;
  /** Of a connection that was listed while it was in the log; null of any other. */
  feed: Threat['source'] | null;
  listedAt: number;
  /** The verdict that the log has of this connection. */
  threat: Threat | null;
}

export type Verdict = (flow: Flow) => Threat | null;

/** A flow that some settings call a threat, and when it is known to have been active. */
export interface ListedFlow {
  flow: Flow;
  times: number[];
}

export interface Listed {
  flows: ListedFlow[];
  coarseHours: number;
  truncated: boolean;
}

const flowColumns = `f.id, s.address AS src, d.address AS dst, d.host, f.dport, f.proto, f.first_seen AS firstSeen,
  f.last_seen AS lastSeen, r.feed, r.cause, r.previous_at AS previousAt, r.listed_at AS listedAt, t.level AS rank,
  t.confidence, t.source, t.tag, t.match_type AS matchType, t.match_value AS matchValue, t.port, t.url`;
const flowTables = `flow f JOIN source s ON s.id = f.source_id JOIN destination d ON d.id = f.destination_id
  LEFT JOIN threat t ON t.id = f.threat_id LEFT JOIN retro_match r ON r.flow_id = f.id`;
type FlowRow = Omit<Flow, 'threat'> & Omit<Threat, 'level'> & { rank: 1 | 2 | null };

function toFlow({ rank, confidence, source, tag, matchType, matchValue, port, url, ...row }: FlowRow): Flow {
  const level = rank === 2 ? 'danger' : 'warn';
  return { ...row, threat: rank && { level, confidence, source, tag, matchType, matchValue, port, url } };
}

/** The flows of the period that `isListed`. Within an hour the first and the last contact are stored. */
export function findListedFlows(
  reader: Reader,
  { from, to }: Period,
  isListed: (flow: Flow) => boolean,
  { createRows, findHours, readHourRows }: Hours,
): Listed {
  const rows = reader.prepare(`SELECT ${flowColumns} FROM ${flowTables} WHERE f.last_seen >= ? AND f.first_seen <= ?`);
  const found = new Map<number, ListedFlow>();
  for (const row of rows.iterate(from, to) as Iterable<FlowRow>) {
    const flow = toFlow(row);
    if (isListed(flow)) {
      found.set(flow.id, { flow, times: [flow.firstSeen, flow.lastSeen] });
    }
  }
  // The hub raised older flows first, also those that began in the same poll.
  const flows = [...found.values()].sort((a, b) => a.flow.id - b.flow.id);
  const listed: Listed = { flows, coarseHours: 0, truncated: false };
  let sightings = 2 * found.size;
  const hour = createRows();
  for (const at of found.size === 0 ? [] : findHours(reader, hourOf(from), hourOf(to))) {
    readHourRows(reader, at, hour);
    for (let row = 0; row < hour.length; row += 1) {
      const times = found.get(hour.flow[row] as number)?.times;
      if (times) {
        times.push(at * hourMs + (hour.first[row] as number), at * hourMs + (hour.last[row] as number));
        listed.coarseHours += (hour.observations[row] as number) > 2 ? 1 : 0;
        sightings += 2;
      }
    }
    if (sightings > limits.detectionPreviewSightings) {
      return { ...listed, truncated: true };
    }
  }
  return listed;
}

interface CandidateOptions {
  flows: readonly ListedFlow[];
  verdict: Verdict;
  cooldownMs: number;
  findProbable: typeof findProbableDevice;
}

/** The candidates of the period, the oldest first. `verdict` judges a flow. */
export function listCandidates(
  reader: Reader,
  { from, to }: Period,
  { flows, verdict, cooldownMs, findProbable }: CandidateOptions,
): Candidate[] {
  const all: Ranked[] = [];
  const cards = new Map<string, Candidate>();
  for (const { flow, times } of flows) {
    const threat = verdict(flow);
    if (threat) {
      // The lists of now are used. What was in none of them before is known from the change that listed it.
      const isLate = flow.feed === threat.source && flow.cause !== 'settings';
      if (isLate) {
        addCard(cards, flow, threat);
      }
      for (const at of times.filter((time) => !isLate || time >= flow.listedAt)) {
        const { src, dst, dport, proto, firstSeen } = flow;
        all.push({
          detected: { type: 'threat', at, src, dst, dport, proto, threat },
          about: dst,
          quietMs: cooldownMs,
          rank: at === firstSeen ? 0 : threat.level === 'danger' ? 1 : 2,
        });
      }
    }
  }
  return [...cards.values(), ...readNewDevices(reader, findProbable), ...readBeacons(reader, verdict)]
    .map((candidate): Ranked => ({ ...candidate, rank: 0 }))
    .concat(all)
    .filter(({ detected: { at } }) => at >= from && at <= to)
    .sort((a, b) => a.detected.at - b.detected.at || a.rank - b.rank);
}

/** The hub raises the new connections of a poll first, then the most severe ones. */
interface Ranked extends Candidate {
  rank: number;
}

/** Adds a flow to the card of its device and destination, which shows the most severe and latest of them. */
function addCard(cards: Map<string, Candidate>, flow: Flow, threat: Threat): void {
  const { src, dst, dport, proto, firstSeen, lastSeen, cause, previousAt, listedAt } = flow;
  const key = [src, dst, listedAt].join(' ');
  const known = cards.get(key)?.detected;
  const isWorse = !known?.threat || (known.threat.level === 'warn' && threat.level === 'danger');
  if (isWorse) {
    const { source: feed, level, matchType, matchValue } = threat;
    const retro = { flows: 1, connections: [], firstSeen, lastSeen, feed, cause, previousAt, listedAt, level };
    cards.set(key, {
      detected: {
        type: 'retro_match',
        at: listedAt,
        src,
        dst,
        dport,
        proto,
        threat,
        retro: { ...retro, isOngoing: false },
      },
      about: [dst, matchType, matchValue, level].join(' '),
      quietMs: limits.detectionRetroQuietMs,
    });
  }
}

/** Devices of the first report of a router were logged and not told: they are those that it saw first of all. */
function readNewDevices(reader: Reader, findProbable: typeof findProbableDevice): Candidate[] {
  const rows = reader
    .prepare(
      `SELECT d.id, d.first_seen AS at, d.dns_name AS dnsName, d.mdns_name AS mdnsName, i.mac, i.vendor, i.kind,
         coalesce((SELECT address FROM lease WHERE device = d.id ORDER BY since, id LIMIT 1), '') AS src,
         EXISTS (SELECT 1 FROM device_observer o WHERE o.device = d.id AND d.first_seen = (
           SELECT min(x.first_seen) FROM device_observer y JOIN device x ON x.id = y.device
           WHERE y.observer_id = o.observer_id)) AS isFirstLook
       FROM device d LEFT JOIN interface i ON i.id = (SELECT min(id) FROM interface WHERE device = d.id) ORDER BY d.id`,
    )
    .all() as (NonNullable<Candidate['detected']['device']> & {
    id: number;
    at: number;
    src: string;
    kind: string | null;
    isFirstLook: 0 | 1;
  })[];
  return rows
    .filter(({ id, kind }) => kind !== 'private' || findProbable(reader, id) === null)
    .map(({ at, src, mac, vendor, dnsName, mdnsName, isFirstLook }) => ({
      detected: { type: 'new_device', at, src, device: { mac, vendor, dnsName, mdnsName } },
      about: mac ?? '',
      quietMs: limits.detectionDeviceQuietMs,
      isUntold: isFirstLook === 1,
    }));
}

/** Returns the beacons that a scan found, at the instant when it found each first. */
function readBeacons(reader: Reader, verdict: Verdict): Candidate[] {
  const rows = reader
    .prepare(
      `SELECT ${flowColumns}, b.detected_at AS at, b.interval_ms AS intervalMs, b.obs_count AS obsCount
       FROM beacon b JOIN ${flowTables} WHERE b.benign IS NULL AND s.address = b.src AND d.address = b.dst
         AND f.dport = b.dport AND f.proto = b.proto`,
    )
    .all() as (FlowRow & { at: number; intervalMs: number; obsCount: number })[];
  return rows.map(({ at, intervalMs, obsCount, ...row }) => {
    const { src, dst, dport, proto } = row;
    const threat = verdict(toFlow(row));
    return {
      detected: { type: 'beacon', at, src, dst, dport, proto, intervalMs, obsCount, threat },
      about: `${dst} ${dport} ${proto}`,
      quietMs: limits.detectionBeaconQuietMs,
    };
  });
}
