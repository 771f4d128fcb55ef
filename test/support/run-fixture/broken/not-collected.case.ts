import { test } from 'vitest';
import { verifies } from '../../verifies.ts';

test('something', () => {});
if (process.env.NO_SUCH_NAME) {
  verifies('card.packages.mqtt', 'is not collected', () => {});
}
