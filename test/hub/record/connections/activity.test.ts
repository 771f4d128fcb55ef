// Who was active in a period, and who talked to listed destinations: as the list shows it, also after an address changed hands.
import { expect, test } from 'vitest';
import type { Connection } from '#contract/model.ts';
import { type Activity, readActivity } from '#hub/record/connections/query/activity.ts';
import { packHours } from '#hub/record/connections/upkeep/hour-packer.ts';
import { type ConnectionLog, hour, noon, openConnectionLog, openReader } from '../../../support/connection-log.ts';
import { createDice, monthMs, monthStart, randomPolls, randomWorld } from '../../../support/random-log.ts';
import { judgeWorld, recordWorld } from '../../../support/record-world.ts';

const most = { maxThreats: 10_000, maxSources: 10_000 };

/** Every row that the list has for the period. */
async function listed(
  log: ConnectionLog,
  { from, to }: { from: number; to: number },
  scope: object,
): Promise<Connection[]> {
  const all: Connection[] = [];
  for (;;) {
    const query = { from: String(from), to: String(to - 1), limit: '1000', offset: String(all.length), ...scope };
    const { connections, total } = await log.list(query);
    all.push(...connections);
    if (all.length >= total) {
      return all;
    }
  }
}

/** Every second source belongs to a device; half of these had another one for half of the month. */
async function handOut(log: ConnectionLog): Promise<void> {
  const middle = monthStart + monthMs / 2;
  const sources = log.db.prepare('SELECT id, address FROM source WHERE id % 2 = 0').all() as {
    id: number;
    address: string;
  }[];
  await log.db.write((writer) => {
    for (const { id, address } of sources) {
      const insert = writer.prepare(
        'INSERT INTO device (id, device_id, root, first_seen, last_seen) VALUES (?, ?, ?, 1, 2)',
      );
      insert.run(id, `now-${id}`, id);
      insert.run(id + 10_000, `then-${id}`, id + 10_000);
      writer
        .prepare('UPDATE source SET device_id = ?, held_since = ? WHERE id = ?')
        .run(`now-${id}`, id % 4 === 0 ? middle : null, id);
      writer
        .prepare(
          `INSERT INTO lease (address, family, device, observer_id, since, last_seen, until) VALUES (?, 4, ?, 'r', 1, 2, ?)`,
        )
        .run(address, id + 10_000, middle);
    }
  });
}

function expectedOf(rows: readonly Connection[]): Activity['devices'] {
  const byDevice = Object.entries(
    Object.groupBy(rows, ({ srcDeviceId }) => srcDeviceId ?? '') as Record<string, Connection[]>,
  );
  return byDevice.flatMap(([deviceId, { length }]) => (deviceId === '' ? [] : { deviceId, connections: length }));
}

const sorted = (devices: Activity['devices']) =>
  devices.toSorted((one, other) => (one.deviceId < other.deviceId ? -1 : 1));

