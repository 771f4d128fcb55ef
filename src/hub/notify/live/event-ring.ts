// The latest events, shared by all streams: what a reader has not read yet is held here once, not once per reader.
import type { Permission } from '#contract/access.ts';

/** One event as it goes over the wire. */
export interface RingEvent {
  seq: number;
  needs: Permission;
  frame: Buffer;
  /** What holders of one more permission get in its place. */
  fuller?: { needs: Permission; frame: Buffer } | undefined;
}

/** An event before it has its number; the frames are made for its id. */
export interface NewEvent {
  needs: Permission;
  frame: (id: string) => Buffer;
  fuller?: { needs: Permission; frame: (id: string) => Buffer } | undefined;
}

export type EventRing = ReturnType<typeof createEventRing>;

export interface EventRingOptions {
  /** Names this run of the hub: an id of another run is not resumable. No dot in it. */
  epoch: string;
  maxEvents: number;
  maxBytes: number;
}

export function createEventRing({ epoch, maxEvents, maxBytes }: EventRingOptions) {
  const events: RingEvent[] = [];
  const at = { head: 0, bytes: 0 };
  const idOf = (seq: number) => `${epoch}.${seq}`;
  const isHere = (seq: number) => seq > at.head - events.length;

  return {
    /** Number of the latest event; 0 before the first. */
    head: () => at.head,
    /** What `Last-Event-ID` says after event `seq`. */
    idOf,
    append({ needs, frame, fuller }: NewEvent) {
      at.head += 1;
      const id = idOf(at.head);
      const event = {
        seq: at.head,
        needs,
        frame: frame(id),
        fuller: fuller && { needs: fuller.needs, frame: fuller.frame(id) },
      };
      events.push(event);
      at.bytes += bytesOf(event);
      while (events.length > maxEvents || at.bytes > maxBytes) {
        const [oldest] = events.splice(0, 1);
        at.bytes -= oldest ? bytesOf(oldest) : 0;
      }
      return event;
    },
    /** The number in `id`, when every later event is still here; else null. */
    resumable(id: string) {
      const [, ownEpoch, digits] = /^(.{1,64})\.(\d{1,15})$/.exec(id) ?? [];
      const seq = Number(digits);
      return ownEpoch === epoch && seq <= at.head && isHere(seq + 1) ? seq : null;
    },
    /** The event after `seq`; undefined at the head, `gone` when it is no longer here. */
    after: (seq: number) => (isHere(seq + 1) ? events[seq - (at.head - events.length)] : 'gone'),
  };
}

function bytesOf({ frame, fuller }: RingEvent): number {
  return frame.byteLength + (fuller?.frame.byteLength ?? 0);
}
