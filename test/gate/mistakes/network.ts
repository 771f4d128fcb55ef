// How the mistakes of gate/mistakes/network.ts are made on the stage.
import { stagedName } from '../../../scripts/stage.ts';
import type { Made } from './made.ts';

export const networkMade: Readonly<Record<string, Made>> = {
  'network.published-already': {
    make: ({ dns }) => dns.control.setZone({ [stagedName]: { A: ['192.0.2.10'] } }),
    because: /public DNS has an address/,
  },
};
