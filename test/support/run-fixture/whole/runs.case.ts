import { verifies } from '../../verifies.ts';

verifies('card.layout.present', 'runs', () => {});
verifies.each([{ ids: 'card.packages.vitest', what: 'a row runs' }], () => {});
