// Mistakes with names, addresses, ports and time.
import type { Mistake } from './mistake.ts';

export const networkMistakes: readonly Mistake[] = [
  {
    id: 'network.published-already',
    sentence: 'the name is in public DNS already',
    red: ['dns.absent'],
  },
];
