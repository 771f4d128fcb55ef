// The bytes a session sends: cut anywhere into writes of 512 to 4096 bytes, held to a rate, stopped by Ctrl-S.
import { type Clock, stopwatch, yieldToEventLoop } from '#kernel/time/clock.ts';
import type { Random } from '../../support/random.ts';

/** How a connection is ended: politely, by its channel only, by SSH disconnect, by TCP close, by TCP reset, or not at all. */
export type CutKind = 'exit' | 'close' | 'end' | 'destroy' | 'reset' | 'freeze';

export interface Wire {
  /** False when `drained` should be waited for. */
  write(bytes: Uint8Array): boolean;
  /** Resolves when there is room again, or when the channel is closed. */
  drained(): Promise<void>;
  /** Aborted when the channel is closed, from whichever side. */
  readonly closed: AbortSignal;
  cut(how: CutKind): void;
}

/** Thrown inside a session when its channel is gone; the session's own loop ends on it. */
export class SessionEnded extends Error {
  constructor() {
    super('the session is closed');
    this.name = 'SessionEnded';
  }
}

const sliceMs = 8;

export type Output = ReturnType<typeof createOutput>;

export function createOutput(wire: Wire, clock: Clock, random: Random) {
  let rate: number | null = null;
  let piece: number | null = null;
  let total = 0;
  let stopped: { promise: Promise<void>; resolve: () => void } | null = null;
  let tail: Promise<void> = Promise.resolve();
  let elapsed = stopwatch();

  const sendNow = async (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + (piece ?? random.int(512, 4096)));
      at += part.length;
      if (stopped) {
        await Promise.race([stopped.promise, untilClosed(wire)]);
      }
      if (rate !== null) {
        await clock.sleep((part.length * 1000) / rate, wire.closed).catch(throwEnded);
      }
      if (wire.closed.aborted) {
        throw new SessionEnded();
      }
      total += part.length;
      if (!wire.write(part)) {
        await wire.drained();
      }
      if (elapsed() > sliceMs) {
        await yieldToEventLoop();
        elapsed = stopwatch();
      }
    }
  };

  return {
    /** Resolves when the bytes are handed to the channel; rejects with SessionEnded. */
    send(bytes: Uint8Array): Promise<void> {
      const sending = tail.then(() => sendNow(bytes));
      // The caller hears of a failure; the next write finds the closed channel itself.
      tail = sending.catch(() => undefined);
      return sending;
    },
    stop(): void {
      stopped ??= Promise.withResolvers<void>();
    },
    resume(): void {
      stopped?.resolve();
      stopped = null;
    },
    /** Bytes a second from now on; null = as fast as it goes. */
    setRate(bytesPerSecond: number | null): void {
      rate = bytesPerSecond;
    },
    /** Bytes of each write from now on; null = 512 to 4096. */
    setPieces(bytes: number | null): void {
      piece = bytes;
    },
    sent: () => total,
  };
}

/** Never resolves; rejects with SessionEnded when the channel is closed. */
export function untilClosed(wire: Wire): Promise<never> {
  return new Promise((_, reject) => {
    if (wire.closed.aborted) {
      reject(new SessionEnded());
    }
    wire.closed.addEventListener('abort', () => reject(new SessionEnded()), { once: true });
  });
}

/** For sleeps on the simulator's clock, which reject only because the channel was closed. */
export function throwEnded(): never {
  throw new SessionEnded();
}
