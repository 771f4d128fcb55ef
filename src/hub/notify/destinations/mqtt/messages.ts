// Makes the MQTT messages of an event: the event itself, and the retained state after it.
import type { Message } from '#kernel/mqtt/message.ts';
import { clipText } from '#kernel/text/clip.ts';
import { isoTime } from '#kernel/time/clock.ts';
import type { ToldEvent } from '../../../base/told-event.ts';
import type { DeliveryTry } from '../sender.ts';
import { toEventType } from './home-assistant.ts';

/** Longest state of an entity of Home Assistant, characters. */
const longestState = 255;

export function createEventMessage(topic: string, { id, event }: DeliveryTry): Message {
  const { at, ...rest } = event;
  const payload = { event_type: toEventType(event), id, ...rest, at: isoTime(at) };
  return { topic: `${topic}/events`, payload: JSON.stringify(payload), retain: false };
}

/** What was sent since the sender was made: the last event, their number, and the last one of each kind. */
export class SentEvents {
  readonly #since: string;
  readonly #lastByKind: Partial<Record<ToldEvent['kind'], ReturnType<typeof summarize>>> = {};
  #last: ReturnType<typeof summarize> | null = null;
  #count = 0;

  constructor(since: number) {
    this.#since = isoTime(since);
  }

  add(event: ToldEvent): void {
    this.#last = summarize(event);
    this.#lastByKind[event.kind] = this.#last;
    this.#count += 1;
  }

  /** Null before the first event: what an earlier sender left at the broker stays. */
  toMessage(topic: string): Message | null {
    const payload = { ...this.#last, count: this.#count, since: this.#since, byKind: this.#lastByKind };
    return this.#last && { topic: `${topic}/state`, payload: JSON.stringify(payload), retain: true };
  }
}

function summarize({ kind, state, level, at, title }: ToldEvent) {
  return { kind, state, level, at: isoTime(at), title: clipText(title, longestState) };
}
