// Holds computations of password hashes back, so that a test decides in which order they end.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { systemClock } from '#kernel/time/clock.ts';

export interface HeldScrypt extends Disposable {
  /** Resolves when `count` computations were asked for since this holds them. */
  begun(count: number): Promise<void>;
  /** Lets computation `number` run; the first one is 1. */
  release(number: number): void;
}

/** Holds the first `count` computations of this process. Disposal lets those run that are still held. */
export function holdScrypt(count: number): HeldScrypt {
  const { scrypt } = crypto;
  const held: (() => void)[] = [];
  let asked = 0;
  const replace = (own: typeof scrypt) => {
    Object.assign(crypto, { scrypt: own });
    syncBuiltinESMExports();
  };
  replace(((...words: unknown[]) => {
    const compute = () => void Reflect.apply(scrypt, crypto, words);
    asked += 1;
    if (asked > count) {
      compute();
    } else {
      held.push(compute);
    }
  }) as typeof scrypt);
  const release = (number: number) => {
    const compute = held[number - 1];
    held[number - 1] = () => {};
    compute?.();
  };
  return {
    async begun(wanted) {
      while (asked < wanted) {
        await systemClock.sleep(1);
      }
    },
    release,
    [Symbol.dispose]() {
      replace(scrypt);
      for (const number of held.keys()) {
        release(number + 1);
      }
    },
  };
}
