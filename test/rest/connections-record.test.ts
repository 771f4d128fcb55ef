// Recording: what one poll or delivery leaves in the database, and that it is whole or nothing.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Observation } from '#hub/record/connections/store/observation.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';
import { type ConnectionLog, noon, openConnectionLog, seen } from '../support/connection-log.ts';
import { verifies } from '../support/verifies.ts';

const minute = 60_000;

async function onlyRow(log: ConnectionLog) {
  const { connections, total } = await log.list();
  expect(total).toBe(1);
  const [row] = connections;
  if (!row) {
    throw new Error('the list is empty');
  }
  return row;
}

describe('one flow', () => {
  verifies(
    'rest.connections.first-last-seen rest.connections.field-first-seen rest.connections.field-last-seen',
    'firstSeen is the earliest start, lastSeen the latest sighting',
    async () => {
      await using log = openConnectionLog();
      await log.record([{ startedAt: noon - 5 * minute, at: noon }]);
      await log.record([{ startedAt: noon + minute, at: noon + 2 * minute }]);
      const later = await log.record([{ startedAt: noon - 9 * minute, at: noon + minute }]);
      const row = await onlyRow(log);
      expect(row).toMatchObject({ firstSeen: noon - 9 * minute, lastSeen: noon + 2 * minute });
      expect(later).toEqual({ added: 0, renewed: 1, unchanged: 0 });
    },
  );

  verifies(
    'rest.connections.field-src rest.connections.field-dst rest.connections.field-proto',
    'spellings of one flow are one row: protocol case, address case, mapped and compressed addresses',
    async () => {
      await using log = openConnectionLog();
      await log.record([
        { src: 'FD00:0:0::7', dst: '::ffff:203.0.113.9', dport: 53, proto: 'udp' },
        { src: 'fd00::7', dst: '203.0.113.9', dport: 53, proto: 'UDP' },
      ]);
      await log.record([{ src: 'fd00::0007', dst: '203.0.113.9', dport: 53, proto: 'Udp', at: noon + 1 }]);
      expect(await onlyRow(log)).toMatchObject({ src: 'fd00::7', dst: '203.0.113.9', dport: 53, proto: 'UDP' });
    },
  );

  verifies(
    'rest.connections.field-dport',
    'port, protocol, source and destination each make another flow',
    async () => {
      await using log = openConnectionLog();
      const others = [{ dport: 80 }, { proto: 'UDP' }, { src: '192.168.1.3' }, { dst: '203.0.113.81' }];
      expect(await log.record([{}, ...others])).toEqual({ added: 5, renewed: 0, unchanged: 0 });
      const ports = (await log.list({ sort: 'dport', sortDir: 'asc' })).connections.map(({ dport }) => dport);
      expect(ports).toEqual([80, 443, 443, 443, 443]);
    },
  );
});

describe('observers', () => {
  verifies(
    'rest.connections.observed-by-is-a-union rest.connections.field-source',
    'observedBy is the sorted union of routers, source follows from their kinds',
    async () => {
      await using log = openConnectionLog();
      await log.record([{}], { routerId: 'vendor-b-2', kind: 'vendor_b' });
      expect(await onlyRow(log)).toMatchObject({ observedBy: ['vendor-b-2'], source: 'vendor_b' });
      const joined = await log.record([{}], { routerId: 'vendor-a-1', kind: 'vendor_a' });
      expect(joined).toEqual({ added: 0, renewed: 1, unchanged: 0 });
      await log.record([{}], { routerId: 'vendor-a-0', kind: 'vendor_a' });
      const row = await onlyRow(log);
      expect(row).toMatchObject({
        observedBy: ['vendor-a-0', 'vendor-a-1', 'vendor-b-2'],
        source: 'vendor_a+vendor_b',
      });
    },
  );

  test('a name given once is kept when a later batch gives none', async () => {
    await using log = openConnectionLog();
    await log.record([{}], { name: 'Attic' });
    await log.record([{}]);
    expect(log.contents().observer).toMatchObject([{ router_id: 'vendor-a-1', name: 'Attic' }]);
  });
});

