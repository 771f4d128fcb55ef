// One round of look-ups in exact time: pace, bounds, what is stored and counted, and when it gives up.
import { expect, test } from 'vitest';
import type { Answer } from '#hub/identify/enrichment/answers.ts';
import type { LookUp } from '#hub/identify/enrichment/remote/look-up.ts';
import { lookUpDue, type RoundOptions } from '#hub/identify/enrichment/remote/look-up-round.ts';
import { ExpiringCache } from '#kernel/time/expiring-cache.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const addresses = Array.from({ length: 50 }, (_, n) => `9.9.9.${n}`);

async function* due(count: number) {
  yield* addresses.slice(0, count);
}

/** Short waits pass at once; `stored` has the answers of each transaction. */
function createRound(lookUp: LookUp, change: Partial<RoundOptions> = {}) {
  const clock = new ManualClock();
  clock.sleep = async (ms) => clock.skip(ms);
  const stored: (readonly Answer[])[] = [];
  const stop = new AbortController();
  const options: RoundOptions = {
    ...{ clock, lookUp, perSecond: 4, atOnce: 2 },
    counter: { ok: 0, fail: 0, lastOkAt: null, lastFailAt: null, lastError: null },
    failed: new ExpiringCache<true>(clock, 1000, () => 60_000),
    async addAnswers(answers) {
      stored.push(answers);
    },
    isAllowed: () => true,
    signal: stop.signal,
    ...change,
  };
  return { ...options, clock, stored, stop, run: (count: number) => lookUpDue(due(count), options) };
}

test('every address is asked in its turn, and answers are stored by twenties', async () => {
  const times: number[] = [];
  const round = createRound(async () => {
    times.push(round.clock.now());
    return { facts: { host: 'h' }, keepMs: 7 };
  });
  const from = round.clock.now();
  expect(await round.run(45)).toEqual({ gaveUp: false });
  expect(times.map((at) => at - from)).toEqual(times.map((_, index) => (index + 1) * 250));
  const answers = round.stored.flat();
  expect(answers.map(({ address }) => address)).toEqual(addresses.slice(0, 45));
  expect(answers.every(({ at, until, facts }) => until === at + 7 && facts.host === 'h')).toBe(true);
  expect(
    round.stored
      .map(({ length }) => length)
      .slice(0, -1)
      .every((length) => length >= 20 && length <= 22),
  ).toBe(true);
  expect(round.counter).toEqual({ ok: 45, fail: 0, lastOkAt: from + 45 * 250, lastFailAt: null, lastError: null });
});

test('as many run at once as may, and no more', async () => {
  const state = { running: 0, most: 0 };
  const round = createRound(
    async () => {
      state.running += 1;
      state.most = Math.max(state.most, state.running);
      await new Promise((resolve) => setImmediate(resolve));
      state.running -= 1;
      return { facts: {}, keepMs: 1 };
    },
    { atOnce: 3 },
  );
  await round.run(20);
  expect([state.most, round.stored.flat().length]).toEqual([3, 20]);
});

test('no further address is taken while as many run as may', async () => {
  const released = Promise.withResolvers<void>();
  const round = createRound(async () => {
    await released.promise;
    return { facts: {}, keepMs: 1 };
  });
  const from = round.clock.now();
  const running = round.run(10);
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(round.clock.now() - from).toBe(500);
  released.resolve();
  expect(await running).toEqual({ gaveUp: false });
});

test('five failures in a row end the round, and those addresses are not asked for a while', async () => {
  const asked: string[] = [];
  const round = createRound(
    async (address) => {
      asked.push(address);
      if (asked.length === 5) {
        return { facts: {}, keepMs: 1 };
      }
      throw new Error(`nothing about ${address} at ${address} ${'x'.repeat(300)}`);
    },
    { atOnce: 1 },
  );
  expect(await round.run(30)).toEqual({ gaveUp: true });
  expect([asked.length, round.counter]).toMatchObject([10, { ok: 1, fail: 9, lastFailAt: round.clock.now() }]);
  expect(round.counter.lastError).toMatch(/^nothing about an address at an address x{160,}$/);
  expect(round.counter.lastError).toHaveLength(200);
  expect(await round.run(10)).toEqual({ gaveUp: false });
  expect(asked.slice(10)).toEqual(['9.9.9.4']);
  round.clock.skip(60_000);
  await round.run(2);
  expect(asked.slice(11)).toEqual(['9.9.9.0', '9.9.9.1']);
});

test('four failures do not end it', async () => {
  const round = createRound(async () => Promise.reject(new Error('no')), { atOnce: 1 });
  expect(await round.run(4)).toEqual({ gaveUp: false });
});

test('an end of the hub is no failure of the service', async () => {
  const round = createRound(async () => {
    round.stop.abort();
    throw new Error('stopped');
  });
  const from = round.clock.now();
  expect(await round.run(10)).toEqual({ gaveUp: false });
  expect(round.clock.now() - from).toBeLessThanOrEqual(750);
  expect(round.counter).toMatchObject({ ok: 0, fail: 0, lastError: null });
  expect(round.failed.get('9.9.9.0')).toBeUndefined();
});
