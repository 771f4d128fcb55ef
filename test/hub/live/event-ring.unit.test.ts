// What the ring of live events holds in memory is what it counts.
import { expect, test } from 'vitest';
import { createEventRing, type RingEvent } from '#hub/live/event-ring.ts';
import { eventFrame } from '#hub/live/frame.ts';

test('small events hold no memory but their own, however much else is allocated between them', () => {
  const maxBytes = 100_000;
  const ring = createEventRing({ epoch: 'test', maxEvents: 1000, maxBytes });
  const others: Buffer[] = [];
  for (let count = 0; count < 1000; count += 1) {
    ring.append({ needs: 'network.read', frame: (id) => eventFrame({ id, event: 'status', data: { count } }) });
    others.push(Buffer.from('x'.repeat(20_000)));
  }
  const memory = new Set<ArrayBufferLike>();
  for (let seq = ring.head() - 999; ; seq += 1) {
    const event = ring.after(seq) as RingEvent | undefined;
    if (event === undefined) {
      break;
    }
    memory.add(event.frame.buffer);
  }
  expect([...memory].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(maxBytes);
  expect(memory.size).toBeGreaterThan(900);
});
