// Which device a sighting belongs to: MACs, addresses that change hands, what shares a MAC, what makes one up.
import { describe, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { openLan } from '../../../support/lan.ts';
import { verifies } from '../../../support/verifies.ts';

const minute = 60_000;
const stable = (last: string) => `00:00:5e:00:53:${last}`;
const made = (last: string) => `02:1a:11:00:00:${last}`;

describe('a device', () => {
  verifies('rest.devices.identity', 'stays itself when its address is another one', async () => {
    await using lan = openLan();
    await lan.poll({ arp: [['192.168.1.5', stable('01')]] });
    const { deviceId } = lan.device(stable('01'));
    await lan.clock.advance(minute);
    await lan.poll({ arp: [['192.168.1.9', stable('01')]] });
    expect(lan.device('192.168.1.9')).toMatchObject({ deviceId, mac: stable('01'), lastSeen: lan.clock.now() });
    expect(lan.list()).toHaveLength(1);
  });

  verifies('rest.devices.identity', 'keeps what it did at an address when another one gets it', async () => {
    await using lan = openLan();
    await lan.poll({ arp: [['192.168.1.5', stable('01')]], traffic: ['192.168.1.5'] });
    const first = lan.device(stable('01')).deviceId;
    await lan.clock.advance(minute);
    const before = lan.connections();
    await lan.clock.advance(60 * minute);
    await lan.poll({ arp: [['192.168.1.5', stable('02')]] });
    const second = lan.device(stable('02')).deviceId;
    expect(second).not.toBe(first);
    expect(lan.connections()).toEqual(before);
    expect(before).toMatchObject([{ srcMac: stable('01'), srcDeviceId: first }]);
    expect([lan.connectionsOf(first), lan.connectionsOf(second)]).toEqual([before, []]);
    await lan.clock.advance(minute);
    await lan.poll({ arp: [['192.168.1.5', stable('02')]], traffic: ['192.168.1.5'] });
    expect(lan.connections()).toMatchObject([{ srcMac: stable('02'), srcDeviceId: second }]);
    expect([lan.connectionsOf(first), lan.connectionsOf(second)]).toEqual([[], lan.connections()]);
    await lan.clock.advance(minute);
    await lan.poll({ arp: [['192.168.1.5', stable('01')]] });
    expect(lan.connections()).toMatchObject([{ srcMac: stable('02'), srcDeviceId: second }]);
    expect(lan.list()).toHaveLength(2);
  });

  test('of which only the address is known becomes the one with the MAC, once that shows', async () => {
    await using lan = openLan();
    await lan.poll({ traffic: ['192.168.1.5'] });
    const bare = lan.device('192.168.1.5');
    expect(bare).toMatchObject({ mac: null, sourceList: ['nat'] });
    expect(lan.connections()[0]).toMatchObject({ srcMac: null, srcDeviceId: bare.deviceId });
    await lan.clock.advance(minute);
    await lan.poll({ arp: [['192.168.1.5', stable('01')]], traffic: ['192.168.1.5'] });
    expect(lan.device('192.168.1.5')).toMatchObject({ deviceId: bare.deviceId, mac: stable('01') });
    expect(lan.connections()[0]).toMatchObject({ srcMac: stable('01'), srcDeviceId: bare.deviceId });
    expect(lan.told).toHaveLength(1);
    expect(lan.db.prepare('SELECT COUNT(*) FROM lease').pluck().get()).toBe(1);
  });

  test('that moved is not left behind as a second one at its new address', async () => {
    await using lan = openLan();
    await lan.poll({ arp: [['192.168.1.5', stable('01')]], traffic: ['192.168.1.5'] });
    await lan.clock.advance(minute);
    await lan.poll({ arp: [['192.168.1.6', stable('01')]], traffic: ['192.168.1.6'] });
    expect(lan.list()).toHaveLength(1);
    expect(lan.connections().map(({ srcMac }) => srcMac)).toEqual([stable('01'), stable('01')]);
  });

  verifies('rest.devices.ipv6', 'has every IPv6 address of its MAC, and the one its MAC is inside', async () => {
    await using lan = openLan();
    await lan.poll({
      arp: [['192.168.1.5', stable('01')]],
      neighbours: [
        { address: '2001:db8::1:5', mac: stable('01') },
        { address: '2001:db8::a1b2:c3d4:e5f6:1', mac: stable('01') },
      ],
      traffic: ['2001:db8::200:5eff:fe00:5301'],
    });
    const device = lan.device('192.168.1.5');
    expect(lan.list()).toHaveLength(1);
    expect(new Set(device.ipv6Addrs)).toEqual(
      new Set(['2001:db8::1:5', '2001:db8::a1b2:c3d4:e5f6:1', '2001:db8::200:5eff:fe00:5301']),
    );
    expect(device.ipv6Addrs).toContain(device.ipv6Addr);
    await lan.clock.advance(25 * 60 * minute);
    await lan.poll({ arp: [['192.168.1.5', stable('01')]] });
    expect(lan.device('192.168.1.5')).toMatchObject({ ipv6Addrs: null, ipv6Addr: device.ipv6Addr });
  });

  verifies('rest.devices.status', 'is active for a day, recent for a week, stale after it', async () => {
    await using lan = openLan();
    await lan.poll({ arp: [['192.168.1.5', stable('01')]] });
    const statusAfter = (ms: number) => {
      const started = lan.clock.now();
      lan.clock.jump(started + ms);
      const { status } = lan.device(stable('01'));
      lan.clock.jump(started);
      return status;
    };
    const day = 86_400_000;
    expect([0, day, day + 1, 7 * day, 7 * day + 1].map(statusAfter)).toEqual([
      'active',
      'active',
      'recent',
      'recent',
      'stale',
    ]);
  });

  test('was first seen when it was heard; traffic from its address is a sign of it and of its card', async () => {
    await using lan = openLan();
    const heardAt = lan.clock.now() - minute;
    await lan.poll({ neighbours: [{ address: '192.168.1.5', mac: stable('01'), heardSec: 60 }] });
    const seen = () => {
      const { firstSeen, lastSeen, interfaces } = lan.device('192.168.1.5');
      return [firstSeen, lastSeen, interfaces[0]?.firstSeen, interfaces[0]?.lastSeen];
    };
    expect(seen()).toEqual([heardAt, heardAt, heardAt, heardAt]);
    const at = lan.clock.now();
    for (const sign of [at - 2, at - 1, at - 3]) {
      lan.devices.noteTraffic('vendor-a-1', '192.168.1.5', sign);
    }
    await lan.poll({});
    expect(seen()).toEqual([heardAt, at - 1, heardAt, at - 1]);
  });

  test('that has a private MAC is known by it inside an IPv6 address only once the MAC itself was seen', async () => {
    await using lan = openLan();
    const address = '2001:db8::1a:11ff:fe00:1';
    await lan.see([{ address }]);
    expect(lan.list()).toMatchObject([{ ipv6Addr: address, mac: null, interfaces: [] }]);
    await lan.poll({ arp: [['192.168.1.5', made('01')]] });
    await lan.see([{ address }]);
    expect(lan.list()).toMatchObject([{ ip: '192.168.1.5', ipv6Addr: address, mac: made('01') }]);
  });

  test('is told as changed when its address, card or name is another one, and at no other time', async () => {
    await using lan = openLan();
    let changes = 0;
    lan.signals.on('devicesChanged', () => {
      changes += 1;
    });
    const at = (address: string) => lan.poll({ arp: [[address, stable('01')]], traffic: [address] });
    const hosts = (mac: string | null, name: string) =>
      lan.devices.reportHosts([{ address: '192.168.1.6', mac, name }]);
    const counts: number[] = [];
    for (const step of [
      ...[() => at('192.168.1.5'), () => at('192.168.1.6')],
      ...[() => hosts(null, 'den'), () => hosts(stable('01'), 'den')],
      () => lan.devices.reportHosts([{ address: '192.168.1.77', mac: null, name: 'nobody' }]),
    ]) {
      for (let time = 1; time <= 2; time += 1) {
        await step();
        counts.push(changes);
      }
    }
    expect(counts).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 4, 4]);
    expect(lan.device(stable('01')).dnsName).toBe('den');
  });

  test('is seen when it was heard, not when a table still lists it', async () => {
    await using lan = openLan();
    const row = { address: '192.168.1.5', mac: stable('01') };
    await lan.poll({ neighbours: [row] });
    const seenAt = lan.clock.now();
    for (const heardSec of [60, null]) {
      await lan.clock.advance(minute);
      await lan.poll({ neighbours: [{ ...row, heardSec: heardSec === null ? null : heardSec }] });
      expect(lan.device(stable('01')).lastSeen).toBe(seenAt);
    }
  });
});

