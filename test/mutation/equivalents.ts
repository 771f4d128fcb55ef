// Changes that no test can see, because the program does the same with them: not part of any sample.

export interface Equivalent {
  /** From the root of the repository. */
  file: string;
  /** The name that StrykerJS gives to this kind of change. */
  mutatorName: string;
  /** The text before, in one line. */
  from: string;
  /** The text after, in one line. */
  to: string;
  why: string;
}

export const equivalents: readonly Equivalent[] = [];
