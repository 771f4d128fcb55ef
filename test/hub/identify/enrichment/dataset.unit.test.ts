// The embedded data: what it says of known addresses and cards, and which files it refuses.
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAddressKey } from '#hub/identify/enrichment/embedded/address-key.ts';
import { type EnrichmentData, openEnrichmentData } from '#hub/identify/enrichment/embedded/data.ts';
import { type Dataset, openDataset } from '#hub/identify/enrichment/embedded/dataset.ts';
import { isPrivateMac } from '#hub/identify/enrichment/embedded/mac-vendors.ts';
import { encodeEnrichment } from '../../../support/enrichment-files.ts';
import { makeFolder } from '../../../support/temporary-folder.ts';

const folder = makeFolder('enrichment');
afterAll(() => rmSync(folder, { recursive: true }));

function writeTo(name: string, bytes: Buffer): string {
  const file = path.join(folder, name);
  writeFileSync(file, bytes);
  return file;
}

describe('the data that comes with the program', () => {
  let data: EnrichmentData;
  beforeAll(async () => {
    data = await openEnrichmentData();
  });

  it.each([
    ['8.8.8.8', 'US', 'Google LLC'],
    ['140.82.121.4', 'US', 'GitHub, Inc.'],
    ['133.242.0.1', 'JP', 'SAKURA Internet Inc.'],
    ['2606:4700:4700::1111', 'US', 'Cloudflare, Inc.'],
    ['2001:4860:4860::8888', 'US', 'Google LLC'],
  ])('knows %s', (address, country, org) => {
    expect(data.find(address)).toEqual({ country, org, lat: null, lon: null, city: null });
  });

  it.each(['10.0.0.1', '192.168.1.1', '100.64.0.1', '127.0.0.1', '203.0.113.9', '224.0.0.1', '255.255.255.255'])(
    'says nothing of %s, which is not public',
    (address) => expect(data.find(address)).toMatchObject({ country: null, org: null }),
  );

  it.each(['::', '::1', 'fe80::1', 'fd00::1', '2001:db8::1', 'ff02::1', 'no address', ''])(
    'says nothing of "%s"',
    (address) => expect(data.find(address)).toMatchObject({ country: null, org: null }),
  );

  it.each([
    ['3c:22:fb:11:22:33', 'Apple, Inc.'],
    ['00:a0:de:11:22:33', 'YAMAHA CORPORATION'],
    ['00:55:da:01:22:33', 'Shinko Technos co.,ltd.'],
    ['da:a1:19:00:00:00', 'private address'],
  ])('knows who made %s', (mac, vendor) => expect(data.dataset.findVendor(mac)).toBe(vendor));

  it('names the sentences its licences ask for', () => {
    const texts = data.dataset.sources.map(({ attribution }) => attribution).join(' ');
    expect(texts).toMatch(/DB-IP.*RouteViews.*IEEE/);
    expect(data.dataset.sources.every(({ url }) => url.startsWith('https://'))).toBe(true);
  });
});

describe('made data', () => {
  let dataset: Dataset;
  beforeAll(async () => {
    const bytes = encodeEnrichment({
      version: '2026-02-03',
      countries: { '0.0.0.0-0.0.0.9': 'AA', '9.0.0.0-9.0.255.255': 'NL', '255.255.255.0-255.255.255.255': 'ZZ' },
      orgs: { '9.0.1.0-9.0.1.255': 'Small “Ærlig” AS', '2a00:1::-2a00:1:0:ffff:ffff:ffff:ffff:ffff': 'Sechs' },
      vendors: { aabbcc: 'Large', aabbcc1: 'Medium', aabbcc123: 'Small', '000000': 'First', fcffff: 'Last' },
    });
    dataset = await openDataset(writeTo('made.zst', bytes));
  });

  it.each([
    ['0.0.0.9', 'AA', null],
    ['0.0.0.10', null, null],
    ['8.255.255.255', null, null],
    ['9.0.0.0', 'NL', null],
    ['9.0.1.0', 'NL', 'Small “Ærlig” AS'],
    ['9.0.1.255', 'NL', 'Small “Ærlig” AS'],
    ['9.0.2.0', 'NL', null],
    ['9.1.0.0', null, null],
    ['255.255.255.255', 'ZZ', null],
    ['2a00:1::1', null, 'Sechs'],
    ['2a00:1:0:ffff::', null, 'Sechs'],
    ['2a00:1:1::', null, null],
  ])('%s at the edges of ranges', (address, country, org) => {
    expect(dataset.find(address)).toEqual({ country, org });
  });

  it('lets the longest prefix of a card win', () => {
    expect(['aa:bb:cc', 'a8:bb:cc'].map((start) => dataset.findVendor(`${start}:00:00:00`))).toEqual([
      'private address',
      null,
    ]);
    expect(dataset.findVendor('00:00:00:12:34:56')).toBe('First');
    expect(dataset.findVendor('fc:ff:ff:00:00:00')).toBe('Last');
  });

  it('tells day and digest', () => expect(dataset.version).toMatch(/^2026-02-03-[0-9a-f]{8}$/));
});

