// How the mistakes of gate/mistakes/proxy.ts are made on the stage.
import type { Made } from './made.ts';

export const proxyMade: Readonly<Record<string, Made>> = {};
