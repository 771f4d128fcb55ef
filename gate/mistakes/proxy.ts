// Mistakes of the TLS proxy in front of the endpoint.
import type { Mistake } from './mistake.ts';

export const proxyMistakes: readonly Mistake[] = [];
