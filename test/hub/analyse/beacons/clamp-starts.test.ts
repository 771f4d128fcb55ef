// Starts that lie ahead after the clock was put right: they go, those before stay as they are.
import { expect, test } from 'vitest';
import { dropFutureStarts } from '#hub/analyse/beacons/clamp-starts.ts';
import { appendWord, packStart, slotMs, toSlot, unpackStarts } from '#hub/analyse/beacons/packed-starts.ts';
import { noon, openConnectionLog } from '../../../support/connection-log.ts';

const own = toSlot(noon);
const second = 1000;
const rowsAtOnce = 500;
const packed = (...times: number[]) =>
  times.reduce<Uint8Array>((bytes, at) => appendWord(bytes, packStart({ at, isExact: true })), new Uint8Array());

/** Brings the starts of these flows back, each in its slot; returns what is left, and the steps it took. */
async function dropFuture(rows: readonly { slot: number; flow: number; times: number[] }[]) {
  await using log = openConnectionLog();
  const counted = await log.db.write((writer) => {
    const insert = writer.prepare('INSERT INTO session_start (slot, flow_id, starts) VALUES (?, ?, ?)');
    for (const { slot, flow, times } of rows) {
      insert.run(slot, flow, packed(...times));
    }
    const steps = dropFutureStarts(writer, noon);
    for (let yields = 0; ; yields += 1) {
      const step = steps.next();
      if (step.done) {
        return { changed: step.value, yields };
      }
    }
  });
  const left = log.db.prepare('SELECT slot, flow_id AS flow, starts FROM session_start ORDER BY slot, flow_id').all();
  return {
    ...counted,
    left: (left as { slot: number; flow: number; starts: Uint8Array }[]).map(({ slot, flow, starts }) => ({
      ...{ slot, flow },
      times: unpackStarts(slot, starts).map(({ at }) => at),
    })),
  };
}

test('starts before now stay, those ahead go, and a row that has no other goes with them', async () => {
  const before = { slot: own - 1, flow: 1, times: [noon - slotMs] };
  const { changed, left } = await dropFuture([
    before,
    { slot: own, flow: 1, times: [noon - second, noon] },
    { slot: own, flow: 2, times: [noon - 2 * second, noon + second, noon - second, noon + 2 * second] },
    { slot: own, flow: 3, times: [noon + second] },
    { slot: own + 1, flow: 4, times: [noon + slotMs] },
    { slot: own + 2, flow: 4, times: [noon + 2 * slotMs] },
  ]);
  expect(changed).toBe(4);
  expect(left).toEqual([
    before,
    { slot: own, flow: 1, times: [noon - second, noon] },
    { slot: own, flow: 2, times: [noon - 2 * second, noon - second] },
  ]);
});

test('the event loop gets a turn after every five hundred rows', async () => {
  const rows = (count: number) => Array.from({ length: count }, (_, flow) => ({ slot: own, flow, times: [noon] }));
  expect(await dropFuture(rows(2 * rowsAtOnce - 1))).toMatchObject({ changed: 0, yields: 2 });
  expect(await dropFuture(rows(2 * rowsAtOnce))).toMatchObject({ changed: 0, yields: 3 });
});
