// Bytes as they come, handed on once in a turn of the event loop.
import { yieldToEventLoop } from '#kernel/time/clock.ts';

/** Bytes that wait for the end of a turn. */
const batchBytes = 65_536;

/**
 * Gathers what comes within a turn, so that a device that sends each byte in a packet of its own costs little more than
 * one that does not: `feed` gets it, then `fed` is called once. The socket is read once in a turn (ssh.ts), so no more
 * than that ever waits here; when the hub is behind, the connection's window fills.
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
    /** Hands on at once what waits. */
    end,
  };
}
