// Merges the observations of a batch to one per flow, with canonical keys and no instant after now.
import { canonicalIp } from '#kernel/net/address.ts';
import type { WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { hourOf } from '#kernel/time/time.ts';
import type { AgentKnowledge, Observation } from '../store/observation.ts';
import { joinTimes } from '../store/uncertainty.ts';

/**
 * All a batch says of one flow: `at` is the latest sighting, `startedAt` the earliest start, `sport` and `ttl` those of
 * the latest observation that had one.
 */
export interface MergedFlow extends Omit<Observation, 'newSession'> {
  /** Sightings in other hours than that of `at`; mostly none. */
  alsoAt: number[];
  /** Sessions that began since the previous read; mostly none. */
  starts: SessionStart[];
}

/** When a session began, epoch milliseconds; if not exact, when a read first showed it. */
export interface SessionStart {
  at: number;
  isExact: boolean;
}

/** Shared by all flows without starts; never modified. */
const noStarts: SessionStart[] = [];

const stepRows = 1024;

/**
 * One flow per (src, dst, dport, proto), in order of first appearance. Several NAT sessions of one flow differ in
 * their source port only. Throws when an address is not an IP literal: parsers must reject such rows.
 */
export function* mergeObservations(observations: Iterable<Observation>, now: number): WriteSteps<MergedFlow[]> {
  const flows = new Map<string, MergedFlow>();
  const toCanonical = createAddressCanonicalizer();
  let rows = 0;
  for (const observation of observations) {
    const flow = toFlow(observation, toCanonical, now);
    const key = `${flow.src} ${flow.dst} ${flow.dport} ${flow.proto}`;
    const known = flows.get(key);
    if (known) {
      mergeInto(known, flow);
    } else {
      flows.set(key, flow);
    }
    rows += 1;
    if (rows % stepRows === 0) {
      yield;
    }
  }
  return [...flows.values()];
}

function toFlow(observation: Observation, toCanonical: (text: string) => string, now: number): MergedFlow {
  const at = Math.min(observation.at, now);
  const startedAt = Math.min(observation.startedAt, at);
  const { newSession } = observation;
  return {
    src: toCanonical(observation.src),
    dst: toCanonical(observation.dst),
    dport: observation.dport,
    proto: observation.proto.toUpperCase(),
    sport: observation.sport,
    ttl: observation.ttl,
    startedAt,
    at,
    alsoAt: [],
    starts: newSession === undefined ? noStarts : [{ at: startedAt, isExact: newSession === 'exact' }],
    agent: observation.agent,
    times: observation.times,
  };
}

function mergeInto(known: MergedFlow, flow: MergedFlow): void {
  const later = flow.at >= known.at;
  if (hourOf(flow.at) !== hourOf(known.at)) {
    known.alsoAt.push(later ? known.at : flow.at);
  }
  known.sport = later ? (flow.sport ?? known.sport) : (known.sport ?? flow.sport);
  known.ttl = later ? (flow.ttl ?? known.ttl) : (known.ttl ?? flow.ttl);
  known.agent = later ? joinIfAny(known.agent, flow.agent) : joinIfAny(flow.agent, known.agent);
  if (flow.starts.length > 0) {
    if (known.starts === noStarts) {
      known.starts = flow.starts;
    } else {
      known.starts.push(...flow.starts);
    }
  }
  known.times = known.times && flow.times && joinTimes(known.times, flow.times);
  known.startedAt = Math.min(known.startedAt, flow.startedAt);
  known.at = Math.max(known.at, flow.at);
}

/** Returns the process of the newer one with the bytes of both. */
export function joinKnowledge(older: AgentKnowledge, newer: AgentKnowledge | undefined): AgentKnowledge {
  return newer === undefined
    ? older
    : { ...newer, bytesIn: sum(older.bytesIn, newer.bytesIn), bytesOut: sum(older.bytesOut, newer.bytesOut) };
}

function joinIfAny(older: AgentKnowledge | undefined, newer: AgentKnowledge | undefined): AgentKnowledge | undefined {
  return older === undefined ? newer : joinKnowledge(older, newer);
}

function sum(one: bigint | null, other: bigint | null): bigint | null {
  return one === null || other === null ? (one ?? other) : one + other;
}

/** Returns a function to the canonical form of an address, which is computed once for each text. */
function createAddressCanonicalizer(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) {
      return before;
    }
    const address = canonicalIp(text);
    if (address === null) {
      throw new Error(`an observation names ${JSON.stringify(text)}, which is not an IP address`);
    }
    known.set(text, address);
    return address;
  };
}
