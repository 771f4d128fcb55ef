// The mapping of captures: prefixes, kinds, makers and widths stay, and nothing else.
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { createMapping } from '#capture/mapping.ts';
import { canonicalIp, eui64Mac, isLocalIp, isPrivateIp } from '#kernel/net/address.ts';

const keys = fc.string({ minLength: 16, maxLength: 32 });
const octet = fc.nat(255);
const v4 = fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.'));
/** Two addresses that mostly share a few octets. */
const v4Pairs = fc.tuple(v4, v4, fc.nat(4)).map(([one, other, shared]) => {
  const octets = one.split('.');
  return [one, [...octets.slice(0, shared), ...other.split('.').slice(shared)].join('.')] as const;
});
const group = fc.oneof(
  fc.constant('0'),
  fc.nat(0xffff).map((value) => value.toString(16)),
);
const networks = ['2001:db8:0:1', '2400:4050:a1:b2', 'fe80:0:0:0', 'fd12:3456:789a:1'];
const v6 = fc
  .tuple(fc.constantFrom(...networks), fc.array(group, { minLength: 4, maxLength: 4 }), fc.boolean())
  .map(([network, groups, isFromMac]) => {
    const own = isFromMac ? ['200', '5eff', 'fe00', groups[3] ?? '1'] : groups;
    return canonicalIp(`${network}:${own.join(':')}`) ?? '::';
  });
const macs = fc.tuple(fc.constantFrom('00005e', '00a0de', 'b827eb'), fc.nat(0xffffff)).map(([maker, rest]) => {
  return maker + rest.toString(16).padStart(6, '0');
});

const sharedOctets = (one: string, other: string) => {
  const others = other.split('.');
  const at = one.split('.').findIndex((octet, place) => octet !== others[place]);
  return at < 0 ? 4 : at;
};

const digitsOf = (address: string) =>
  ipaddr.IPv6.parse(address)
    .toByteArray()
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');

const sharedDigits = (one: string, other: string) => {
  const [a, b] = [digitsOf(one), digitsOf(other)];
  const at = [...a].findIndex((digit, place) => digit !== b[place]);
  return Math.min(at < 0 ? 32 : at, 16);
};

describe('IPv4', () => {
  test('two addresses share as many octets as before; width and range stay', () => {
    fc.assert(
      fc.property(keys, v4Pairs, (key, [one, other]) => {
        const { replaceIpv4 } = createMapping(key);
        const [first, second] = [replaceIpv4(one), replaceIpv4(other)];
        expect(sharedOctets(first, second)).toBe(sharedOctets(one, other));
        expect(first.split('.').map(({ length }) => length)).toEqual(one.split('.').map(({ length }) => length));
        expect(isLocalIp(first)).toBe(isLocalIp(one));
        expect(isPrivateIp(first)).toBe(isPrivateIp(one));
      }),
    );
  });

  test.each([
    '0.0.0.0',
    '0.0.0.255',
    '127.0.0.1',
    '224.0.0.251',
    '239.255.255.250',
    '255.255.255.0',
    '255.255.255.255',
  ])('%s stays', (address) => expect(createMapping('a key').replaceIpv4(address)).toBe(address));
});

/** Special ranges that begin within a first octet: the first and the last second octet. */
test.each([
  [100, 64, 127],
  [169, 254, 254],
  [172, 16, 31],
  [192, 168, 168],
])('each address of %d.%d to %d stays in that range, and each other one outside', (first, from, to) => {
  const { replaceIpv4 } = createMapping('a key');
  const isWithin = (address: string) => {
    const [one, two] = address.split('.').map(Number);
    return one === first && Number(two) >= from && Number(two) <= to;
  };
  for (let second = 0; second <= 255; second += 1) {
    const address = `${first}.${second}.7.7`;
    expect(isWithin(replaceIpv4(address)), address).toBe(isWithin(address));
  }
});

describe('IPv6', () => {
  test('two addresses share as many digits of their networks, stay two, and are as long as before', () => {
    fc.assert(
      fc.property(keys, v6, v6, (key, one, other) => {
        const { replaceIpv6 } = createMapping(key);
        const [first, second] = [replaceIpv6(one), replaceIpv6(other)];
        expect(sharedDigits(first, second)).toBe(sharedDigits(one, other));
        expect(first === second).toBe(one === other);
        expect(first).toHaveLength(one.length);
        expect(canonicalIp(first)).toBe(first);
        expect([isPrivateIp(first), isLocalIp(first)]).toEqual([isPrivateIp(one), isLocalIp(one)]);
        expect(replaceIpv6(one.toUpperCase())).toBe(first === first.toUpperCase() ? first : first.toUpperCase());
      }),
    );
  });

  test.each(['::1', '::', 'ff02::1:2', '::ffff:192.0.2.7'])('%s stays what it is', (address) => {
    expect(createMapping('a key').replaceIpv6(address).replace(/192.*/, '')).toBe(address.replace(/192.*/, ''));
  });

  test('no group is written where none was', () => {
    expect(createMapping('a key').replaceIpv6('2001:db8::')).toMatch(/^2[\da-f]{3}:[\da-f]{3}::$/);
  });

  test('an address that was made from a MAC is made from the replacement of that MAC', () => {
    fc.assert(
      fc.property(keys, v6, (key, address) => {
        const { replaceIpv6, replaceMac } = createMapping(key);
        const before = eui64Mac(address)?.replaceAll(':', '');
        const after = eui64Mac(replaceIpv6(address))?.replaceAll(':', '');
        expect(after).toBe(before && replaceMac(before));
      }),
    );
  });
});

test('a MAC keeps its maker, and two stay two', () => {
  fc.assert(
    fc.property(keys, macs, macs, (key, one, other) => {
      const { replaceMac } = createMapping(key);
      expect(replaceMac(one).slice(0, 6)).toBe(one.slice(0, 6));
      expect(replaceMac(one)).toMatch(/^[\da-f]{12}$/);
      expect(replaceMac(one) === replaceMac(other)).toBe(one === other);
    }),
  );
});

test('a name keeps its shape and the type of a client its first byte; another key gives another mapping', () => {
  const { replaceName, replaceClientId } = createMapping('a key');
  expect(replaceName('Printer-2F.lan')).toMatch(/^[A-Z][a-z]{6}-\d[A-Z]\.[a-z]{3}$/);
  expect(replaceName('\x83\x76\x83\x8a')).toMatch(/^[a-z]{4}$/);
  expect(replaceClientId('ff5e0053040001')).toMatch(/^ff[\da-f]{12}$/);
  const images = Array.from({ length: 50 }, (_, key) => createMapping(`key ${key}`).replaceIpv4('198.51.100.23'));
  expect(new Set(images).size).toBeGreaterThan(45);
});
