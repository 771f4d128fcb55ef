// How the mistakes of gate/mistakes/evidence.ts are made on the stage.
import type { Made } from './made.ts';

export const evidenceMade: Readonly<Record<string, Made>> = {};
