// What an experiment did and saw, step by step: outcomes, statuses and codes, never what was sent or received.
import { isoTime } from '#kernel/clock.ts';

export interface Step {
  at: string;
  /** What was done. */
  did: string;
  /** What came of it. */
  saw: string;
}

export interface Transcript {
  readonly steps: readonly Step[];
  add(did: string, saw: string): void;
}

export function createTranscript(now: () => number, onStep: (step: Step) => void): Transcript {
  const steps: Step[] = [];
  return {
    steps,
    add(did, saw) {
      const step = { at: isoTime(now()), did, saw };
      steps.push(step);
      onStep(step);
    },
  };
}
