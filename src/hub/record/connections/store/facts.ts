// What the recorder asks about new addresses and flows, and what it reports of a batch.
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

/** What a verdict is made from. `host` is the current name of the destination. */
export interface Judged {
  dst: string;
  dport: number;
  proto: string;
  host: string | null;
}

/** Returns why a flow is not safe; null when it is. Called inside a transaction: it must be fast. */
export type Judge = (flow: Judged) => Threat | null;

/** Addresses are canonical. Called inside the transaction, once per new row: answers must be local. */
export interface FactProvider {
  /** Facts of a new destination. */
  describe(address: string): DestinationFacts | null;
  /** Facts of a new source. */
  describeSource(address: string): SourceFacts | null;
  /** The verdict on a new flow. */
  judge: Judge;
}

/** A flow with a new verdict. */
export interface ThreatFlow {
  src: string;
  dst: string;
  dport: number;
  proto: string;
  threat: Threat;
}

/** How many there were, and the first of them. */
export interface Sample<T> {
  count: number;
  first: readonly T[];
}

/** What was new in a batch. */
export interface RecordReport {
  /** New flows that are not safe. */
  threats: Sample<ThreatFlow>;
  /** Addresses of new sources. */
  sources: Sample<string>;
}

const sampleSize = 500;

/** Counts what is added and stores the first 500. */
export function createSample<T>(): { add(one: T): void; sample(): Sample<T> } {
  const first: T[] = [];
  let count = 0;
  return {
    add(one) {
      count += 1;
      if (first.length < sampleSize) {
        first.push(one);
      }
    },
    sample: () => ({ count, first }),
  };
}
