// Addresses have one spelling, and belong to one kind of network.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  canonicalIp,
  canonicalMac,
  eui64Mac,
  ipv4Number,
  isLoopback,
  isLoopbackHost,
  isPrivateIp,
  isPrivateTarget,
  unbracketed,
} from '#kernel/net/address.ts';

test.each([
  ['192.168.100.2', '192.168.100.2'],
  ['2001:DB8:100:0:12CF:1EDE:FA75:B7C4', '2001:db8:100:0:12cf:1ede:fa75:b7c4'],
  ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
  ['FE80::1%lan1', 'fe80::1'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::', '::'],
  ['0.0.0.0', '0.0.0.0'],
  ['255.255.255.255', '255.255.255.255'],
  [`fe80::1%${'z'.repeat(56)}`, 'fe80::1'],
])('%s is spelt %s', (text, canonical) => {
  expect(canonicalIp(text)).toBe(canonical);
  expect(canonicalIp(canonical)).toBe(canonical);
});

test.each([
  '',
  '192.168.1',
  '192.168.1.256',
  '192.168.01.1',
  '0x7f.0.0.1',
  '2130706433',
  '1.2.3.4.5',
  'fe80::1::2',
  'host',
  ' 1.2.3.4',
  '1.2.3.4 ',
  '1.2.3.4%lan1',
  '1234',
  `fe80::1%${'z'.repeat(57)}`,
])('%j is no address', (text) => {
  expect(canonicalIp(text)).toBeNull();
});

test('MAC addresses in every notation', () => {
  for (const text of ['00:00:5E:00:53:fe', '00-00-5e-00-53-fe', '0000.5e00.53fe', '00005e0053fe']) {
    expect(canonicalMac(text)).toBe('00:00:5e:00:53:fe');
  }
  const bad = ['00:00:5e:00:53:fg', 'x00:00:5e:00:53:fe', '00:00:5e:00:53:fe:', '0000.5e00.53fex', '00005e0053fe0'];
  for (const text of [
    ...bad,
    '',
    '00:00:5e:00:53',
    '00:00-5e:00:53:fe',
    '0000.5e00.53f',
    'Incomplete',
    '-',
    '00005e0053fg',
  ]) {
    expect(canonicalMac(text)).toBeNull();
  }
});

test('the MAC inside an IPv6 address, where there is one', () => {
  expect(eui64Mac('fe80::200:5eff:fe00:53fe')).toBe('00:00:5e:00:53:fe');
  expect(eui64Mac('2001:db8::cf:1eff:fe0a:b0c')).toBe('02:cf:1e:0a:0b:0c');
  for (const ip of ['fe80::200:5eff:fd00:53fe', 'fe80::200:5efe:fe00:53fe', '::1', '192.0.2.1', 'a:b', '']) {
    expect(eui64Mac(ip), ip).toBeNull();
  }
});

test('an IPv4 address as a number', () => {
  const numbers = {
    '0.0.0.0': 0,
    '10.0.0.0': 0x0a000000,
    '1.2.3.4': 0x01020304,
    '9.9.9.9': 0x09090909,
    '255.255.255.255': 0xffffffff,
  };
  for (const [ip, number] of Object.entries(numbers)) {
    expect(ipv4Number(ip), ip).toBe(number);
  }
  const wrong = [
    '',
    '1.2.3',
    '1.2.3.',
    '.1.2.3',
    '1..2.3',
    '1.2.3.4.',
    '1.2.3.4.5',
    '1.2.3.256',
    '256.1.1.1',
    '1.2.3./',
  ];
  for (const text of [...wrong, '1.2.3.:', '1.2.3.4 ', '1.2.3.x', '::1']) {
    expect(ipv4Number(text), text).toBe(-1);
  }
});

test('networks', () => {
  const own = ['10.0.0.1', '172.16.0.1', '172.20.0.1', '172.31.255.255', '192.168.0.1'];
  const other = [
    '172.15.0.1',
    '172.32.0.1',
    '8.10.0.1',
    '8.192.168.1',
    '192.169.0.1',
    '11.0.0.1',
    '127.0.0.1',
    '169.254.0.1',
    '8.8.8.8',
  ];
  expect(own.every(isPrivateTarget) && own.every(isPrivateIp)).toBe(true);
  expect(other.some(isPrivateTarget) || other.some(isPrivateIp)).toBe(false);
  expect(['fc00::1', 'fd12::1'].every(isPrivateIp)).toBe(true);
  expect(['fe80::1', '2001:db8::1', 'fc::1', '2001:db8:fd00::1', 'fec0::1'].some(isPrivateIp)).toBe(false);
  expect(isPrivateTarget('fd12::1')).toBe(false);
  expect(['127.0.0.1', '127.9.9.9', '::1'].every(isLoopback)).toBe(true);
  expect(['128.0.0.1', '::2', '127.example', '1.127.0.1'].some(isLoopback)).toBe(false);
});

test('a host is loopback by its address or as localhost, however a URL or a setting spells it', () => {
  const loopback = ['localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]', '::ffff:127.0.0.1', '0:0::1'];
  expect(loopback.filter((host) => !isLoopbackHost(host))).toEqual([]);
  const others = [
    '127.example',
    '127.0.0.1.example',
    '0x7f.1',
    '127.1',
    'localhost.example',
    '0.0.0.0',
    '::',
    '[::2]',
    '',
  ];
  expect(others.filter(isLoopbackHost)).toEqual([]);
});

test('any text: never throws, and what comes out is its own spelling', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.ipV6(), fc.ipV4()), (text) => {
      const canonical = canonicalIp(text);
      expect(canonical === null || canonicalIp(canonical) === canonical).toBe(true);
    }),
  );
});

test('the host of a URL has no brackets where an address is asked for', () => {
  expect(unbracketed(new URL('http://[2001:db8::1]:80/').hostname)).toBe('2001:db8::1');
  expect(unbracketed('hub.example')).toBe('hub.example');
});
