import { expect, test } from 'vitest';
import { createId } from '#kernel/text/secret.ts';
import { usedHeap } from '../support/used-heap.ts';

test('an id that is held takes the bytes of its text, not those of the parts it was composed of', () => {
  const ids: string[] = [];
  const before = usedHeap();
  for (let index = 0; index < 20_000; index += 1) {
    ids.push(createId());
  }
  const each = (usedHeap() - before) / ids.length;
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  // A composed one takes some 490 bytes.
  expect(each).toBeLessThan(200);
});
