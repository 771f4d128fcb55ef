// The faults of a router that means harm or is broken beyond its protocol; hostile-faults.test.ts shows each.
import type { RouterFault } from '#simulators/router/faults.ts';

export const hostileFaults = [
  'secret-shown',
  'dribble',
  'endless',
  'endless-line',
  'endless-banner',
] as const satisfies readonly RouterFault[];
