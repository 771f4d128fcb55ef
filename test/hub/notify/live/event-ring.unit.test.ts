// What the ring of live events gives out, against a list of all events; and what it holds in memory is what it counts.
import { expect, test } from 'vitest';
import { createEventRing, type RingEvent } from '#hub/notify/live/event-ring.ts';
import { eventFrame } from '#hub/notify/live/frame.ts';
import { createRandom } from '../../../support/random.ts';

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

test.each([1, 2, 3, 4, 5, 6])(
  'the newest events that fit are here, in both forms, and no older one (seed %i)',
  (seed) => {
    const random = createRandom(seed);
    const maxEvents = 1 + Math.floor(random() * 12);
    const maxBytes = 60 + Math.floor(random() * 200);
    const ring = createEventRing({ epoch: 'run', maxEvents, maxBytes });
    const all: { seq: number; frame: string; fuller: string | undefined; bytes: number }[] = [];
    expect([ring.head(), ring.after(0), ring.resumable('run.0')]).toEqual([0, undefined, 0]);
    for (let step = 0; step < 120; step += 1) {
      const text = 'a'.repeat(Math.floor(random() * 50));
      const more = random() < 0.4 ? 'b'.repeat(Math.floor(random() * 90)) : undefined;
      const made = (part: string) => (id: string) => Buffer.from(`${id} ${part}`);
      const fuller = more === undefined ? undefined : { needs: 'settings.write' as const, frame: made(more) };
      const given = ring.append({ needs: 'network.read', frame: made(text), fuller });
      const id = `run.${step + 1}`;
      const [frame, full] = [`${id} ${text}`, more === undefined ? undefined : `${id} ${more}`];
      all.push({ seq: step + 1, frame, fuller: full, bytes: frame.length + (full?.length ?? 0) });
      expect([given.seq, given.needs, given.frame.toString(), ring.head(), ring.idOf(step + 1)]).toEqual([
        ...[step + 1, 'network.read', frame, step + 1, id],
      ]);
      let room = maxBytes;
      const fits = all.slice(-maxEvents).reverse();
      const end = fits.findIndex(({ bytes }) => {
        room -= bytes;
        return room < 0;
      });
      const here = end === -1 ? fits.length : end;
      for (let after = 0; after <= step + 2; after += 1) {
        const next = ring.after(after);
        const expected = all[after];
        const isGone = after < step + 1 - here;
        expect(ring.resumable(`run.${after}`)).toBe(isGone || after > step + 1 ? null : after);
        if (expected === undefined) {
          expect(next).toBeUndefined();
        } else if (isGone) {
          expect(next).toBe('gone');
        } else {
          const { seq, frame: one, fuller: other } = next as RingEvent;
          expect([seq, one.toString(), other?.needs, other?.frame.toString()]).toEqual([
            ...[expected.seq, expected.frame, expected.fuller && 'settings.write', expected.fuller],
          ]);
        }
      }
    }
  },
);

test.each(['other.0', 'run', 'run.', '.0', 'run.0x', 'run.-1', ' run.0', 'run.0 ', `${'r'.repeat(65)}.0`, 'run.1'])(
  'nobody resumes at the id %j',
  (id) => {
    const ring = createEventRing({ epoch: id.startsWith('rr') ? 'r'.repeat(65) : 'run', maxEvents: 9, maxBytes: 99 });
    expect(ring.resumable(id)).toBeNull();
  },
);
