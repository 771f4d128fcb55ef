// A mistake as the tests make it, on a stage where everything else is right.
import type { Stage } from '../../../scripts/stage.ts';

export interface Made {
  /** Puts it in, where it is made; what has to be undone after the run goes on `after`. */
  make(stage: Stage, after: AsyncDisposableStack): unknown;
  /** What the finding of the first check in `red` says; of a collector, why its item does not pass or it does not begin. */
  because: RegExp;
  /** Options of the collector. */
  options?: (stage: Stage) => Readonly<Record<string, string>>;
  /** What the operator does when the collector asks for something. */
  asked?: (stage: Stage, text: string) => void;
}
