// One machine is one device, in whatever order routers report its traffic, its addresses and its MAC.
import { describe, expect, test } from 'vitest';
import type { Lease, Neighbour } from '#hub/collect/routers/driver.ts';
import { toSightings } from '#hub/identify/devices/lan-report.ts';
import { recordSightings } from '#hub/identify/devices/recorder.ts';
import { recordObservations } from '#hub/record/connections/record/record.ts';
import { createSourceLabels } from '#hub/record/connections/store/source-labels.ts';
import type { Writer, WriteSteps } from '#kernel/sqlite/sqlite.ts';
import { openLan } from '../../../support/lan.ts';
import { budget, runs } from '../../../support/property-runs.ts';
import { createRandom } from '../../../support/random.ts';

const minute = 60_000;
const mac = (last: number) => `00:00:5e:00:53:0${last}`;
const shown = (lan: ReturnType<typeof openLan>) => lan.list().map((device) => device.interfaces.map((one) => one.mac));

describe('a machine whose MAC is known', () => {
  test('takes over the device that only its new address made', async () => {
    await using lan = openLan();
    await lan.poll({ arp: [['192.168.1.5', mac(1)]], traffic: ['192.168.1.5'] });
    const { deviceId } = lan.device(mac(1));
    await lan.clock.advance(minute);
    await lan.poll({ traffic: ['192.168.1.9'] });
    await lan.clock.advance(minute);
    await lan.poll({ arp: [['192.168.1.9', mac(1)]], traffic: ['192.168.1.9'] });
    expect(lan.list()).toMatchObject([{ deviceId, ip: '192.168.1.9', mac: mac(1) }]);
    expect(lan.connections()).toMatchObject([{ srcDeviceId: deviceId }, { srcDeviceId: deviceId, srcMac: mac(1) }]);
  });

  test('takes over what only its address made when a lease alone names it', async () => {
    await using lan = openLan();
    await lan.poll({ neighbours: [{ address: '2001:db8::7', mac: mac(1) }], traffic: ['192.168.1.5', '2001:db8::7'] });
    await lan.clock.advance(minute);
    await lan.poll({ leases: [{ address: '192.168.1.5', mac: mac(1) }], traffic: ['192.168.1.5'] });
    expect(shown(lan)).toEqual([[mac(1)]]);
    expect(lan.connections().find(({ src }) => src === '192.168.1.5')).toMatchObject({ srcMac: mac(1) });
  });

  test('does not take over a device that somebody merged with another machine', async () => {
    await using lan = openLan();
    await lan.poll({ traffic: ['192.168.1.9'] });
    const bare = lan.device('192.168.1.9').deviceId;
    await lan.poll({
      arp: [
        ['192.168.1.5', mac(1)],
        ['192.168.1.6', mac(2)],
      ],
    });
    await lan.devices.merge(lan.device(mac(2)).deviceId, bare);
    await lan.poll({ arp: [['192.168.1.9', mac(1)]] });
    expect(shown(lan).toSorted()).toEqual([[mac(1)], [mac(2)]]);
  });

  test('is split from what it took over, and that stays split', async () => {
    await using lan = openLan();
    await lan.poll({ arp: [['192.168.1.5', mac(1)]], traffic: ['192.168.1.9'] });
    const bare = lan.device('192.168.1.9').deviceId;
    await lan.poll({ arp: [['192.168.1.9', mac(1)]] });
    expect(lan.list()).toHaveLength(1);
    await lan.devices.split(bare);
    await lan.poll({ arp: [['192.168.1.9', mac(1)]], traffic: ['192.168.1.9'] });
    expect(lan.list()).toHaveLength(2);
  });
});

describe('an address without a holder', () => {
  /** Flows of a router whose neighbours are still to come. */
  const recordTable = (lan: ReturnType<typeof openLan>, routerId: string, src: string) => {
    const at = lan.clock.now();
    const flow = { src, dst: '203.0.113.80', dport: 443, proto: 'TCP', sport: null, ttl: null, startedAt: at, at };
    return recordObservations(lan.db, { routerId, kind: 'vendor_a', observations: [flow], now: at });
  };

  test('is left to the router whose table shows it', async () => {
    await using lan = openLan();
    await recordTable(lan, 'vendor-a-1', '192.168.1.5');
    await lan.poll({}, 'vendor-b-1');
    expect(lan.list()).toEqual([]);
    await lan.poll({ arp: [['192.168.1.5', mac(1)]] }, 'vendor-a-1');
    expect(shown(lan)).toEqual([[mac(1)]]);
    expect(lan.told).toMatchObject([{ address: '192.168.1.5', mac: mac(1) }]);
  });

  test('becomes a device by any router once its own has been silent of it for 20 minutes', async () => {
    await using lan = openLan();
    await recordTable(lan, 'vendor-a-1', '192.168.1.5');
    await lan.clock.advance(20 * minute);
    await lan.poll({}, 'vendor-b-1');
    expect(lan.list()).toMatchObject([{ ip: '192.168.1.5', mac: null }]);
  });
});

