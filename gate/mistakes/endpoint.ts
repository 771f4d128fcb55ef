// Mistakes of the endpoint in what it accepts, answers and lists.
import type { Mistake } from './mistake.ts';

export const endpointMistakes: readonly Mistake[] = [];
