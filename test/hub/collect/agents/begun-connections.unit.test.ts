// Which connections of Agents have begun, by short keys that are remembered up to a bound; and which addresses tell a machine.
import { expect, test } from 'vitest';
import { connectionKey, createBegunConnections } from '#hub/collect/agents/begun-connections.ts';
import { latestAddresses } from '#hub/collect/agents/machine-addresses.ts';

const row = {
  proto: 'tcp',
  src: '192.168.1.20',
  sport: 50_000,
  dst: '203.0.113.7',
  dport: 443,
  firstAt: 1_700_000_000_000,
};

test('the key of a connection is the same for its parts, another one for each field, and twelve characters', () => {
  const others = [
    connectionKey(2, row),
    ...Object.entries({
      proto: 'udp',
      src: '192.168.1.21',
      sport: 50_001,
      dst: '203.0.113.8',
      dport: 444,
      firstAt: 1,
    }).map(([field, value]) => connectionKey(1, { ...row, [field]: value })),
  ];
  expect(connectionKey(1, { ...row })).toBe(connectionKey(1, row));
  expect(new Set([connectionKey(1, row), ...others]).size).toBe(8);
  expect(others.map(({ length }) => length)).toEqual(others.map(() => 12));
});

test('the latest are remembered, and what is shown again stays', () => {
  const begun = createBegunConnections(3);
  begun.remember(['a', 'b', 'c']);
  begun.remember(['a', 'd']);
  expect(['a', 'b', 'c', 'd'].map((key) => begun.isKnown(key))).toEqual([true, false, true, true]);
});

test('addresses that every machine has are left out, the others have the latest time at which they were seen', () => {
  const everywhere = '0.0.0.0 127.0.0.1 169.254.1.1 224.0.0.251 255.255.255.255 :: ::1 fe80::1 ff02::fb'.split(' ');
  const own = ['192.168.1.20', '203.0.113.7', '2001:db8::1', 'fd00::1'];
  const rows = [...everywhere, ...own].flatMap((src) => [5, 9, 7].map((lastAt) => ({ src, lastAt })));
  expect([...latestAddresses(rows)]).toEqual(own.map((src) => [src, 9]));
});
