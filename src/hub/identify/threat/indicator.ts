// An indicator: an entry of a feed in the common form.
import type { FeedName } from '#contract/threat.ts';

/** 0: says nothing of such a flow; 1 warn with low confidence; 2 danger with high confidence. */
export type Grade = 0 | 1 | 2;

export interface Indicator {
  feed: FeedName;
  kind: 'ip' | 'cidr' | 'domain';
  /** Canonical address, `address/length` with its host bits cleared, or a lower-case name without a dot at the end. */
  value: string;
  /** The port it is listed with; 0 for none. */
  port: number;
  /** Grade of a flow to that port, or to a name that a client resolved; without a port, of every flow. */
  exact: Grade;
  /** Grade of a flow to another port, or to a name that only the owner of the address claims. */
  loose: Grade;
  /** Short label of the feed; empty when it has none. */
  tag: string;
  /** Empty when it is none. */
  url: string;
}

/** As a document lists it: its grade may depend on its age. */
export interface DatedIndicator extends Indicator {
  /** Epoch milliseconds after which `exact` is no more than a warning; null: it does not age. */
  freshUntil: number | null;
}

/** Receives the entries of a document as they are parsed. */
export type Emit<T> = (one: T) => void;

/** The outcome of parsing a document. */
export type Parsed =
  | {
      /** Rows, including kinds that connections cannot match. */
      rows: number;
      /** Unreadable rows. */
      bad: number;
    }
  | {
      /** Why it is rejected. */
      problem: string;
    };

/** A false positive, or an entry of the allow list. */
export interface Exception {
  kind: 'ip' | 'cidr' | 'domain' | 'url';
  value: string;
  /** 0: whatever the port. */
  port: number;
}
