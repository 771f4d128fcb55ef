// What the hub must hold, told by what the world did and what the hub answered; nothing here asks the hub.
import { dayMs, hourMs } from '#kernel/time/time.ts';

/** A flow, as `192.168.100.3 203.0.113.80 443 TCP`. */
export type FlowKey = string;

/** A flow that was shown to the hub. */
export interface Sighting {
  flow: FlowKey;
  /** Its first packet, and the last one before it was shown; epoch milliseconds. */
  from: number;
  at: number;
  /** When the hub stored it. */
  storedAt: number;
  /** False where the hub may have it or not: the table was cut short, or a generation was made at that instant. */
  isSure: boolean;
}

/** A whole table that the hub read. */
export interface Read {
  router: string;
  at: number;
  isSure: boolean;
}

export interface SessionModel {
  token: string;
  usedAt: number;
  hasEnded: boolean;
}

export interface IdentityModel {
  token: string;
  expiresAt: number;
}

/** A contact with a listed address that the hub has stored. */
export interface Model {
  readonly retentionDays: number;
  readonly sessionTtlMs: number;
  readonly intervalMs: number;
  sightings: Sighting[];
  reads: Read[];
  readonly sessions: SessionModel[];
  readonly identities: IdentityModel[];
  /** MAC addresses of the hosts of routers that were read. */
  readonly macs: Set<string>;
  /** Rows that the audit trail must have, by type. */
  readonly audit: Map<string, number>;
  /** Addresses that are listed, and since when. */
  readonly listed: Map<string, number>;
  /** Times in which no scheduled backup can be made: the hub is away, or the folder is. */
  readonly backupless: { from: number; to: number }[];
  /** When the hub ran, the last one is open (`to` is Infinity). */
  readonly running: { from: number; to: number }[];
  readonly restores: number[];
  /** The log as it was until a restore: a copy that was made just before it is of that log. */
  readonly eras: { until: number; sightings: Sighting[]; reads: Read[] }[];
  homeCountry: string;
}

export function createModel(about: Pick<Model, 'retentionDays' | 'sessionTtlMs' | 'intervalMs'>): Model {
  return {
    ...about,
    ...{ sightings: [], reads: [], sessions: [], identities: [], macs: new Set(), audit: new Map() },
    ...{ listed: new Map(), backupless: [], running: [], restores: [], eras: [], homeCountry: '' },
  };
}

export function count(model: Model, type: string): void {
  model.audit.set(type, (model.audit.get(type) ?? 0) + 1);
}

/** The log becomes that of the generation made at `madeAt`; what was revoked, asked and audited since stays. */
export function rollBack(model: Model, madeAt: number, now: number): void {
  const kept = <T extends { isSure: boolean }>(rows: readonly T[], at: (row: T) => number): T[] =>
    rows.filter((row) => at(row) <= madeAt).map((row) => (at(row) === madeAt ? { ...row, isSure: false } : row));
  const { sightings, reads } = model;
  model.eras.push({ until: now, sightings, reads });
  const era = model.eras.find(({ until }) => madeAt <= until) ?? model;
  model.sightings = kept(era.sightings, ({ storedAt }) => storedAt);
  model.reads = kept(era.reads, ({ at }) => at);
  for (const session of model.sessions) {
    session.hasEnded = true;
  }
  model.restores.push(now);
}

/** Hours that ended before this one are not stored, once the hourly cleanup has run. */
export function findHorizon({ retentionDays }: Model, now: number): number {
  return Math.floor((now - retentionDays * dayMs) / hourMs);
}

export interface ExpectedLog {
  /** `flow hour` pairs that must be there, and that may be. */
  mustHours: Set<string>;
  mayHours: Set<string>;
  /** By flow: when it was last seen for sure. */
  mustFlows: Map<FlowKey, number>;
  mayFlows: Set<FlowKey>;
}

const toHour = (at: number) => Math.floor(at / hourMs);
/** The cleanup runs once an hour of the hub; what has just become too old may still be there. */
const cleanupHours = 2;

/** `upSinceMs`: how long the hub has run: after a pause the cleanup has its hour again. */
export function expectedLog(model: Model, now: number): ExpectedLog {
  const cut = findHorizon(model, now);
  const log: ExpectedLog = { mustHours: new Set(), mayHours: new Set(), mustFlows: new Map(), mayFlows: new Set() };
  const lastSeen = new Map<FlowKey, number>();
  for (const { flow, from, at, isSure } of model.sightings) {
    for (let hour = Math.max(toHour(from), cut - cleanupHours); hour <= toHour(at); hour += 1) {
      log.mayHours.add(`${flow} ${hour}`);
    }
    if (isSure && toHour(at) >= cut) {
      log.mustHours.add(`${flow} ${toHour(at)}`);
    }
    if (toHour(at) >= cut - cleanupHours) {
      log.mayFlows.add(flow);
    }
    lastSeen.set(flow, Math.max(lastSeen.get(flow) ?? 0, isSure ? at : 0));
  }
  for (const [flow, at] of lastSeen) {
    if (toHour(at) >= cut) {
      log.mustFlows.set(flow, at);
    }
  }
  return log;
}

/** Milliseconds of `from` to `to` that whole reads of this router cover for sure, and may cover. */
export function coveredMs({ reads, intervalMs }: Model, router: string, from: number, to: number) {
  const covered = (some: readonly Read[]) => {
    let sum = 0;
    let last: number | null = null;
    for (const { at } of some) {
      const since: number = last !== null && at - last <= 2 * intervalMs ? last : Math.max(at - intervalMs, last ?? 0);
      sum += Math.max(0, Math.min(at, to) - Math.max(since, from));
      last = at;
    }
    return sum;
  };
  const own = reads.filter((read) => read.router === router);
  return { least: covered(own.filter(({ isSure }) => isSure)), most: covered(own) };
}

/** Milliseconds of `from` to `to` in which a backup could be made. */
export function backupTimeMs({ backupless }: Model, from: number, to: number): number {
  const gaps = backupless
    .map((gap) => ({ from: Math.max(from, gap.from), to: Math.min(to, gap.to) }))
    .filter((gap) => gap.from < gap.to)
    .sort((one, other) => one.from - other.from);
  let free = to - from;
  let end = from;
  for (const gap of gaps) {
    free -= Math.max(0, gap.to - Math.max(end, gap.from));
    end = Math.max(end, gap.to);
  }
  return free;
}
