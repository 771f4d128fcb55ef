// How the mistakes of gate/mistakes/tokens.ts are made on the stage.
import type { Made } from './made.ts';

export const tokensMade: Readonly<Record<string, Made>> = {};
