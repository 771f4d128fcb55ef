// Clients are counted by IPv4 address and by the /64 of an IPv6 address.
import { expect, test } from 'vitest';
import { clientKey } from '#kernel/net/address-key.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['2001:db8:0:1::7', '2001:db8:0:1::/64'],
  ['2001:DB8:0:1:ffff:ffff:ffff:ffff', '2001:db8:0:1::/64'],
  ['2001:db8:0:2::7', '2001:db8:0:2::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['::1', '::/64'],
  ['', ''],
  ['unknown', 'unknown'],
  ['192.0.2.1:4711', '192.0.2.1:4711'],
  ['192.0.2.01', '192.0.2.01'],
  ['1:2', '1:2'],
])('%j counts as %j', (address, key) => expect(clientKey(address)).toBe(key));
