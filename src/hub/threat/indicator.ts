// One thing that a feed lists, in the one form that all feeds are brought to.
import type { FeedName } from '#contract/threat.ts';

/** 0: says nothing of such a flow; 1 warn with low confidence; 2 danger with high confidence. */
export type Grade = 0 | 1 | 2;

export interface Indicator {
  feed: FeedName;
  kind: 'ip' | 'cidr' | 'domain';
  /** Canonical address, `address/length` with its host bits cleared, or a lower-case name without a dot at the end. */
  value: string;
  /** The port it is listed with; 0 when it is listed with none. */
  port: number;
  /** Of a flow to that port, or of a name that a client itself asked for; without a port, of every flow. */
  exact: Grade;
  /** Of a flow to another port, or of a name that only the owner of the address says is its own. */
  loose: Grade;
  /** Short label of the feed; empty when it has none. */
  tag: string;
  /** Empty when it is none. */
  url: string;
}

/** As a document lists it: its weight may hang on its age. */
export interface DatedIndicator extends Indicator {
  /** Epoch milliseconds after which `exact` is no more than a warning; null: it does not age. */
  freshUntil: number | null;
}

/** Told of what a document lists, as it is read. */
export type Take<T> = (one: T) => void;

/** What became of a document. */
export type Parsed =
  | {
      /** Rows that were read, also those of kinds that connections cannot match. */
      rows: number;
      /** Lines that were no rows. */
      bad: number;
    }
  | {
      /** Why it cannot be what it should be. */
      problem: string;
    };

/** A listed thing that was taken back, or that the operator allows. */
export interface Exception {
  kind: 'ip' | 'cidr' | 'domain' | 'url';
  value: string;
  /** 0: whatever the port. */
  port: number;
}
