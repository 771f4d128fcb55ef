// Publishes `offline` for Home Assistant when readings fail; `online` is published with the values.
import { createAvailabilityMessage } from '#kernel/mqtt/message.ts';
import { Failure, Failures, messageOf } from './failure.ts';
import { limits } from './limits.ts';
import { publish } from './mqtt.ts';
import type { Settings } from './settings.ts';
import { withGracePeriod } from './signals.ts';
import type { Terminal } from './terminal.ts';

export interface Availability extends Disposable {
  /** Calls `read`; publishes `offline` when it fails (with --watch, several times in a row). Rethrows. */
  reading(read: () => Promise<void>): Promise<void>;
  /** Publishes `offline` unless that is the published state. A failure is only a warning. */
  gone(): Promise<void>;
}

/** Readings of --watch that may fail before the state is `offline`, as in `expire_after`. */
const failuresAllowed = 2;

export function createAvailability(
  { mqtt, watchMs }: Settings,
  env: NodeJS.ProcessEnv,
  terminal: Terminal,
  signal: AbortSignal,
): Availability {
  // Starts with the signal.
  const ending = withGracePeriod(signal, limits.interruptedMs);
  let failures = 0;
  let isTold = false;
  const came = () => {
    failures = 0;
    isTold = false;
  };
  const gone = async () => {
    if (!mqtt || isTold) {
      return;
    }
    try {
      const limit = AbortSignal.any([ending.signal, AbortSignal.timeout(limits.interruptedMs)]);
      await publish([createAvailabilityMessage(mqtt.topic, 'offline')], mqtt, env, limit);
      isTold = true;
    } catch (error) {
      terminal.warn(`the broker could not be told that no values come: ${messageOf(error)}`);
    }
  };
  return {
    async reading(read) {
      try {
        await read();
        came();
      } catch (error) {
        if (error instanceof Failures) {
          // Only outputs failed: the UPS was read.
          came();
        } else if (signal.aborted) {
          // `online` may have been published before the reading was aborted.
          isTold = false;
        } else if (error instanceof Failure) {
          failures += 1;
          if (watchMs === null || failures > failuresAllowed) {
            await gone();
          }
        }
        throw error;
      }
    },
    gone,
    [Symbol.dispose]: () => ending[Symbol.dispose](),
  };
}