describe('a batch', () => {
  const observation = fc.record({
    src: fc.constantFrom('192.168.1.2', '192.168.1.3', 'fd00::7'),
    dst: fc.constantFrom('203.0.113.80', '2001:db8::1'),
    dport: fc.constantFrom(53, 443),
    proto: fc.constantFrom('TCP', 'tcp', 'UDP'),
    sport: fc.option(fc.integer({ min: 1, max: 9 })),
    ttl: fc.option(fc.integer({ min: 1, max: 9 })),
    at: fc.integer({ min: -9, max: 9 }).map((steps) => noon + steps * 25 * minute),
    startedAt: fc.integer({ min: -12, max: 9 }).map((steps) => noon + steps * 25 * minute),
  });
  const batches = fc.array(
    fc.record({
      routerId: fc.constantFrom('vendor-a-1', 'vendor-a-2'),
      rows: fc.array(observation, { minLength: 1, maxLength: 12 }),
    }),
    { minLength: 1, maxLength: 4 },
  );

  test('a late sighting beside a new one, in the hour that was the last, is told at once and only once', async () => {
    await using log = openConnectionLog();
    const flow = { src: 'fd00::7', dst: '2001:db8::1', dport: 443, proto: 'TCP', sport: null, ttl: null };
    await log.record([{ ...flow, at: 1_790_000_700_000, startedAt: 1_789_997_700_000 }]);
    const late = [
      { ...flow, at: 1_790_003_700_000, startedAt: 1_789_999_200_000 },
      { ...flow, at: 1_789_999_200_000, startedAt: 1_789_999_200_000 },
    ];
    expect(await log.record(late)).toMatchObject({ added: 0, renewed: 1 });
    const before = log.contents();
    expect(await log.record(late)).toMatchObject({ added: 0, renewed: 0 });
    expect(log.contents()).toEqual(before);
  });

  test('recorded twice changes nothing the second time', async () => {
    await using log = openConnectionLog();
    await fc.assert(
      fc.asyncProperty(batches, async (given) => {
        await log.clear();
        for (const { routerId, rows } of given) {
          await log.record(rows, { routerId });
          const before = log.contents();
          const again = await log.record(rows, { routerId });
          expect([again.added, again.renewed]).toEqual([0, 0]);
          expect(log.contents()).toEqual(before);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('with one row that is no flow leaves nothing, and says which', async () => {
    await using log = openConnectionLog();
    await log.record([{ dport: 1 }]);
    const before = log.contents();
    const rows = Array.from({ length: 3000 }, (_, index) => ({ dport: index, at: noon + 1 }));
    await expect(log.record([...rows, { dst: 'pool.example' }])).rejects.toThrow('"pool.example", which is not an IP');
    await expect(log.record([...rows, { dport: 65_536 }])).rejects.toThrow('CHECK constraint failed');
    expect(log.contents()).toEqual(before);
    expect(await log.record(rows)).toEqual({ added: 2999, renewed: 1, unchanged: 0 });
  });

  test('of 65,000 rows is one transaction during which the event loop keeps turning', async () => {
    await using log = openConnectionLog();
    const totals = new Set<number>();
    let turned = 0;
    let recorded = false;
    const recording = log.record(manyRows(65_000)).finally(() => {
      recorded = true;
    });
    while (!recorded) {
      await yieldToEventLoop();
      turned += 1;
      totals.add((await log.list({ limit: '0' })).total);
    }
    expect(await recording).toEqual({ added: 65_000, renewed: 0, unchanged: 0 });
    expect(turned).toBeGreaterThan(20);
    expect([...totals]).toEqual([0, 65_000]);
  });
});

function manyRows(count: number): Observation[] {
  return Array.from({ length: count }, (_, index) =>
    seen({ src: `192.168.1.${index % 250}`, dst: `198.18.${(index >> 8) & 255}.${index & 255}`, dport: index & 1023 }),
  );
}
