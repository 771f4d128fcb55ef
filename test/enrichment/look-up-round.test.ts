// A round of look-ups, asked of a simulated name server over real sockets: every answer that came is kept.
import { expect, test } from 'vitest';
import { lookUpDue, type RoundOptions } from '#hub/enrichment/look-up-round.ts';
import { createPtrLookUp, reverseName } from '#hub/enrichment/ptr.ts';
import { createRecent } from '#hub/enrichment/recent.ts';
import { systemClock } from '#kernel/clock.ts';
import { startNameServer } from '#simulators/dns/name-server.ts';

const addresses = Array.from({ length: 300 }, (_, at) => `203.0.${100 + Math.floor(at / 100)}.${at % 100}`);

async function* due() {
  yield* addresses;
}

function roundOf(server: string, change: Partial<RoundOptions> = {}): RoundOptions {
  return {
    clock: systemClock,
    lookUp: createPtrLookUp(server),
    perSecond: 5000,
    atOnce: 8,
    counter: { ok: 0, fail: 0, lastOkAt: null, lastFailAt: null, lastError: null },
    failed: createRecent<true>(systemClock, 1000, 60_000),
    learn: async () => undefined,
    isAllowed: () => true,
    signal: new AbortController().signal,
    ...change,
  };
}

test('answers that come while others are being kept are kept too', async () => {
  const zone = Object.fromEntries(addresses.map((one, at) => [reverseName(one), { PTR: [`name-${at}.example`] }]));
  await using server = await startNameServer({ zone });
  server.control.fail('slow', { value: 5 });
  const kept = new Set<string>();
  const round = roundOf(server.server, {
    async learn(answers) {
      for (const { address } of answers) {
        kept.add(address);
      }
      await systemClock.sleep(10);
    },
  });
  await lookUpDue(due(), round);
  expect(round.counter).toMatchObject({ ok: addresses.length, fail: 0, lastError: null });
  expect(addresses.filter((one) => !kept.has(one))).toEqual([]);
});
