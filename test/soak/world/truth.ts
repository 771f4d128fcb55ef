// What the simulators were made to be, and since when: what the hub says is held against it.
import { systemClock } from '#kernel/time/clock.ts';
import type { Subject } from '../catalogue.ts';

export interface Truth {
  isDown: boolean;
  /** Epoch milliseconds. */
  since: number;
  /** How long it was down before `since`, when it is up. */
  wasDownMs: number;
}

export interface Truths {
  of(subject: Subject): Truth;
  down(subject: Subject): void;
  /** Up again, or disturbed for a moment when it was not down. */
  up(subject: Subject): void;
}

export function createTruths(): Truths {
  const known = new Map<Subject, Truth>();
  const begun = systemClock.now();
  const of = (subject: Subject) => known.get(subject) ?? { isDown: false, since: begun, wasDownMs: 0 };
  return {
    of,
    down(subject) {
      known.set(subject, { isDown: true, since: systemClock.now(), wasDownMs: 0 });
    },
    up(subject) {
      const { isDown, since } = of(subject);
      const now = systemClock.now();
      known.set(subject, { isDown: false, since: now, wasDownMs: isDown ? now - since : 0 });
    },
  };
}
