// Which devices and addresses stay in the hub: archived ones, and what routers and mesh nodes are managed at.
import { expect, test } from 'vitest';
import type { Device } from '#contract/devices.ts';
import { findWithheld } from '#hub/analyse/insights/context-withheld.ts';
import { knownCard, knownDevice } from '../../../support/context-parts.ts';

const router = '192.168.1.1';
const nodeMac = '02:00:00:00:00:99';
const archived = { status: 'archived' as const, archivedAt: 5 };

/** A device of two cards and three addresses beside its own. */
const full = (id: string, ip: string, more: Partial<Device> = {}) =>
  knownDevice(id, ip, {
    ...{ mac: `02:00:00:00:01:${id}`, interfaces: [knownCard(`02:00:00:00:02:${id}`)] },
    ...{ ipv6Addr: `fd00::${id}1`, ipv6Addrs: [`fd00::${id}1`, `fd00::${id}2`], ...more },
  });
const listAddresses = (id: string, ip: string) => [ip, `fd00::${id}1`, `fd00::${id}2`];
const listCards = (id: string) => [`02:00:00:00:01:${id}`, `02:00:00:00:02:${id}`];

function withheld(...devices: Device[]) {
  const nodes = [
    { id: 'n', name: 'Hall', mac: nodeMac.toUpperCase(), role: 'main' as const, online: true, clients: 0 },
  ];
  const hidden = findWithheld({
    devices,
    network: { nodes, clients: [], updatedAt: 1 },
    managed: [router, 'no address'],
  });
  return {
    ...hidden,
    /** Ids of the devices that are sent. */
    sent: devices.map(({ deviceId }) => deviceId).filter((id) => !hidden.hasDevice(id)),
    addresses: (...ips: string[]) => ips.map((ip) => hidden.toSendableIp(ip)),
    cards: (...macs: string[]) => macs.map((mac) => hidden.hasMac(mac)),
  };
}

test('without devices only what is managed, and the cards of nodes, are withheld; addresses come in canonical form', () => {
  const { toSendableIp, hasMac, hasDevice } = withheld();
  expect([router, '192.168.1.2', 'FD00:0::2', 'no address', ''].map(toSendableIp)).toEqual([
    ...[null, '192.168.1.2', 'fd00::2', null, null],
  ]);
  expect(['02-00-00-00-00-99', '02:00:00:00:00:98', '', 'no address'].map(hasMac)).toEqual([
    ...[true, false, false, false],
  ]);
  expect([hasDevice(null), hasDevice('aa')]).toEqual([false, false]);
});

test.each([
  ['its address', { ip: router }],
  ['its IPv6 address', { ipv6Addr: `::ffff:${router}` }],
  ['an earlier IPv6 address', { ipv6Addrs: ['fd00::9', `::ffff:${router}`] }],
  ['the card of a node', { mac: nodeMac }],
  ['another card, that of a node', { interfaces: [knownCard('02:00:00:00:02:aa'), knownCard(nodeMac)] }],
])(
  'a device that has %s is left out with its other addresses and cards, also where another device has them',
  (_, more) => {
    const { sent, addresses, cards } = withheld(
      full('aa', '192.168.1.20', more),
      full('bb', '192.168.1.21', { ipv6Addrs: ['fd00::aa1', 'fd00::aa2'] }),
      knownDevice('cc', '192.168.1.22'),
    );
    expect(sent).toEqual(['bb', 'cc']);
    const [own, other] = [full('aa', '192.168.1.20', more), '192.168.1.22'];
    const held = [own.ip, own.ipv6Addr ?? '', ...(own.ipv6Addrs ?? [])];
    expect(addresses(...held, other)).toEqual([...held.map(() => null), other]);
    expect(cards(own.mac ?? '', ...own.interfaces.map(({ mac }) => mac))).not.toContain(false);
    expect(cards(...listCards('bb'))).toEqual([false, false]);
  },
);

test('an archived device is left out; an address or a card that a device has now stays', () => {
  const { sent, addresses, cards } = withheld(
    full('aa', '192.168.1.20', archived),
    knownDevice('bb', '192.168.1.20', { mac: listCards('aa')[0] ?? null, ipv6Addr: 'fd00::aa2' }),
  );
  expect(sent).toEqual(['bb']);
  expect(addresses(...listAddresses('aa', '192.168.1.20'))).toEqual(['192.168.1.20', null, 'fd00::aa2']);
  expect(cards(...listCards('aa'))).toEqual([false, true]);
});

test('what was merged into a device is part of it: of one that is sent, archived or managed at, over any number of steps', () => {
  const merged = (id: string, ip: string, into: string, more: Partial<Device> = {}) =>
    full(id, ip, { ...archived, mergedInto: into, ...more });
  const sent = withheld(
    knownDevice('aa', '192.168.1.20'),
    merged('bb', '192.168.1.21', 'aa'),
    merged('cc', '192.168.1.22', 'bb'),
  );
  expect(sent.sent).toEqual(['aa', 'bb', 'cc']);
  expect(sent.addresses(...listAddresses('cc', '192.168.1.22'))).not.toContain(null);
  const gone = withheld(knownDevice('aa', '', archived), merged('bb', '192.168.1.21', 'aa'));
  expect([gone.sent, gone.toSendableIp('192.168.1.21')]).toEqual([[], null]);
  const managed = withheld(
    knownDevice('aa', '192.168.1.20'),
    merged('bb', '192.168.1.21', 'aa'),
    merged('cc', router, 'bb'),
    knownDevice('dd', '192.168.1.21'),
  );
  expect(managed.sent).toEqual(['dd']);
  expect(managed.addresses('192.168.1.20', '192.168.1.21')).toEqual([null, null]);
});

test('a chain of merges that ends nowhere, or in itself, is no hindrance', () => {
  const [one, other] = [{ mergedInto: 'bb' }, { mergedInto: 'aa' }];
  expect(withheld(knownDevice('aa', '', one), knownDevice('bb', '', other)).sent).toEqual(['aa', 'bb']);
  expect(withheld(knownDevice('aa', '', { mergedInto: 'zz' })).sent).toEqual(['aa']);
});
