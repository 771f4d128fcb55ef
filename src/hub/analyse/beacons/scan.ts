// The beacon scan: finds flows with regular sessions. Runs in a reader thread, as it takes seconds.
import type { BeaconConfig, BenignReason } from '#contract/beacons.ts';
import type { Threat } from '#contract/model.ts';
import type { Reader } from '#kernel/sqlite/sqlite.ts';
import { dayMs } from '#kernel/time/time.ts';
import { findBenignReason } from './benign.ts';
import { toSlot } from './packed-starts.ts';
import { measureRegularity, type Regularity, type RegularityOptions, type Starts } from './regularity.ts';
import { beaconDetail, readStarts, windowMs } from './starts.ts';

/** Score from which a candidate is listed, and the lower one down to which it stays listed (hysteresis). */
export const candidateScore = 0.33;
export const keptScore = 0.25;

export interface ScanParams {
  now: number;
  pollMs: number;
  config: BeaconConfig;
  /** Maximum number of candidates. */
  most: number;
}

export interface RegularFlow {
  src: string;
  dst: string;
  dport: number;
  proto: string;
  intervalMs: number;
  cov: number;
  score: number;
  obsCount: number;
  firstSeen: number;
  lastSeen: number;
  benign: BenignReason | null;
  threat: Threat | null;
}

export interface Scan {
  at: number;
  /** Flows that were checked, and regular ones among them. */
  groups: number;
  regular: number;
  /** At most `most` of those: listed destinations first, then by score; benign ones last. */
  found: RegularFlow[];
  /** Bytes of the starts of each slot, oldest first. */
  slots: { slot: number; bytes: number }[];
}

export const beaconQueries = {
  beaconDetail,
  beaconScan(reader: Reader, params: ScanParams): Scan {
    const { now, config } = params;
    const firstSlot = toSlot(now - windowMs);
    const groups = reader
      .prepare(
        `SELECT flow_id AS id FROM session_start WHERE slot >= ?
         GROUP BY flow_id HAVING sum(length(starts)) >= ?`,
      )
      .all(firstSlot, 2 * (config.minObs - 1)) as { id: number }[];
    const slots = reader
      .prepare(
        `SELECT slot, sum(length(starts)) + ${rowBytes} * count(*) AS bytes FROM session_start GROUP BY slot ORDER BY slot`,
      )
      .all() as Scan['slots'];
    const regular = groups.flatMap(({ id }) => findRegularFlow(reader, id, params));
    const rank = ({ threat, benign, score }: RegularFlow) => (threat ? 2 : benign === null ? 1 : 0) + score;
    const found = regular.sort((a, b) => rank(b) - rank(a)).slice(0, params.most);
    return { at: now, groups: groups.length, regular: regular.length, found, slots };
  },
};

export type BeaconQueries = typeof beaconQueries;

/** Overhead of a row. */
const rowBytes = 16;

function findRegularFlow(reader: Reader, id: number, params: ScanParams): RegularFlow[] {
  const flow = findFlow(reader, id);
  const regular = flow && measureFlow(flow, readStarts(reader, { id, firstSeen: flow.firstSeen }, params.now), params);
  return regular ? [regular] : [];
}

/** Returns the flow as the log has it now; undefined when the log no longer has it. */
export function findFlow(reader: Reader, id: number): FlowRow | undefined {
  return reader.prepare(flowSql).get(id) as FlowRow | undefined;
}

/** Returns null when its starts are not regular enough to stay listed. */
export function measureFlow(
  flow: FlowRow,
  starts: Starts,
  { config, pollMs }: Pick<ScanParams, 'config' | 'pollMs'>,
): RegularFlow | null {
  const regularity = measureBestRegularity(starts, { ...config, pollMs });
  if (regularity === null || regularity.score < keptScore) {
    return null;
  }
  const { src, dst, dport, proto } = flow;
  return {
    src,
    dst,
    dport,
    proto,
    threat: toThreat(flow),
    intervalMs: Math.round(regularity.intervalMs),
    cov: Math.round(regularity.cov * 1000) / 1000,
    score: Math.round(regularity.score * 1000) / 1000,
    obsCount: starts.times.length,
    firstSeen: starts.times[0] ?? flow.firstSeen,
    lastSeen: starts.times.at(-1) ?? flow.firstSeen,
    benign: findReasonOfFlow(flow, config),
  };
}

/** Returns why the flow is benign, or null. A flow to a destination that a threat feed lists is never benign. */
export function findReasonOfFlow(flow: FlowRow, config: BeaconConfig): BenignReason | null {
  return flow.rank === null ? findBenignReason(flow, config) : null;
}

/** Scored over the whole window and over its last day: older traffic must not hide a recent beacon. */
export function measureBestRegularity(starts: Starts, options: RegularityOptions): Regularity | null {
  const whole = measureRegularity(starts, options);
  const last = starts.times.at(-1) ?? 0;
  const times = starts.times.filter((at) => at > last - dayMs);
  const lately = times.length < starts.times.length ? measureRegularity({ ...starts, times }, options) : null;
  return lately && lately.score > (whole?.score ?? 0) ? lately : whole;
}

export type FlowRow = Pick<RegularFlow, 'src' | 'dst' | 'dport' | 'proto'> & {
  firstSeen: number;
  host: string | null;
  org: string | null;
  rank: 1 | 2 | null;
} & Omit<Threat, 'level'>;

const flowSql = `SELECT s.address AS src, d.address AS dst, f.dport, f.proto, f.first_seen AS firstSeen, d.host, d.org,
    t.level AS rank, t.confidence, t.source, t.tag, t.match_type AS matchType, t.match_value AS matchValue, t.port, t.url
  FROM flow f JOIN source s ON s.id = f.source_id JOIN destination d ON d.id = f.destination_id
    LEFT JOIN threat t ON t.id = f.threat_id
  WHERE f.id = +?`;

function toThreat({ rank, confidence, source, tag, matchType, matchValue, port, url }: FlowRow): Threat | null {
  return rank === null
    ? null
    : { level: rank === 2 ? 'danger' : 'warn', confidence, source, tag, matchType, matchValue, port, url };
}
