// Collects the bytes that arrive, and hands them on once per turn of the event loop.
import { yieldToEventLoop } from '#kernel/time/clock.ts';

/** Size of the buffer: when it is full, its bytes are handed on before the end of the turn. */
const batchBytes = 65_536;

/**
 * Calls `feed` with the bytes of a turn, then `fed` once. A device that sends each byte in its own packet then costs
 * little more than another. The socket is read once in a turn (ssh.ts), so bytes of one read at most wait here; when the
 * hub is slow, the connection's window fills.
 */
export function createBatch(feed: (bytes: Uint8Array) => void, fed: () => void) {
  const waiting = new Uint8Array(batchBytes);
  let length = 0;
  let isPlanned = false;
  const pass = (): void => {
    const bytes = waiting.subarray(0, length);
    length = 0;
    feed(bytes);
  };
  const end = (): void => {
    if (isPlanned) {
      isPlanned = false;
      pass();
      fed();
    }
  };
  return {
    add(bytes: Uint8Array): void {
      for (let at = 0; at < bytes.length; at += batchBytes) {
        const part = bytes.subarray(at, at + batchBytes);
        if (length + part.length > batchBytes) {
          pass();
        }
        waiting.set(part, length);
        length += part.length;
      }
      if (!isPlanned) {
        isPlanned = true;
        void yieldToEventLoop().then(end);
      }
    },
    /** Hands on the collected bytes now. */
    end,
  };
}
