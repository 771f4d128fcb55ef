// How each mistake of the catalogue is made.
import { endpointMade } from './endpoint.ts';
import { evidenceMade } from './evidence.ts';
import { limitsMade } from './limits.ts';
import type { Made } from './made.ts';
import { networkMade } from './network.ts';
import { plainMade } from './plain.ts';
import { proxyMade } from './proxy.ts';
import { tokensMade } from './tokens.ts';

export const made: Readonly<Record<string, Made>> = {
  ...plainMade,
  ...evidenceMade,
  ...tokensMade,
  ...endpointMade,
  ...limitsMade,
  ...networkMade,
  ...proxyMade,
};
