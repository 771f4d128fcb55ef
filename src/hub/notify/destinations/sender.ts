// What a destination is given to deliver, and how one kind of destination delivers it.
import type { Log } from '#kernel/process/log.ts';
import type { Clock } from '#kernel/time/clock.ts';
import type { ToldEvent } from '../../base/told-event.ts';

export type { ToldKind } from '#contract/destinations.ts';
export type { ToldEvent } from '../../base/told-event.ts';
// biome-ignore lint/performance/noBarrelFile: what a sender needs stands in one file.
export { SendFailure, type SendFailureKind } from '../send-failure.ts';

/** What a sender is made with beside its settings. */
export interface SenderDeps {
  clock: Clock;
  log: Log;
  /** Of this program. */
  version: string;
  /** Where people reach the hub; absent when it does not know. */
  hubUrl?: string;
}

/** One try to deliver an event. */
export interface Try {
  event: ToldEvent;
  /** The same UUID at every try of this event to this destination, so that the other side can tell repetitions. */
  id: string;
  /** The time of this try, epoch milliseconds. */
  now: number;
  signal: AbortSignal;
}

/** Delivers to one destination. Dispose of it when its settings change. */
export interface Sender extends AsyncDisposable {
  /** Resolves when the other side has taken the event. Rejects with a SendFailure, or with the reason of the signal. */
  send(one: Try): Promise<void>;
}
