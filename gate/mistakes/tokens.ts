// Mistakes with tokens, and of the authorization server that makes them.
import type { Mistake } from './mistake.ts';

export const tokensMistakes: readonly Mistake[] = [];
