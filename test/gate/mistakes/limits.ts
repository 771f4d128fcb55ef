// How the mistakes of gate/mistakes/limits.ts are made on the stage.
import type { Made } from './made.ts';

export const limitsMade: Readonly<Record<string, Made>> = {};
