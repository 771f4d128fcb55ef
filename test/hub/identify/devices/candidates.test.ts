// Who may be the same as whom: evidence, what speaks against it, and which newcomers are no news.
import { describe, expect, test } from 'vitest';
import { classifyMac } from '#hub/identify/devices/mac-kind.ts';
import { type Lan, openLan } from '../../../support/lan.ts';
import { verifies } from '../../../support/verifies.ts';

const minute = 60_000;
const hour = 60 * minute;
const stable = (last: string) => `00:00:5e:00:53:${last}`;
const made = (last: string) => `02:1a:11:00:00:${last}`;

/** Two hosts that asked for an address by these names. */
async function named(lan: Lan, one: string, other: string, macs = [stable('01'), stable('02')]): Promise<void> {
  const [mac = '', second = ''] = macs;
  await lan.poll({
    arp: [
      ['192.168.1.5', mac],
      ['192.168.1.6', second],
    ],
    leases: [
      { address: '192.168.1.5', mac, name: one },
      { address: '192.168.1.6', mac: second, name: other },
    ],
  });
}

describe('a candidate', () => {
  test('needs more than one name: the same name and maker are enough', async () => {
    await using stranger = openLan();
    await named(stranger, 'den-box', 'den-box');
    expect(stranger.candidates()).toEqual([]);
    await using lan = openLan({ findVendor: () => 'Example Works' });
    await named(lan, 'Den-Box', 'den-box.lan');
    const [a, b] = lan
      .list()
      .map(({ deviceId }) => deviceId)
      .sort();
    expect(lan.candidates()).toEqual([
      expect.objectContaining({
        deviceIdA: a,
        deviceIdB: b,
        score: 0.4,
        reasons: [
          'Both requested an address with the name "den-box".',
          'Both network adapters were made by Example Works.',
        ],
        reasonFacts: [
          { code: 'pair_asked_name', values: { name: 'den-box' } },
          { code: 'pair_vendor', values: { vendor: 'Example Works' } },
        ],
        counterReasons: [],
        counterReasonFacts: [],
        status: 'pending',
        createdAt: lan.clock.now(),
        resolvedAt: null,
      }),
    ]);
    const [{ ipA, macA, dnsNameA, vendorA } = {}] = lan.candidates();
    const end = lan.list().find(({ deviceId }) => deviceId === a);
    expect({ ipA, macA, dnsNameA, vendorA }).toEqual({
      ipA: end?.ip,
      macA: end?.mac,
      dnsNameA: end?.dnsName,
      vendorA: 'Example Works',
    });
  });

  test('is two MACs with one DHCP client identifier, or one announced name', async () => {
    await using lan = openLan();
    await lan.poll({
      arp: [
        ['192.168.1.5', stable('01')],
        ['192.168.1.6', stable('02')],
      ],
      leases: [
        { address: '192.168.1.5', clientId: 'ff:00:00:01' },
        { address: '192.168.1.6', clientId: 'ff:00:00:01' },
      ],
    });
    expect(lan.candidates()).toMatchObject([{ score: 0.6 }]);
    await lan.see([
      { mac: stable('03'), address: '192.168.1.7', facts: { mdnsName: 'Studio.local' } },
      { mac: stable('04'), address: '192.168.1.8', facts: { mdnsName: 'studio' } },
    ]);
    expect(lan.candidates().map(({ score }) => score)).toEqual([0.6, 0.45]);
  });

  test('is not made of a name and two MACs that nobody made a card for', async () => {
    await using lan = openLan({ findVendor: () => 'private address' });
    for (const prefix of ['02:1a:11:00:00', '02:42:11:00:00', '52:54:00:00:00']) {
      await named(lan, 'den-box', 'den-box', [`${prefix}:01`, `${prefix}:02`]);
      expect(lan.candidates('all'), prefix).toEqual([]);
    }
  });

  test('is each pair of eight that share a name, and none of nine', async () => {
    for (const [length, pairs] of [
      [8, 28],
      [9, 0],
    ] as const) {
      await using lan = openLan({ findVendor: () => 'Example Works' });
      const hosts = Array.from({ length }, (_, index) => [`192.168.1.${index + 5}`, stable(`0${index}`)] as const);
      const leases = hosts.map(([address, mac]) => ({ address, mac, name: 'sensor-node' }));
      await lan.poll({ arp: hosts, leases });
      expect(lan.candidates()).toHaveLength(pairs);
    }
  });

  test('is withdrawn when both work at the same time, unless their names say Wi-Fi and cable', async () => {
    for (const [name, other, left] of [
      ['den-box', 'den-box', 0],
      ['den-box-wifi', 'den-box-eth', 1],
    ] as const) {
      await using lan = openLan({ findVendor: () => 'Example Works' });
      await named(lan, name, other);
      for (let poll = 0; poll < 5; poll += 1) {
        expect(lan.candidates()).toHaveLength(1);
        await lan.clock.advance(minute);
        await lan.poll({ traffic: ['192.168.1.5', '192.168.1.6'] });
        await lan.poll({ traffic: ['192.168.1.5'] });
      }
      await lan.poll({ traffic: ['192.168.1.5', '192.168.1.6'] });
      expect(lan.candidates(), name).toHaveLength(left);
    }
  });

  verifies(
    'rest.devices.merge-statuses rest.devices.reject',
    'once rejected is not proposed again, nor as part of more',
    async () => {
      await using lan = openLan({ findVendor: () => 'Example Works' });
      await named(lan, 'den-box', 'den-box');
      const [{ id } = { id: 0 }] = lan.candidates();
      await lan.devices.reject(id);
      await expect(lan.devices.reject(id)).rejects.toMatchObject({ code: 'not_found' });
      await expect(lan.devices.reject(id + 1)).rejects.toMatchObject({ code: 'not_found' });
      expect(lan.candidates('rejected')).toMatchObject([{ id, status: 'rejected', resolvedAt: lan.clock.now() }]);
      await lan.poll({ arp: [['192.168.1.9', stable('09')]] });
      await lan.devices.merge(lan.device(stable('09')).deviceId, lan.device(stable('01')).deviceId);
      expect(lan.candidates()).toEqual([]);
      expect(lan.candidates('all')).toHaveLength(1);
    },
  );

  verifies('rest.devices.merge-statuses', 'is approved by the merge of exactly its two, and by no other', async () => {
    await using lan = openLan({ findVendor: () => 'Example Works' });
    await named(lan, 'den-box', 'den-box');
    await lan.poll({
      arp: [['192.168.1.7', stable('03')]],
      leases: [{ address: '192.168.1.7', mac: stable('03'), name: 'den-box' }],
    });
    expect(lan.candidates()).toHaveLength(3);
    const [one, two, three] = ['01', '02', '03'].map((last) => lan.device(stable(last)).deviceId);
    await lan.devices.merge(one ?? '', two ?? '');
    const approved = lan.candidates('approved');
    expect(approved).toHaveLength(1);
    expect(new Set([approved[0]?.deviceIdA, approved[0]?.deviceIdB])).toEqual(new Set([one, two]));
    expect(lan.candidates()).toHaveLength(1);
    await lan.devices.split(two ?? '');
    expect(lan.candidates()).toHaveLength(3);
    expect(lan.candidates('approved')).toEqual([]);
    await expect(lan.devices.merge(one ?? '', three ?? '')).resolves.toBeUndefined();
  });
});

