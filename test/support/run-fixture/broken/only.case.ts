import { test } from 'vitest';
import { verifies } from '../../verifies.ts';

verifies('card.packages.jose', 'is left out', () => {});
test('the only one', { only: true }, () => {});
