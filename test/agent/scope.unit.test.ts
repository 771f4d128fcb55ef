// Which destinations are watched.
import { expect, test } from 'vitest';
import { isWatched } from '#agent/sources/scope.ts';

test.each([
  '192.0.2.1',
  '10.0.0.1',
  '1.1.1.1',
  '223.255.255.255',
  '169.253.0.1',
  '2001:db8::1',
  'fd00::1',
  'fec0::1',
  '::2',
])('%s is', (address) => expect(isWatched(address, false)).toBe(true));

test.each(['0.0.0.0', '::', '169.254.1.1', '224.0.0.251', '255.255.255.255', 'fe80::1', 'febf::1', 'ff02::fb'])(
  '%s never is',
  (address) => expect([isWatched(address, false), isWatched(address, true)]).toEqual([false, false]),
);

test.each(['127.0.0.1', '127.255.0.9', '::1'])('%s only with loopback', (address) => {
  expect([isWatched(address, false), isWatched(address, true)]).toEqual([false, true]);
});
