// The event that people are told of, and the interface through which features tell it.
import type { ToldFact, ToldKind } from '#contract/destinations.ts';
import type { Writer } from '#kernel/sqlite/sqlite.ts';

/** Something that happened, ready to be told. It is stored as JSON. */
export interface ToldEvent {
  /** Identifies the event: of two with the same key a destination gets only the first. */
  key: string;
  kind: ToldKind | 'test';
  /** `resolved`: what an earlier event raised is over. */
  state: 'raised' | 'resolved';
  level: 'danger' | 'warning' | 'info';
  /** When it happened, epoch milliseconds. */
  at: number;
  /** Written by this program, so it is trusted. */
  title: string;
  /** Facts in order of importance. `name` is stable, `label` is for people; values may come from the network and are not trusted. */
  facts: readonly { name: ToldFact; label: string; value: string }[];
  /** A text of several lines, not trusted either. */
  body?: string;
  /** Where the web UI shows it: an address of this hub. */
  link?: string;
  /** A signed address of one use, with buttons that act on the alert. */
  actionLink?: string;
}

export interface PutOptions {
  /** Whether the chat workspace gets it too, when it is ready. True when absent. */
  toChat?: boolean;
  /** Only destinations that were told of one of the events with these keys get this one. Absent: all of them do. */
  after?: readonly string[];
}

export interface Telling {
  /** Whether somebody is told of an event of this kind. */
  isTold(kind: ToldKind, toChat?: boolean): boolean;
  /** Whether somebody wants to know that an alert is resolved. */
  tellsResolved(): boolean;
  /** Queues the event for each destination that wants it, in the caller's transaction; `now` in epoch milliseconds. */
  put(writer: Writer, event: ToldEvent, now: number, options?: PutOptions): void;
  /** Starts the delivery of what was queued. Call it after the commit. */
  wake(): void;
}
