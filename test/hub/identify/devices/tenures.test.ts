// Holders of addresses and the list of devices, on rows that the test writes itself.
import { expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { deviceQueries } from '#hub/identify/devices/queries.ts';
import { createTenures } from '#hub/identify/devices/tenures.ts';
import { ReadConnection } from '#kernel/sqlite/sqlite.ts';
import { openLan } from '../../../support/lan.ts';

const start = 1_790_000_000_000;
const mac = (last: number) => `00:00:5e:00:53:0${last}`;
const address = '192.168.1.5';

/** A database with three devices, and what each claim on an address leaves there. */
async function openTenures() {
  const lan = openLan();
  await lan.db.write((writer) => {
    const insert = writer.prepare(
      'INSERT INTO device (id, device_id, root, first_seen, last_seen) VALUES (?, ?, ?, 0, 0)',
    );
    [1, 2, 3].forEach((id) => void insert.run(id, `device-${id}`, id));
  });
  return {
    ...{ lan, [Symbol.asyncDispose]: () => lan[Symbol.asyncDispose]() },
    hold: (now: number, device: number, by: string, card: string | null = mac(device), at = address) =>
      lan.db.write((writer) =>
        createTenures(writer, now, () => 'named').hold({ address: at, device, mac: card, observerId: by }),
      ),
    rows: () =>
      lan.db
        .prepare(
          'SELECT device, mac, observer_id AS by, since - @start AS since, until - @start AS until FROM lease ORDER BY id',
        )
        .all({ start }) as { until: number | null }[],
  };
}

test('a router ends what it said before; what another one said ends when that has been silent for too long', async () => {
  await using tenures = await openTenures();
  const { hold, rows } = tenures;
  expect(await hold(start, 1, 'a')).toEqual({ address, since: null });
  expect(await hold(start + 10, 1, 'a')).toBeNull();
  // Another router has its own holder, which is not the first.
  expect(await hold(start + 20, 2, 'b')).toBeNull();
  expect(await hold(start + 30, 3, 'a')).toEqual({ address, since: start + 11 });
  expect(rows()).toEqual([
    { device: 1, mac: mac(1), by: 'a', since: 0, until: 11 },
    { device: 2, mac: mac(2), by: 'b', since: 20, until: null },
    { device: 3, mac: mac(3), by: 'a', since: 11, until: null },
  ]);
  const silent = start + 30 + limits.leaseAbandonedMs;
  expect(await hold(silent, 2, 'b')).toBeNull();
  expect(await hold(silent + 1, 2, 'b')).toEqual({ address, since: start + 31 });
  expect(rows().slice(1)).toMatchObject([{ until: null }, { until: 31 }]);
});

test('of several that end at once the latest sign counts; a device without a MAC gets one and keeps it', async () => {
  await using tenures = await openTenures();
  const { hold, rows } = tenures;
  await hold(start, 1, 'a', null);
  await hold(start + 5, 1, 'b', mac(1));
  await hold(start + 9, 1, 'a', null);
  expect(rows()).toEqual([{ device: 1, mac: mac(1), by: 'a', since: 0, until: null }]);
  await hold(start + 20, 1, 'c', mac(9));
  expect(rows()).toHaveLength(2);
  expect(await hold(start + 40 + limits.leaseAbandonedMs, 2, 'd')).toEqual({ address, since: start + 21 });
  expect(rows().map(({ until }) => until)).toEqual([21, 21, null]);
  await hold(start, 3, 'a', mac(3), '2001:db8::5');
  const families = tenures.lan.db.prepare('SELECT family, name FROM lease WHERE device > 1 ORDER BY id').raw().all();
  expect(families).toEqual([
    [4, 'named'],
    [6, 'named'],
  ]);
});

test('a device is shown with its newest address, the card there, the addresses of a day, and its parts', async () => {
  await using lan = openLan();
  const day = 86_400_000;
  const run = (...texts: string[]) =>
    lan.db.write((writer) => texts.forEach((text) => void writer.prepare(text).run()));
  const device = (id: number, root: number, first: number, last: number, more = 'NULL, NULL') =>
    `INSERT INTO device (id, device_id, root, first_seen, last_seen, sources, archived_at, merged_into)
     VALUES (${id}, 'd${id}', ${root}, ${first}, ${last}, ${2 ** id}, ${more})`;
  const card = (owner: number, last: number, vendor: string, wifi = 'NULL, NULL, NULL') =>
    `INSERT INTO interface (device, mac, kind, vendor, first_seen, last_seen, wifi_node, wifi_band, wifi_signal)
     VALUES (${owner}, '${mac(last)}', 'stable', ${vendor}, 0, ${last}, ${wifi})`;
  const lease = (owner: number, at: string, of: string, last: number, until = 'NULL') =>
    `INSERT INTO lease (address, family, device, mac, observer_id, since, last_seen, until)
     VALUES ('${at}', ${at.includes(':') ? 6 : 4}, ${owner}, ${of}, 'r', 0, ${last}, ${until})`;
  await run(
    ...[device(1, 1, 50, 100), device(2, 1, 20, 300, '5, 1'), device(3, 3, 60, 300), device(4, 4, 70, 300, '9, NULL')],
    ...[device(5, 5, 70, 90), device(6, 6, 70, 95)],
    ...[card(1, 1, "'Old'"), card(2, 3, "'New'", 'NULL, NULL, -40'), card(3, 2, 'NULL', "'n', NULL, NULL")],
    ...[card(6, 7, "'Six'", "NULL, '5', NULL"), card(6, 8, "'Eight'")],
    ...[lease(1, '192.168.1.5', `'${mac(1)}'`, 80), lease(2, '192.168.1.6', `'${mac(1)}'`, 90, '95')],
    ...[
      lease(1, '2001:db8::1', `'${mac(3)}'`, 100),
      lease(1, '2001:db8::2', 'NULL', 99),
      lease(2, '2001:db8::1', 'NULL', 100, '100'),
    ],
    ...[lease(3, '2001:db8::3', 'NULL', 300), lease(5, '192.168.1.9', 'NULL', 90)],
    "INSERT INTO device_observer VALUES (2, 'r')",
  );
  using reader = Object.assign(new ReadConnection(lan.db.file, 512), {
    [Symbol.dispose](this: ReadConnection) {
      this.close();
    },
  });
  const ask = (more = {}) =>
    deviceQueries.devices(reader, {
      now: 100 + day,
      includeArchived: false,
      notes: { d1: 'note', d2: 'part' },
      ...more,
    }).devices;
  const [first, second, ...others] = ask();
  expect([first, second, ...others].map((one) => one?.deviceId)).toEqual(['d1', 'd3', 'd6', 'd5']);
  expect(first).toMatchObject({
    ...{ ip: '192.168.1.6', mac: mac(1), vendor: 'Old', firstSeen: 20, lastSeen: 300, note: 'note', noteKey: 'd1' },
    ...{ ipv6Addr: '2001:db8::1', ipv6Addrs: ['2001:db8::1'], mergedInto: null, archivedAt: null, status: 'active' },
    interfaces: [
      { mac: mac(3), wifi: { node: null, band: null, signal: -40 } },
      { mac: mac(1), wifi: null },
    ],
  });
  expect(first?.sourceList).toHaveLength(2);
  // Without an IPv4 address the IPv6 one is shown; without a MAC there, the newest card.
  expect(second).toMatchObject({ ip: '2001:db8::3', mac: mac(2), vendor: null, note: null, noteKey: null });
  expect(second?.interfaces).toMatchObject([{ wifi: { node: 'n' } }]);
  expect(others).toMatchObject([
    {
      ip: '',
      mac: mac(8),
      vendor: 'Eight',
      ipv6Addr: null,
      ipv6Addrs: null,
      interfaces: [{ mac: mac(8) }, { wifi: { band: '5' } }],
    },
    { ip: '192.168.1.9', mac: null, vendor: null },
  ]);
  const all = ask({ includeArchived: true });
  expect(all.map(({ deviceId, mergedInto, status }) => [deviceId, mergedInto, status])).toEqual([
    ['d1', null, 'active'],
    ['d2', 'd1', 'archived'],
    ['d3', null, 'active'],
    ['d4', null, 'archived'],
    ['d6', null, 'recent'],
    ['d5', null, 'recent'],
  ]);
  expect(all[1]).toMatchObject({ firstSeen: 20, lastSeen: 300, interfaces: [{ mac: mac(3) }], note: 'part' });
  expect(ask({ observerId: 'r' }).map(({ deviceId }) => deviceId)).toEqual(['d1']);
  expect(ask({ now: 101 + day })[0]).toMatchObject({ ipv6Addr: '2001:db8::1', ipv6Addrs: null });
});
