import { expect, test } from 'vitest';
import { createActivity } from '#hub/collect/routers/activity.ts';
import { usedHeap } from '../../../support/used-heap.ts';
import { sessionWith } from './tables.ts';

const at = Date.parse('2026-03-01T00:00:00Z');

const session = (index: number) =>
  sessionWith({ src: `192.168.${index >> 8}.${index & 255}`, ttl: 900, printedFrom: at, printedTo: at });

test('a session that is remembered takes the bytes of its texts, not those of the parts they were composed of', async () => {
  const activity = createActivity();
  // A scope of its own: what a read returns is not remembered.
  const read = async () => {
    const sessions = Array.from({ length: 20_000 }, (_, index) => session(index));
    await activity.observe(sessions, { from: at, to: at });
    activity.stored();
  };
  const before = usedHeap();
  await read();
  const each = (usedHeap() - before) / activity.kept();
  // Some 640 bytes; with composed texts 860.
  expect(each).toBeLessThan(750);
});
