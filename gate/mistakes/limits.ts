// Mistakes in limits, audit and the hub behind the endpoint.
import type { Mistake } from './mistake.ts';

export const limitsMistakes: readonly Mistake[] = [];