test('who had an address is decided to the millisecond, and of threats the gravest and largest are named', async () => {
  await using log = openConnectionLog();
  const src = '192.168.1.2';
  const at = [-hour - 1, -hour, -1, 0].map((ms) => noon + ms);
  for (const [dport, one] of at.entries()) {
    await log.record([{ src, dst: '203.0.113.1', dport, at: one }]);
  }
  await log.record([
    { src: '192.168.1.3', dst: '203.0.113.1' },
    { src: '192.168.1.4', dst: '203.0.113.2' },
  ]);
  await log.record([8, 9].map((dport) => ({ src: '192.168.1.4', dst: '203.0.113.3', dport })));
  await log.db.write((writer) => {
    const device = writer.prepare(
      'INSERT INTO device (id, device_id, root, first_seen, last_seen) VALUES (?, ?, ?, 1, 2)',
    );
    const lease = writer.prepare(
      `INSERT INTO lease (address, family, device, observer_id, since, last_seen, until) VALUES (?, 4, ?, 'r', ?, 2, ?)`,
    );
    device.run(1, 'd1', 1);
    device.run(2, 'd2', 2);
    lease.run(src, 1, 1, noon - hour);
    lease.run(src, 2, noon - hour, null);
    writer.prepare("UPDATE source SET device_id = 'd3', held_since = ? WHERE address = ?").run(noon, src);
  });
  await log.judge('203.0.113.1', { level: 'warn' });
  await log.judge('203.0.113.2', { level: 'danger' });
  await log.judge('203.0.113.3', { level: 'danger' });
  using reader = openReader(log);
  const asked = { period: { from: noon - 2 * hour, to: noon + 1 }, scope: {} };
  const { devices, threats } = readActivity(reader, { ...asked, ...most });
  expect(sorted(devices)).toEqual(['d1', 'd2', 'd3'].map((id, n) => ({ deviceId: id, connections: n === 1 ? 2 : 1 })));
  const named = threats.map(({ dst, connections, sources }) => [dst.at(-1), connections, sources.length]);
  expect(named).toEqual([
    ['3', 2, 1],
    ['2', 1, 1],
    ['1', 5, 4],
  ]);
  expect(threats[2]?.sources).toEqual([
    { src, deviceId: 'd2', connections: 2 },
    { src, deviceId: 'd1', connections: 1 },
    { src, deviceId: 'd3', connections: 1 },
    { src: '192.168.1.3', deviceId: null, connections: 1 },
  ]);
  const few = readActivity(reader, { ...asked, maxThreats: 3, maxSources: 1 }).threats;
  expect(few.map(({ sources }) => sources.length)).toEqual([1, 1, 1]);
  expect(readActivity(reader, { ...asked, ...most, maxThreats: 1 }).threats).toEqual(threats.slice(0, 1));
});

test('devices and threats are those of the rows that the list shows, packed or not', async () => {
  const dice = createDice(22);
  const world = randomWorld(dice);
  await using log = openConnectionLog();
  await recordWorld(log, world, randomPolls(dice, world, 40, 100));
  await judgeWorld(log, world);
  await handOut(log);
  using reader = openReader(log);
  const seen = { devices: 0, former: 0, threats: 0 };
  for (const packed of [false, true]) {
    if (packed) {
      await packHours(log.db, monthStart + monthMs / 2);
    }
    for (let round = 0; round < 12; round += 1) {
      const from = monthStart + dice.whole(monthMs);
      const period = { from, to: from + dice.pick([hour, 24 * hour, 14 * 24 * hour]) };
      const sourceId = dice.pick([...world.routers.keys()]);
      const scope = dice.chance(0.3) ? { sourceKind: 'router' as const, sourceId } : {};
      const rows = await listed(log, period, scope);
      const { devices, threats } = readActivity(reader, { period, scope, ...most });
      expect(sorted(devices)).toEqual(sorted(expectedOf(rows)));
      const dangerous = rows.filter(({ threat }) => threat !== null);
      expect(threats.reduce((sum, { connections }) => sum + connections, 0)).toBe(dangerous.length);
      for (const { dst, connections, threat, sources } of threats) {
        const own = dangerous.filter((row) => row.dst === dst);
        expect(connections).toBe(own.length);
        expect(own.some((row) => JSON.stringify(row.threat) === JSON.stringify(threat))).toBe(true);
        expect(threat.level).toBe(own.some((row) => row.threatLevel === 'danger') ? 'danger' : 'warn');
        const bySource = Object.values(Object.groupBy(own, ({ src, srcDeviceId }) => `${src} ${srcDeviceId}`));
        expect(sources.map((source) => source.connections).toSorted()).toEqual(
          bySource.map((group) => group?.length).toSorted(),
        );
        expect(
          sources.every(({ src, deviceId }) => own.some((row) => row.src === src && row.srcDeviceId === deviceId)),
        ).toBe(true);
      }
      const levels = threats.map(
        ({ threat, connections }) => [threat.level === 'danger' ? 0 : 1, -connections] as const,
      );
      expect(levels).toEqual(levels.toSorted(([a, many], [b, few]) => a - b || many - few));
      seen.devices += devices.length;
      seen.former += devices.filter(({ deviceId }) => deviceId.startsWith('then-')).length;
      seen.threats += threats.length;
    }
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(10);
});
