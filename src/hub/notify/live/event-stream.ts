// One reader of the ring. It holds a place in the ring and no events: memory does not grow with a reader that is slow.
import { Readable } from 'node:stream';
import type { Permission } from '#contract/access.ts';
import type { CloseReason } from '#contract/events.ts';
import { liveLimits } from '#contract/live-limits.ts';
import type { EventRing, RingEvent } from './event-ring.ts';
import { eventFrame, heartbeatFrame } from './frame.ts';

export interface EventStreamOptions {
  ring: EventRing;
  /** Number of the last event the reader has. */
  after: number;
  /** First frame, before any event. */
  opening: Buffer;
  permissions: ReadonlySet<Permission>;
  /** Milliseconds of a clock that is never set back. */
  now: () => number;
  /** What a reader gets instead of events that are no longer in the ring. */
  resyncFrame: (id: string) => Buffer;
}

export type LiveStream = ReturnType<typeof createEventStream>;

/** What is handed on ahead of the socket's own buffer. */
const aheadBytes = 16_384;

export function createEventStream(options: EventStreamOptions) {
  const { ring, permissions, now, resyncFrame } = options;
  const openedAt = ring.head();
  const place = { seq: options.after, waitingBytes: 0, isThirsty: false, hadAllAt: now() };
  const ending = new AbortController();
  const body = new Readable({ highWaterMark: aheadBytes, read: () => pour() });

  /** Hands on events until the reader has enough, or all. */
  function pour(): void {
    place.isThirsty = true;
    while (place.isThirsty && !ending.signal.aborted) {
      const event = ring.after(place.seq);
      if (!event) {
        return;
      }
      if (event === 'gone') {
        place.seq = ring.head();
        place.waitingBytes = 0;
        place.isThirsty = body.push(resyncFrame(ring.idOf(place.seq)));
        continue;
      }
      const frame = frameFor(event, permissions);
      place.seq = event.seq;
      place.waitingBytes -= frame && event.seq > openedAt ? frame.byteLength : 0;
      place.isThirsty = frame ? body.push(frame) : true;
    }
  }

  /** A burst of events is no sign of a slow reader: it gets some seconds to take them. */
  function endIfSlow(): void {
    if (place.waitingBytes > liveLimits.liveWaitingBytes && now() - place.hadAllAt >= liveLimits.liveSlowMs) {
      end('too_slow');
    }
  }

  function end(reason: CloseReason): void {
    if (ending.signal.aborted) {
      return;
    }
    ending.abort();
    body.push(eventFrame({ event: 'closed', data: { reason } }));
    body.push(null);
  }

  body.once('close', () => ending.abort());
  body.push(options.opening);
  return {
    body,
    /** Aborted when the stream ends, by itself or because its reader went away. */
    ending: ending.signal,
    /** Drops what was not sent yet, says why, and ends. */
    end,
    /** An event was appended to the ring. */
    appended(event: RingEvent) {
      if (place.waitingBytes === 0) {
        place.hadAllAt = now();
      }
      place.waitingBytes += frameFor(event, permissions)?.byteLength ?? 0;
      if (place.isThirsty) {
        pour();
      }
      endIfSlow();
    },
    heartbeat() {
      endIfSlow();
      if (place.isThirsty && !ending.signal.aborted) {
        place.isThirsty = body.push(heartbeatFrame);
      }
    },
  };
}

/** The form of an event that a holder of `permissions` may see; undefined for none. */
function frameFor({ needs, frame, fuller }: RingEvent, permissions: ReadonlySet<Permission>): Buffer | undefined {
  if (!permissions.has(needs)) {
    return undefined;
  }
  return fuller && permissions.has(fuller.needs) ? fuller.frame : frame;
}
