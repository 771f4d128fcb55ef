import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createId } from '#kernel/secret.ts';

test('an id that is held takes the bytes of its text, not those of the parts it was composed of', () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  const used = () => {
    (collect as () => void)();
    return getHeapStatistics().used_heap_size;
  };
  const ids: string[] = [];
  const before = used();
  for (let index = 0; index < 20_000; index += 1) {
    ids.push(createId());
  }
  const each = (used() - before) / ids.length;
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  // A composed one takes some 490 bytes.
  expect(each).toBeLessThan(200);
});