describe('what is no host of its own', () => {
  test('the provider side and the router itself are no devices', async () => {
    await using lan = openLan();
    await lan.poll({
      neighbours: [
        { address: '192.168.1.1', mac: stable('fe'), isOwn: true, interfaceName: 'Vlan1' },
        { address: '192.168.1.5', mac: stable('01'), interfaceName: 'Vlan1' },
        { address: 'fe80::5', mac: stable('01'), interfaceName: 'Vl1' },
        { address: '203.0.113.1', mac: stable('ff'), interfaceName: 'GigabitEthernet0/4' },
        { address: 'fe80::1', mac: stable('ff'), interfaceName: 'Gi0/4' },
      ],
    });
    expect(lan.list().map(({ mac }) => mac)).toEqual([stable('01')]);
    expect(lan.list()[0]?.ipv6Addrs).toEqual(['fe80::5']);
  });

  test('a LAN with public addresses is one all the same, once flows come from it', async () => {
    await using lan = openLan();
    const neighbours = [{ address: '198.51.100.7', mac: stable('01') }];
    await lan.poll({ neighbours });
    expect(lan.list()).toEqual([]);
    await lan.poll({ neighbours, traffic: ['198.51.100.7'] });
    expect(lan.device('198.51.100.7')).toMatchObject({ mac: stable('01') });
  });

  test('a MAC on duty for several routers identifies nobody: its addresses are devices of their own', async () => {
    await using lan = openLan();
    const vrrp = '00:00:5e:00:01:0a';
    await lan.poll({
      arp: [
        ['192.168.1.1', vrrp],
        ['192.168.1.2', vrrp],
        ['192.168.1.5', stable('01')],
      ],
    });
    expect(lan.list()).toHaveLength(3);
    expect(lan.device('192.168.1.1')).toMatchObject({ mac: vrrp, interfaces: [] });
    expect(lan.told.map(({ mac }) => mac)).toEqual([vrrp, vrrp, stable('01')]);
    await lan.poll({
      arp: [
        ['192.168.1.1', vrrp],
        ['192.168.1.2', vrrp],
      ],
    });
    expect(lan.list()).toHaveLength(3);
  });

  test('a MAC with more than eight addresses at once is a repeater; what was known behind it stays', async () => {
    await using lan = openLan();
    const rows = (count: number) =>
      Array.from({ length: count }, (_, index) => [`192.168.1.${10 + index}`, stable('01')] as const);
    await lan.poll({ arp: rows(8) });
    expect(lan.list()).toHaveLength(1);
    const { deviceId } = lan.device(stable('01'));
    await lan.poll({ arp: rows(10) });
    expect(lan.list()).toHaveLength(3);
    expect(lan.list().some((device) => device.deviceId === deviceId)).toBe(true);
    await lan.poll({ arp: rows(10) });
    expect(lan.list()).toHaveLength(3);
  });

  test('a MAC that is a repeater when it is first seen is nobody: each address behind it is a device', async () => {
    await using lan = openLan();
    await lan.poll({ arp: Array.from({ length: 9 }, (_, n) => [`192.168.1.${10 + n}`, stable('01')] as const) });
    expect(lan.list()).toHaveLength(9);
    expect(lan.list().flatMap(({ interfaces }) => interfaces)).toEqual([]);
    const interfaces = lan.db.prepare('SELECT mac, device, kind, first_seen AS firstSeen FROM interface').all();
    expect(interfaces).toEqual([{ mac: stable('01'), device: null, kind: 'shared', firstSeen: lan.clock.now() }]);
    await lan.poll({ arp: [['192.168.1.40', stable('01')]] });
    expect(lan.list()).toHaveLength(10);
  });

  test.each(['ff:ff:ff:ff:ff:ff', '01:00:5e:00:00:fb', '00:00:00:00:00:00'])(
    '%s is nobody: the address counts',
    async (mac) => {
      await using lan = openLan();
      await lan.poll({ arp: [['192.168.1.255', mac]] });
      expect(lan.list()).toMatchObject([{ ip: '192.168.1.255', interfaces: [] }]);
    },
  );
});

