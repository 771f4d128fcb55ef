// Hours that are packed: late sightings, packing again, windows, retention. A log that packs answers like one that never does.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { packHours } from '#hub/record/connections/upkeep/hour-packer.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';
import { type ConnectionLog, hour, noon, openConnectionLog, seen } from '../support/connection-log.ts';
import { hourRows } from '../support/hour-rows.ts';
import { budget, runs } from '../support/property-runs.ts';

const minute = 60_000;
const hourNumber = (at: number) => Math.floor(at / hour);

function count(log: ConnectionLog, table: 'flow_hour' | 'flow_hour_pack'): number {
  return log.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
}

describe('an hour that has ended', () => {
  test('waits for the next run when others that are older fill this one, not when nothing is to do for them', async () => {
    await using log = openConnectionLog();
    for (let ago = 6; ago > 0; ago -= 1) {
      await log.record(Array.from({ length: 300 }, (_, dport) => ({ dport, at: noon - ago * hour })));
    }
    const packed = () => log.db.prepare('SELECT hour FROM flow_hour_pack ORDER BY hour').pluck().all();
    await packHours(log.db, noon, { most: 2 });
    expect(packed()).toEqual([6, 5].map((ago) => hourNumber(noon) - ago));
    await log.record([{ dport: 1, at: noon - 6 * hour + minute }], { now: noon });
    await packHours(log.db, noon, { most: 2 });
    expect(packed()).toEqual([6, 5, 4, 3].map((ago) => hourNumber(noon) - ago));
    const stop = AbortSignal.abort(new Error('the hub stops'));
    await expect(packHours(log.db, noon, { signal: stop })).rejects.toThrow('the hub stops');
    expect(packed()).toHaveLength(4);
  });

  test('of 65,000 rows is packed in one transaction during which the event loop keeps turning', async () => {
    await using log = openConnectionLog();
    const rows = Array.from({ length: 65_000 }, (_, row) => seen({ dport: row & 1023, dst: `198.18.${row >> 10}.1` }));
    await log.record(rows);
    const sizes = new Set<string>();
    let [turned, packed] = [0, false];
    const packing = packHours(log.db, noon + hour).finally(() => {
      packed = true;
    });
    while (!packed) {
      await yieldToEventLoop();
      turned += 1;
      sizes.add(`${count(log, 'flow_hour')} rows, ${count(log, 'flow_hour_pack')} packs`);
    }
    await packing;
    expect([...sizes]).toEqual(['65000 rows, 0 packs', '0 rows, 1 packs']);
    // Every eight milliseconds: how often that is depends on the machine.
    expect(turned).toBeGreaterThan(1);
    expect(hourRows(log.db)).toHaveLength(65_000);
  });
});

test('a row says when it was last seen inside the range, packed or not, whatever came later', async () => {
  await using log = openConnectionLog();
  const sightings = [-3 * hour, -2 * hour + 5 * minute, -2 * hour + 9 * minute, 0];
  for (const after of sightings) {
    await log.record([{ dport: 1, at: noon + after, startedAt: noon - 3 * hour }]);
  }
  await log.record([{ dport: 2, at: noon - 2 * hour, startedAt: noon - 2 * hour }]);
  const lastInRange = async (from: number, to: number) => {
    const range = { from: String(noon + from), to: String(noon + to), sort: 'dport', sortDir: 'asc' };
    const { connections } = await log.list({ ...range, include: 'lastInRange', limit: '9' });
    return connections.map(({ lastInRange }) => (lastInRange ?? Number.NaN) - noon);
  };
  for (const packs of [false, true]) {
    if (packs) {
      await packHours(log.db, noon);
    }
    expect(await lastInRange(-3 * hour, -hour)).toEqual([-2 * hour + 9 * minute, -2 * hour]);
    expect(await lastInRange(-3 * hour, -2 * hour + 7 * minute)).toEqual([-2 * hour + 7 * minute, -2 * hour]);
    expect(await lastInRange(-hour, hour)).toEqual([0]);
  }
  expect((await log.list({})).connections[0]).not.toHaveProperty('lastInRange');
});

const at = fc.integer({ min: -30, max: 30 }).map((steps) => noon + steps * 13 * minute);
const observation = fc.record({
  dport: fc.integer({ min: 1, max: 6 }),
  dst: fc.constantFrom('203.0.113.80', '2001:db8::1'),
  at,
  startedAt: fc.integer({ min: -40, max: 30 }).map((steps) => noon + steps * 13 * minute),
});
const step = fc.record({
  routerId: fc.constantFrom('vendor-a-1', 'vendor-a-2'),
  rows: fc.array(observation, { minLength: 1, maxLength: 12 }),
  packedTo: fc.option(at),
});
const shifted = fc.tuple(at, fc.constantFrom(0, 1, hour, hour - 1, 5 * minute)).map(([at, by]) => at + by);
const query = fc.record({ window: fc.tuple(shifted, shifted), filter: fc.constantFrom({}, { fDport: '3' }) });

test(`a log that packs at any time answers like one that never packs: ${budget(6, 25, 'logs')}`, async () => {
  await using packing = openConnectionLog();
  await using plain = openConnectionLog();
  let now = noon + 100 * hour;
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 1, maxLength: 6 }),
    fc.array(query, { minLength: 4, maxLength: 4 }),
    async (steps, queries) => {
      await packing.clear();
      await plain.clear();
      for (const { routerId, rows, packedTo } of steps) {
        const recorded = await packing.record(rows, { routerId });
        expect(await plain.record(rows, { routerId })).toEqual(recorded);
        if (packedTo !== null) {
          await packHours(packing.db, packedTo);
        }
      }
      const stored = plain.db.prepare('SELECT hour, flow_id AS flow, observations, first, last FROM flow_hour').all();
      expect(hourRows(packing.db)).toEqual(stored);
      for (const log of [packing, plain]) {
        await log.judge('2001:db8::1', { level: 'warn' }, 3);
      }
      for (const { window, filter } of queries) {
        // Another instant each time: no summary that was kept answers.
        now += hour;
        const [from, to] = window.map(String) as [string, string];
        const answers = async (log: ConnectionLog) => {
          log.setNow(now);
          const asked = { from, to, ...filter };
          const { connections, total } = await log.list(asked);
          const sorted = await log.list({ ...asked, sort: 'dst', sortDir: 'asc' });
          const counts = await log.ask('threatCounts', asked);
          const threats = await log.ask('threatConnections', { from, to });
          const summary = await log.ask('summary', { from, to, buckets: '7' });
          return { connections, total, sorted: sorted.connections, counts, threats, summary };
        };
        expect(await answers(packing)).toEqual(await answers(plain));
      }
    },
  );
  // What fails is shown as it came: to make it smaller takes minutes.
  await fc.assert(property, { numRuns: runs(6, 25), endOnFailure: true });
});
