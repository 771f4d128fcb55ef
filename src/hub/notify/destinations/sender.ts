// The types that every kind of destination shares: its sender, what the sender gets, and one try to deliver an event.
import type { DestinationKind, DestinationSettings } from '#contract/destinations.ts';
import type { Log } from '#kernel/process/log.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { ToldEvent } from '../../base/told-event.ts';

/** The settings of one kind of destination, as they are stored. */
export type SettingsOf<K extends DestinationKind> = Extract<DestinationSettings, { kind: K }>;

/** What a sender gets beside its settings. */
export interface SenderDeps {
  clock: Clock;
  log: Log;
  /** Version of this program. */
  version: string;
  /** Address at which people reach the hub; absent when the hub does not know it. */
  hubUrl?: string;
}

/** One try to deliver an event. */
export interface DeliveryTry {
  event: ToldEvent;
  /** The same UUID at every try of this event to this destination, so that the other side can tell repetitions. */
  id: string;
  /** The time of this try, epoch milliseconds. */
  now: number;
  signal: AbortSignal;
}

/** Delivers events to one destination. Whoever made it disposes of it when the settings change. */
export interface Sender extends AsyncDisposable {
  /** Resolves when the other side has taken the event. Rejects with a SendFailure, or with the reason of the signal. */
  send(one: DeliveryTry): Promise<void>;
}