describe('two routers', () => {
  test('hold an address for two devices, until one was not seen for longer than it may be', async () => {
    for (const [laterMs, holder] of [
      [limits.leaseAbandonedMs, stable('01')],
      [limits.leaseAbandonedMs + 1, stable('02')],
    ] as const) {
      await using lan = openLan();
      await lan.poll({ arp: [['192.168.1.5', stable('01')]] });
      await lan.clock.advance(laterMs);
      await lan.poll({ arp: [['192.168.1.5', stable('02')]] }, 'vendor-b-2');
      expect(lan.devices.describeSource('192.168.1.5')).toMatchObject({ mac: holder });
    }
  });

  test('on one LAN see the same devices', async () => {
    await using lan = openLan();
    for (const router of ['vendor-a-1', 'vendor-b-1', 'vendor-a-1']) {
      await lan.poll({ arp: [['192.168.1.5', stable('01')]], traffic: ['192.168.1.5'] }, router);
    }
    expect(lan.list()).toHaveLength(1);
    for (const observerId of ['vendor-a-1', 'vendor-b-1']) {
      expect(lan.list({ observerId })).toHaveLength(1);
    }
    expect(lan.list({ observerId: 'vendor-b-2' })).toEqual([]);
    expect(lan.db.prepare('SELECT count(*) AS leases FROM lease').get()).toEqual({ leases: 1 });
  });

  test('on two LANs with the same addresses do not take them from each other', async () => {
    await using lan = openLan();
    for (let poll = 0; poll < 5; poll += 1) {
      await lan.poll({ arp: [['192.168.1.5', stable('01')]], traffic: ['192.168.1.5'] }, 'vendor-a-1');
      await lan.poll({ arp: [['192.168.1.5', stable('02')]], traffic: ['192.168.1.5'] }, 'vendor-b-1');
      await lan.clock.advance(minute);
    }
    expect(lan.list()).toHaveLength(2);
    expect(lan.db.prepare('SELECT count(*) AS leases FROM lease').get()).toEqual({ leases: 2 });
    expect(lan.connections()).toMatchObject([{ srcMac: stable('01') }]);
    await lan.clock.advance(21 * minute);
    await lan.poll({ arp: [['192.168.1.5', stable('02')]], traffic: ['192.168.1.5'] }, 'vendor-b-1');
    expect(lan.connections()).toMatchObject([{ srcMac: stable('02') }]);
  });
});

