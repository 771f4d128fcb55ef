// Mistakes in the evidence, its signature and its report: what was measured, by whom, of what.
import type { Mistake } from './mistake.ts';

export const evidenceMistakes: readonly Mistake[] = [];
