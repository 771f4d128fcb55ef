// A mistake before a publication, the checks that find it, and how the tests make it on a stage where everything else is right.
import type { Stage } from '../../../scripts/stage.ts';

/** Who makes it. `evidence`: the person who wrote or collected the evidence. */
export type Maker = 'operator' | 'endpoint' | 'proxy' | 'issuer' | 'network' | 'evidence';

export interface Making {
  /** Makes the mistake. `after` undoes what a restored stage would still have. */
  make(stage: Stage, after: AsyncDisposableStack): unknown;
  /** What the finding of the first check in `red` says; of a collector, why its item does not pass or it refuses to begin. */
  because: RegExp;
  /** Options of the collector. */
  options?: (stage: Stage) => Readonly<Record<string, string>>;
  /** What the operator does when the collector asks for something. */
  asked?: (stage: Stage, text: string) => void;
}

export interface Mistake extends Making {
  /** Stable: `MAKER.what-is-wrong`. */
  id: string;
  /** What is wrong, as a sentence without its full stop. */
  sentence: string;
  /** Checks that fail because of it; those that need one of them are untestable then. Every other check holds. */
  red: readonly string[];
  /** A collector that finds it: its item does not pass, or it refuses to begin. `red` is empty then. */
  collector?: string;
}

export function getMaker({ id }: Mistake): Maker {
  return id.slice(0, id.indexOf('.')) as Maker;
}
