// Where no request is sent: this machine, its link, metadata services; by address and by what a name stands for.
import type { LookupAddress, LookupOptions } from 'node:dns';
import { expect, test } from 'vitest';
import {
  ForbiddenTarget,
  isForbiddenHost,
  isPrivateHost,
  lookupOutside,
  lookupPublic,
} from '#kernel/net/forbidden-target.ts';

const loopback = ['127.0.0.1', '127.9.9.9', '[::1]', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1'];
const names = ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'a.localhost.'];
const always = [
  ...['169.254.169.254', '169.254.0.1', 'fe80::1', '0.0.0.0', '::', '224.0.0.1', 'ff02::1', '255.255.255.255'],
  ...[
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
    '[FD00:EC2::254]',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::a83f:8110',
  ],
];
const allowed = [
  ...['192.0.2.1', '192.168.1.1', '8.8.8.8', '[2001:db8::1]', '64:ff9b::808:808', 'fd00:ec2::253'],
  ...['example.com', 'localhost.example.com', 'mylocalhost', 'localhosts', ''],
];

test('hosts that are forbidden, and those that are only while loopback is', () => {
  for (const host of [...always, ...loopback, ...names]) {
    expect([host, isForbiddenHost(host, false)]).toEqual([host, true]);
    expect([host, isForbiddenHost(host, true)]).toEqual([host, always.includes(host)]);
  }
  for (const host of allowed) {
    expect([host, isForbiddenHost(host, false), isForbiddenHost(host, true)]).toEqual([host, false, false]);
  }
});

/** What a socket is given for `name`. */
function lookUp(name: string, allowLoopback: boolean, options: LookupOptions, find = lookupOutside(allowLoopback)) {
  return new Promise<{ error: Error | null; address: string | LookupAddress[]; family: number | undefined }>(
    (resolve) => find(name, options as never, (error, address, family) => resolve({ error, address, family })),
  );
}

test('a name is looked up: all its addresses or the first, as asked', async () => {
  const one = { address: '127.0.0.1', family: 4 };
  expect(await lookUp('127.0.0.1', true, { all: true })).toEqual({ error: null, address: [one], family: undefined });
  expect(await lookUp('127.0.0.1', true, {})).toEqual({ error: null, ...one });
  const { address } = await lookUp('localhost', true, { all: true, family: 4 });
  expect(address).toContainEqual(one);
});

test('a name of a forbidden address, or that cannot be looked up is an error', async () => {
  const refused = { address: '', family: undefined };
  expect(await lookUp('127.0.0.1', false, { all: true })).toEqual({
    ...refused,
    error: new ForbiddenTarget('127.0.0.1', '127.0.0.1'),
  });
  expect((await lookUp('localhost', false, {})).error?.message).toMatch(/^localhost is at (?:127\.0\.0\.1|::1), where/);
  // No name has a label of more than 63 bytes (RFC 1035 section 2.3.4).
  const { error, address } = await lookUp('x'.repeat(300), false, { all: true });
  expect([address, error]).toEqual(['', expect.objectContaining({ syscall: 'getaddrinfo' })]);
});

test('where only the public Internet is asked, no name leads into a network of this house', async () => {
  const inside = [
    '10.0.0.1',
    '192.168.1.1',
    '172.16.0.1',
    '100.64.0.1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
  ];
  for (const host of [...always, ...loopback, ...names, ...inside]) {
    expect([host, isPrivateHost(host)]).toEqual([host, true]);
  }
  for (const host of ['8.8.8.8', '[2606:4700::1111]', 'example.com', 'localhosts']) {
    expect([host, isPrivateHost(host)]).toEqual([host, false]);
  }
  for (const name of ['localhost', '192.168.1.1', '168.63.129.16']) {
    expect((await lookUp(name, false, {}, lookupPublic())).error).toBeInstanceOf(ForbiddenTarget);
  }
  expect(await lookUp('8.8.8.8', false, {}, lookupPublic())).toEqual({ error: null, address: '8.8.8.8', family: 4 });
});