/** A LAN of two machines behind three routers, played in a transaction that is taken back. */
function* playOrder(writer: Writer, seed: number): WriteSteps<string | null> {
  const random = createRandom(seed);
  const pick = (below: number) => Math.floor(random() * below);
  const some = <T>(all: readonly T[]) => all.filter(() => random() < 0.5);
  let now = 1_790_000_000_000;
  const machines = [1, 2].map((id) => ({
    mac: mac(id),
    addresses: [`192.168.1.${id}0`, ...(id === 1 ? ['2001:db8::1'] : [])],
  }));
  const routers = ['vendor-a-1', 'vendor-b-1', 'vendor-b-2'].map((observerId) => ({
    observerId,
    traffic: new Map<string, number>(),
  }));
  const options = {
    ...{ findVendor: () => null, findName: () => null, sourceLabels: createSourceLabels },
    isSource: (address: string) => writer.prepare('SELECT 1 FROM source WHERE address = ?').get(address) !== undefined,
  };
  writer.prepare("INSERT OR IGNORE INTO destination (id, address) VALUES (1, '203.0.113.80')").run();
  const see = (router: (typeof routers)[number], src: string) => {
    writer.prepare('INSERT OR IGNORE INTO source (address, first_seen) VALUES (?, ?)').run(src, now);
    const set = routers.indexOf(router) + 1;
    writer.prepare('INSERT OR IGNORE INTO observer VALUES (?, ?, ?, NULL)').run(set, router.observerId, 'vendor_a');
    writer.prepare('INSERT OR IGNORE INTO observer_set VALUES (?, ?)').run(set, String(set));
    writer
      .prepare(
        `INSERT INTO flow (source_id, destination_id, dport, proto, first_seen, last_seen, observer_set_id)
         SELECT id, 1, @set, 'TCP', @now, @now, @set FROM source WHERE address = @src
         ON CONFLICT DO UPDATE SET last_seen = @now`,
      )
      .run({ src, now, set });
    router.traffic.set(src, now);
  };
  const toRows = (all: typeof machines) =>
    all.flatMap((one) => one.addresses.map((address) => ({ address, mac: one.mac })));
  function* look(router: (typeof routers)[number], arp: ReturnType<typeof toRows>, dhcp: ReturnType<typeof toRows>) {
    const neighbours = arp.map((row): Neighbour => ({ ...row, interfaceName: 'LAN1', heardSec: 0, isOwn: false }));
    const leases = dhcp.map((row): Lease => ({ ...row, clientId: null, name: null }));
    const { observerId } = router;
    const sightings = toSightings({ observerId, kind: 'vendor_a', neighbours, leases, now }, options.isSource);
    const traffic = router.traffic;
    router.traffic = new Map();
    yield* recordSightings(writer, { sightings, traffic, observerId, isWhole: true }, { ...options, now });
  }
  const isV4 = ({ address }: { address: string }) => !address.includes(':');
  for (let step = 0; step < 4; step += 1) {
    now += pick(3) * minute;
    const router = routers[pick(3)] ?? routers[0];
    const machine = machines[pick(2)];
    const deed = pick(6);
    if (deed === 0 && machine) {
      machine.addresses.push(`192.168.1.${machines.indexOf(machine) + 1}${machine.addresses.length}`);
    } else if (router && deed <= 3) {
      for (const { address } of some(toRows(machines))) {
        see(router, address);
      }
    } else if (router) {
      yield* look(router, some(toRows(machines)), some(toRows(machines)).filter(isV4));
    }
  }
  const [last] = routers;
  if (last) {
    yield* look(last, toRows(machines), []);
  }
  const rows = writer
    .prepare(
      `SELECT group_concat(DISTINCT i.mac) AS macs, count(DISTINCT l.address) AS addresses
       FROM device r LEFT JOIN device d ON d.root = r.id LEFT JOIN interface i ON i.device = d.id
         LEFT JOIN lease l ON l.device = d.id AND l.until IS NULL
       WHERE r.archived_at IS NULL GROUP BY r.id ORDER BY macs`,
    )
    .all();
  const expected = machines.map((one) => ({ macs: one.mac, addresses: one.addresses.length }));
  return JSON.stringify(rows) === JSON.stringify(expected) ? null : `order ${seed}: ${JSON.stringify(rows)}`;
}

test(`two machines are two devices in ${budget(400, 10_000, 'orders')} of the reports of three routers`, async () => {
  await using lan = openLan();
  const undone = new Error('taken back');
  const ghosts: string[] = [];
  for (let seed = 1; seed <= runs(400, 10_000); seed += 1) {
    const outcome = lan.db.write(function* (writer) {
      const ghost = yield* playOrder(writer, seed);
      ghosts.push(...(ghost === null ? [] : [ghost]));
      throw undone;
    });
    expect(await outcome.catch((error: unknown) => error)).toBe(undone);
  }
  expect(ghosts.length, ghosts.slice(0, 3).join('\n')).toBe(0);
});
