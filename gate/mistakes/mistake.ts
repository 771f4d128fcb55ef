// A mistake before a publication, and the checks that detect it. Tests make each mistake on a staged system.

/** Who makes it. `evidence`: the person who wrote or collected the evidence. */
export type Maker = 'operator' | 'endpoint' | 'proxy' | 'issuer' | 'network' | 'evidence';

export interface Mistake {
  /** Stable: `MAKER.what-is-wrong`. */
  id: string;
  /** What is wrong, as a sentence without its full stop. */
  sentence: string;
  /** Checks that fail because of it; those that need one of them are untestable then. Every other check holds. */
  red: readonly string[];
  /** A collector that finds it: its item does not pass, or it refuses to begin. `red` is empty then. */
  collector?: string;
  /** The profile of the stage that it is made on; `strict` when absent. */
  profile?: 'cloud_idp';
}

export function makerOf({ id }: Mistake): Maker {
  return id.slice(0, id.indexOf('.')) as Maker;
}
