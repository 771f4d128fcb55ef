// Which addresses are public: nothing of the special registries of IANA.
import { expect, it } from 'vitest';
import { isPublicIp } from '#kernel/net/address.ts';

it.each(['8.8.8.8', '1.1.1.1', '223.255.255.254', '2001:4860:4860::8888', '2a00:1450::1'])('%s is public', (ip) =>
  expect(isPublicIp(ip)).toBe(true),
);

it.each([
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '169.254.1.1',
  '172.16.0.1',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  'fe80::1',
  'fd00::1',
  'ff02::1',
  '2001:db8::1',
  '4000::1',
  '4000:2001::1',
  '',
  'example.com',
])('%s is not', (ip) => expect(isPublicIp(ip)).toBe(false));