describe('prefixes of three lengths', () => {
  it('are searched from the longest to the shortest', async () => {
    const vendors = { a8bbcc: 'Large', a8bbcc1: 'Medium', a8bbcc123: 'Small' };
    const dataset = await openDataset(writeTo('vendors.zst', encodeEnrichment({ vendors })));
    const of = (rest: string) => dataset.findVendor(`a8:bb:cc:${rest}`);
    expect([of('12:3f:ff'), of('12:40:00'), of('1f:ff:ff'), of('20:00:00')]).toEqual([
      'Small',
      'Medium',
      'Medium',
      'Large',
    ]);
  });
});

describe('private addresses of cards', () => {
  it.each(['02', '06', '0a', '0e', 'f2', 'fe', '03', 'ff'])('%s is one', (octet) =>
    expect(isPrivateMac(`${octet}:00:00:00:00:00`)).toBe(true),
  );
  it.each(['00', '04', '08', '0c', '01', '3c', 'fc'])('%s is none', (octet) =>
    expect(isPrivateMac(`${octet}:00:00:00:00:00`)).toBe(false),
  );
});

describe('a file that is damaged', () => {
  const good = encodeEnrichment({ countries: { '9.0.0.0-9.0.0.255': 'NL' } });
  it.each([
    ['is cut', good.subarray(0, good.length - 9)],
    ['is something else', Buffer.from('<html>')],
    ['has a changed byte', Buffer.from(good.map((byte, index) => (index === good.length - 12 ? byte ^ 1 : byte)))],
  ])('%s: refused by name', async (what, bytes) => {
    const file = writeTo(`${what.replaceAll(' ', '-')}.zst`, bytes);
    await expect(openDataset(file)).rejects.toThrow(`${file} holds no enrichment data that this version reads`);
  });
  it('is missing: refused by name', async () => {
    await expect(openDataset(path.join(folder, 'absent.zst'))).rejects.toThrow('absent.zst');
  });
});

describe('keys of addresses', () => {
  it('agree with the digits of every IPv4 address', () => {
    const octet = fc.nat(255);
    fc.assert(
      fc.property(octet, octet, octet, octet, (a, b, c, d) => {
        expect(parseAddressKey(`${a}.${b}.${c}.${d}`)).toEqual({
          family: 4,
          value: ((a * 256 + b) * 256 + c) * 256 + d,
        });
      }),
    );
  });
  it('agree with the groups of every IPv6 address, however it is compressed', () => {
    const group = fc.oneof(fc.constant(0), fc.nat(0xffff));
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const text = groups.map((one) => one.toString(16)).join(':');
        const short = text.replace(/(?:^|:)0(?::0)+(?::|$)/, '::');
        const [a = 0, b = 0, c = 0, d = 0] = groups;
        const key = { family: 6, high: a * 65_536 + b, low: c * 65_536 + d };
        expect([parseAddressKey(text), parseAddressKey(short)]).toEqual([key, key]);
      }),
    );
  });
  const none =
    '1.2.3 1.2.3.4.5 1.2.3.256 1..2.3 1:2:3 1:2:3:4:5:6:7:8:9 g:: 12345:: a.b.c.d ' +
    '1::3:4:5:6:7:8:9 ::1:2:3:4:5:6:7:8 :::g 1:2:3:4:5:6:7 G:: `:: @:: /::';
  it.each(none.split(' '))('%s is none', (text) => expect(parseAddressKey(text)).toBeNull());
});
