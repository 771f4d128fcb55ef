// Tells Home Assistant when no values come any more; that they come is told with the values.
import { availabilityOf } from './discovery.ts';
import { Failure, Failures, messageOf } from './failure.ts';
import { limits } from './limits.ts';
import { publish } from './mqtt.ts';
import type { Settings } from './settings.ts';
import { withGracePeriod } from './signals.ts';
import type { Terminal } from './terminal.ts';

export interface Availability extends Disposable {
  /** Reads; tells when that failed, with --watch when it failed several times in a row. Throws what `read` throws. */
  reading(read: () => Promise<void>): Promise<void>;
  /** Tells that no values come, unless that was the last thing told. A broker that cannot be told is warned of. */
  gone(): Promise<void>;
}

/** Readings of --watch that may fail before the values count as gone, as in `expire_after`. */
const failuresAllowed = 2;

export function createAvailability(
  { mqtt, watchMs }: Settings,
  env: NodeJS.ProcessEnv,
  terminal: Terminal,
  signal: AbortSignal,
): Availability {
  // Counted from the signal, whatever is done then.
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
      await publish([availabilityOf(mqtt.topic, 'offline')], mqtt, env, limit);
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
          // Those of the ways out: the values were there.
          came();
        } else if (signal.aborted) {
          // The broker may have been told that values come before the reading was ended.
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
