// The transcript of an experiment: steps with outcomes, statuses and codes, never request or response data.
import { isoTime } from '#kernel/time/clock.ts';

export interface Step {
  at: string;
  did: string;
  saw: string;
}

export interface Transcript {
  /** When it was begun: epoch milliseconds. */
  readonly startedAt: number;
  readonly steps: readonly Step[];
  /** Commits of the MCP processes that were started; null: one that did not say. */
  readonly processes: readonly (string | null)[];
  add(did: string, saw: string): void;
  startedProcess(commit: string | null): void;
}

export function createTranscript(now: () => number, onStep: (step: Step) => void): Transcript {
  const steps: Step[] = [];
  const processes: (string | null)[] = [];
  const add = (did: string, saw: string) => {
    const step = { at: isoTime(now()), did, saw };
    steps.push(step);
    onStep(step);
  };
  return {
    startedAt: now(),
    steps,
    processes,
    add,
    startedProcess(commit) {
      processes.push(commit);
      add('started an MCP process', commit === null ? 'it does not say its commit' : `built from ${commit}`);
    },
  };
}
