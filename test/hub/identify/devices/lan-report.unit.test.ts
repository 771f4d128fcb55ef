// Reports of routers and lines of logs as sightings: which rows are of the LAN, and what each of them says.
import { expect, test } from 'vitest';
import type { Lease, Neighbour } from '#hub/collect/routers/driver.ts';
import { findRepeaters, toHostSightings, toSightings } from '#hub/identify/devices/lan-report.ts';

const now = 1_790_000_000_000;
const mac = (last: number) => `00:00:5e:00:53:0${last}`;

function read(neighbours: Partial<Neighbour>[] | null, leases: Partial<Lease>[] | null = null, isSource = false) {
  const row = { address: '192.168.1.5', mac: mac(1), interfaceName: 'LAN1', heardSec: 0, isOwn: false };
  return toSightings(
    {
      ...{ observerId: 'r', kind: 'vendor_a', now },
      neighbours: neighbours?.map((more) => ({ ...row, ...more })) ?? null,
      leases: leases?.map((more) => ({ ...row, mac: null, clientId: null, name: null, ...more })) ?? null,
    },
    () => isSource,
  );
}

test('a neighbour was heard as long ago as the table says, an entry without an age and a lease at no time', () => {
  const base = { observerId: 'r', mac: mac(1) };
  expect(
    read([{ heardSec: 90 }, { heardSec: null, address: 'fe80::5' }, { address: '192.168.1.1', isOwn: true }]),
  ).toEqual([
    { ...base, address: '192.168.1.5', heardAt: now - 90_000, sources: ['vendor_a'] },
    { ...base, address: 'fe80::5', heardAt: null, sources: ['vendor_a', 'ndp'] },
  ]);
  const lease = { ...base, heardAt: null, sources: ['dhcp', 'vendor_a'], isWeak: true };
  const leases = [
    { address: '192.168.1.7', mac: mac(2), name: ' den ' },
    { clientId: 'ff:01' },
    { address: '192.168.1.8', name: 'nobody' },
  ];
  // The second one has the MAC that the table of neighbours shows, the third one has none.
  expect(read([{}], leases).slice(1)).toEqual([
    { ...lease, address: '192.168.1.7', mac: mac(2), facts: { dhcpName: 'den' } },
    { ...lease, address: '192.168.1.5', facts: { clientId: 'ff:01' } },
  ]);
  expect(read(null, leases)).toHaveLength(1);
  expect([
    read(null),
    read([{ address: '203.0.113.5' }]),
    read([{ address: '203.0.113.5' }], null, true),
  ]).toMatchObject([[], [], [{ address: '203.0.113.5' }]]);
});

test.each([
  ['LAN1(port3)', 'LAN1', true],
  ['lan1 (port3)', 'LAN1(port4)', true],
  ['GigabitEthernet0/1.20', 'Gi0/1.20', true],
  ['Vlan10', 'Vl10', true],
  ['Port-channel1', 'Po-channel1', true],
  ['Bridge-3', 'br3', true],
  ['LAN1', 'LAN2', false],
  ['Vlan1', 'Vlan10', false],
  ['Vlan10', 'Gi10', false],
  ['GigabitEthernet0/1', 'Gi0/1.20', false],
  ['1', '2', false],
])('%s and %s are the same port: %s', (inside, other, isSame) => {
  const rows = read([{ interfaceName: inside }, { address: 'fe80::9', mac: mac(2), interfaceName: other }]);
  expect(rows.map(({ address }) => address)).toEqual(isSame ? ['192.168.1.5', 'fe80::9'] : ['192.168.1.5']);
});

test('a lease in a log is a sighting of its MAC, a name without one goes to the holder of the address', () => {
  const at = { address: '192.168.1.5' };
  const hosts = [
    { ...at, mac: mac(1), name: 'den' },
    { ...at, mac: mac(2), name: null },
    { ...at, mac: null, name: 'attic' },
    { ...at, mac: null, name: null },
  ];
  const seen = { ...at, heardAt: now, sources: ['dhcp'], observerId: 'log' };
  expect(toHostSightings(hosts, now)).toEqual({
    sightings: [
      { ...seen, mac: mac(1), facts: { dhcpName: 'den' } },
      { ...seen, mac: mac(2), facts: {} },
    ],
    names: [{ ...at, name: 'attic' }],
  });
});

test('a repeater has more than eight IPv4 addresses; IPv6 addresses and rows without a MAC or address do not count', () => {
  const rows = (count: number, of: string | null, address: (n: number) => string | null) =>
    Array.from({ length: count }, (_, n) => ({
      ...{ address: address(n), mac: of, heardAt: now, sources: [], observerId: 'r' },
    }));
  const all = [
    ...rows(9, mac(1), (n) => `192.168.1.${n}`),
    ...rows(8, mac(2), (n) => `192.168.1.${n}`),
    ...rows(2, mac(2), () => '192.168.1.1'),
    ...rows(9, mac(3), (n) => `fe80::${n}`),
    ...rows(9, mac(4), () => null),
    ...rows(9, null, (n) => `192.168.1.${n}`),
  ];
  expect(findRepeaters(all)).toEqual([mac(1)]);
});