describe('a newcomer', () => {
  test('is told once, with its words', async () => {
    await using lan = openLan({ findVendor: () => 'Example Works' });
    await named(lan, 'den-box', 'attic-box');
    await named(lan, 'den-box', 'attic-box');
    const { deviceId } = lan.device(stable('01'));
    const words = {
      mac: stable('01'),
      vendor: 'Example Works',
      dnsName: 'den-box',
      mdnsName: null,
      probably: null,
      isFirstLook: true,
    };
    expect(lan.told).toHaveLength(2);
    expect(lan.told[0]).toEqual({ deviceId, address: '192.168.1.5', firstSeen: lan.clock.now(), ...words });
  });

  test('that is a known phone with another private MAC is no news', async () => {
    await using lan = openLan();
    await named(lan, 'anna-phone', 'den-box', [made('01'), stable('02')]);
    const phone = lan.device(made('01')).deviceId;
    await lan.clock.advance(20 * hour);
    await lan.poll({ leases: [{ address: '192.168.1.9', mac: made('0a'), name: 'anna-phone' }] });
    expect(lan.told.map(({ probably }) => probably)).toEqual([null, null, phone]);
    expect(lan.candidates()).toMatchObject([
      {
        score: 0.5,
        reasons: [
          'Both requested an address with the name "anna-phone".',
          'One randomised MAC disappeared, and the other appeared in the same network within two days.',
        ],
      },
    ]);
  });

  test('with the same name is news when the old one is still there, was long gone, or has a real MAC', async () => {
    const arrivals: [string, string, number][] = [
      [made('01'), made('0a'), 49 * hour],
      [made('01'), made('0a'), 0],
      [stable('01'), made('0a'), hour],
      [made('01'), stable('0a'), hour],
    ];
    for (const [old, young, gapMs] of arrivals) {
      await using lan = openLan();
      await named(lan, 'anna-phone', 'den-box', [old, stable('02')]);
      await lan.clock.advance(gapMs);
      await lan.poll({ leases: [{ address: '192.168.1.9', mac: young, name: 'anna-phone' }] });
      expect(lan.told.at(-1)).toMatchObject({ mac: young, probably: null });
    }
  });
});

describe('what is read from names and addresses', () => {
  test.each([
    ['00:1b:54:aa:f0:48', 'stable'],
    ['02:1a:11:00:00:01', 'private'],
    ['de:ad:be:ef:00:01', 'private'],
    ['52:54:00:12:34:56', 'virtual'],
    ['02:42:ac:11:00:02', 'virtual'],
    ['00:00:5e:00:01:0a', 'shared'],
    ['00:00:0c:07:ac:01', 'shared'],
    ['01:00:5e:00:00:fb', null],
    ['ff:ff:ff:ff:ff:ff', null],
    ['00:00:00:00:00:00', null],
  ])('%s is %s', (mac, kind) => {
    expect(classifyMac(mac)).toBe(kind);
  });
});
