// Marks of privacy rules for tests of parts that run without a privacy feature.
import type { Marks } from '#hub/record/connections/privacy/marks.ts';

/** Marks nobody. */
export const keepAll: Marks = { open: () => () => null, hasRules: () => false, findCovered: () => new Map() };
