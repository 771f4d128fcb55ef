// How the mistakes of gate/mistakes/endpoint.ts are made on the stage.
import type { Made } from './made.ts';

export const endpointMade: Readonly<Record<string, Made>> = {};
