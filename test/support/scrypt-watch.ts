// Tells when a password computation of this process begins: Node's own hook for asynchronous work.
import { createHook } from 'node:async_hooks';
import { systemClock } from '#kernel/time/clock.ts';

export interface ScryptWatch extends Disposable {
  /** Resolves when `count` computations have begun since the watch was made. */
  begun(count: number): Promise<void>;
}

export function watchScrypt(): ScryptWatch {
  const seen = { count: 0 };
  const hook = createHook({
    init(_id, type) {
      seen.count += type === 'SCRYPTREQUEST' ? 1 : 0;
    },
  }).enable();
  return {
    async begun(count) {
      while (seen.count < count) {
        await systemClock.sleep(1);
      }
    },
    [Symbol.dispose]: () => void hook.disable(),
  };
}
