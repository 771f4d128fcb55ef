// A round of look-ups, asked of a simulated name server over real sockets: every answer that came is kept.
import { expect, test } from 'vitest';
import { lookUpDue, type RoundOptions } from '#hub/identify/enrichment/remote/look-up-round.ts';
import { createPtrLookUp, toReverseName } from '#hub/identify/enrichment/remote/ptr.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { ExpiringCache } from '#kernel/time/expiring-cache.ts';
import { type NameServer, startNameServer } from '#simulators/dns/name-server.ts';
import { eventually } from '../../../support/eventually.ts';
import { startLab } from '../../../support/lab.ts';

const addresses = Array.from({ length: 300 }, (_, at) => `203.0.${100 + Math.floor(at / 100)}.${at % 100}`);

async function* due() {
  yield* addresses;
}

function createRound(server: string, change: Partial<RoundOptions> = {}): RoundOptions {
  return {
    clock: systemClock,
    lookUp: createPtrLookUp(server),
    perSecond: 5000,
    atOnce: 8,
    counter: { ok: 0, fail: 0, lastOkAt: null, lastFailAt: null, lastError: null },
    failed: new ExpiringCache<true>(systemClock, 1000, () => 60_000),
    addAnswers: async () => undefined,
    isAllowed: () => true,
    signal: new AbortController().signal,
    ...change,
  };
}

const countQueries = (names: NameServer) => names.journal().filter(({ kind }) => kind === 'query').length;

test('answers that come while others are being kept are kept too', async () => {
  const zone = Object.fromEntries(addresses.map((one, at) => [toReverseName(one), { PTR: [`name-${at}.example`] }]));
  await using server = await startNameServer({ zone });
  server.fail('slow', { value: 5 });
  const kept = new Set<string>();
  const round = createRound(server.server, {
    async addAnswers(answers) {
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

test('nobody is asked any more once a look-up is switched off, also when the next question is being waited for', async () => {
  await using server = await startNameServer();
  let looks = 0;
  const isAllowed = () => {
    looks += 1;
    return looks === 1;
  };
  await lookUpDue(due(), createRound(server.server, { isAllowed }));
  expect(countQueries(server)).toBe(0);
});

test('another name server is asked from the moment it is chosen, the one before no more', async () => {
  await using before = await startNameServer();
  await using after = await startNameServer();
  await using lab = await startLab({ routers: { a: 'vendor_a' } });
  for (let at = 1; at <= 30; at += 1) {
    lab.routers.a.flow({ src: '192.168.100.23', dst: `9.9.9.${at}`, dport: 443 });
  }
  await lab.poll();
  const choose = (resolver: string) => lab.as.admin.config.saveLookups({ body: { ptr: { enabled: true, resolver } } });
  await choose(before.server);
  await lab.clock.advance(60_000);
  await eventually(
    async () => countQueries(before),
    (queries) => queries > 0 || undefined,
  );
  await choose(after.server);
  const asked = countQueries(before);
  await lab.settled();
  // One question may have been on its way.
  expect(countQueries(before)).toBeLessThanOrEqual(asked + 1);
  expect(countQueries(before) + countQueries(after)).toBe(30);
});
