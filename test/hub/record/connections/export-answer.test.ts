// The answer of an export, with its thread and its time, when its body is closed early.
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startReaderPools } from '#hub/base/readers/pools.ts';
import { answerExport } from '#hub/record/connections/export/answer.ts';
import { openConnectionLog, seen } from '../../../support/connection-log.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

test('an answer that is closed before anybody reads it leaves neither its place nor its timer', async () => {
  await using log = openConnectionLog();
  await log.record([seen()]);
  await using pools = startReaderPools(log.db.file);
  const source = { exports: pools.exports, clock: new ManualClock() };
  const params = { filter: { from: 0, to: Number.MAX_SAFE_INTEGER }, format: 'json', from: 0, to: 1 } as const;
  for (let round = 0; round < 5; round += 1) {
    const { signal } = new AbortController();
    const { body } = await answerExport(source, params, 0, signal);
    const closed = once(body, 'close');
    body.destroy();
    await closed;
    expect(source.clock.sleeping).toBe(0);
  }
});

test('a stream that ends before its plan is refused, and leaves no timer', async () => {
  const clock = new ManualClock();
  const { signal } = new AbortController();
  const params = { filter: {}, format: 'csv', from: 0, to: 1 } as const;
  const exports = {
    async *stream() {
      yield* [] as Uint8Array[];
    },
  };
  await expect(answerExport({ exports, clock }, params, 0, signal)).rejects.toThrow('ended before it began');
  expect(clock.sleeping).toBe(0);
});
