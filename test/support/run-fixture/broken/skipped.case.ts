import { describe } from 'vitest';
import { verifies } from '../../verifies.ts';

describe.skip('a group', () => {
  verifies('card.packages.vitest', 'is skipped', () => {});
});
describe.todo('later', () => {
  verifies('card.packages.tsx', 'is to be written', () => {});
});
