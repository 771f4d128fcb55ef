// What a recorder is told of what it meets for the first time, and what it tells when a batch is in the log.
import type { Threat } from '#contract/model.ts';

export interface DestinationFacts {
  host: string | null;
  /** ISO 3166 two-letter code. */
  country: string | null;
  org: string | null;
  lat: number | null;
  lon: number | null;
  city: string | null;
}

export interface SourceFacts {
  /** Lower-case colon form. */
  mac: string | null;
  vendor: string | null;
  dnsName: string | null;
  mdnsName: string | null;
  deviceId: string | null;
}

/** What a verdict is made from. `host` is the name the destination is known by. */
export interface Judged {
  dst: string;
  dport: number;
  proto: string;
  host: string | null;
}

/** Why a flow is not safe; `null` when nothing speaks against it. Called inside a transaction: it must be quick. */
export type Judge = (flow: Judged) => Threat | null;

/** Addresses are canonical. All is asked inside the transaction, once for each new row: answers must be at hand. */
export interface Knowledge {
  /** Of a destination that is new to the log. */
  describe(address: string): DestinationFacts | null;
  /** Of a source that is new to the log. */
  describeSource(address: string): SourceFacts | null;
  /** Of a flow that is new to the log. */
  judge: Judge;
}

/** A flow with a verdict it did not have before. */
export interface ThreatFlow {
  src: string;
  dst: string;
  dport: number;
  proto: string;
  threat: Threat;
}

/** Something noted: how often, and the first of it, at most so many as a report holds. */
export interface Noted<T> {
  count: number;
  first: readonly T[];
}

/** What a batch brought that the log did not have. */
export interface RecordReport {
  /** New flows that are not safe. */
  threats: Noted<ThreatFlow>;
  /** Addresses of new sources. */
  sources: Noted<string>;
}

const maxNoted = 500;

/** Counts what it is given and keeps the first 500. */
export function createNotes<T>(): { note(one: T): void; noted(): Noted<T> } {
  const first: T[] = [];
  const state = { count: 0 };
  return {
    note(one) {
      state.count += 1;
      if (first.length < maxNoted) {
        first.push(one);
      }
    },
    noted: () => ({ count: state.count, first }),
  };
}