describe('names and other sources', () => {
  test('a lease names its client, and gives way to whoever has the address', async () => {
    await using lan = openLan();
    await lan.poll({
      arp: [
        ['192.168.1.5', stable('01')],
        ['192.168.1.6', stable('02')],
      ],
      leases: [
        { address: '192.168.1.5', mac: stable('01'), name: 'den-laptop' },
        { address: '192.168.1.6', clientId: 'ff:00:01', name: 'attic-nas' },
        { address: '192.168.1.5', mac: stable('03'), name: 'sleeper' },
        { address: '192.168.1.8', mac: stable('04'), name: 'away' },
      ],
      traffic: ['192.168.1.5'],
    });
    expect(lan.device(stable('01'))).toMatchObject({ ip: '192.168.1.5', dnsName: 'den-laptop' });
    expect(lan.device(stable('02'))).toMatchObject({ ip: '192.168.1.6', dnsName: 'attic-nas' });
    expect(lan.device(stable('03'))).toMatchObject({ ip: '', dnsName: 'sleeper' });
    expect(lan.device(stable('04'))).toMatchObject({ ip: '192.168.1.8', sourceList: ['dhcp', 'vendor_a'] });
    expect(lan.connections()).toMatchObject([{ srcMac: stable('01'), srcDnsName: 'den-laptop' }]);
    await lan.poll({ leases: [{ address: '192.168.1.5', mac: stable('01'), name: 'renamed' }] });
    expect(lan.connections()).toMatchObject([{ srcDnsName: 'renamed' }]);
  });

  test('all interfaces that an Agent reports are one device, also those that were two before', async () => {
    await using lan = openLan();
    await lan.poll({
      arp: [
        ['192.168.1.5', stable('01')],
        ['192.168.1.6', made('02')],
      ],
      traffic: ['192.168.1.6'],
    });
    const agentId = 'a9b1';
    await lan.see([
      { agentId, mac: stable('01'), address: '192.168.1.5', facts: { mdnsName: 'den.local' } },
      { agentId, mac: made('02'), address: '192.168.1.6' },
      { agentId, mac: stable('03'), address: '192.168.1.7' },
    ]);
    const device = lan.device(stable('01'));
    expect(device.interfaces.map(({ mac }) => mac).sort()).toEqual([stable('01'), stable('03'), made('02')].sort());
    expect(lan.list()).toHaveLength(1);
    expect(lan.connections()).toMatchObject([
      { srcDeviceId: device.deviceId, srcMac: made('02'), srcMdnsName: 'den.local' },
    ]);
  });

  test('what was recorded before devices were known are devices after the next look', async () => {
    await using lan = openLan();
    await lan.db.write((writer) => {
      writer.prepare("INSERT INTO source (address, first_seen) VALUES ('192.168.1.77', 1000)").run();
    });
    const asked = { observerId: 'vendor-a-1', kind: 'vendor_a', now: lan.clock.now() } as const;
    await lan.devices.report({ ...asked, neighbours: null, leases: [] });
    expect(lan.list()).toEqual([]);
    await lan.poll({});
    expect(lan.device('192.168.1.77')).toMatchObject({ firstSeen: 1000, lastSeen: 1000, status: 'stale' });
  });
});
