// An operator's own databases go before the embedded data, field by field.
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEnrichmentData } from '#hub/identify/enrichment/embedded/data.ts';
import { encodeEnrichment } from '../../../support/enrichment-files.ts';
import { encodeMmdb } from '../../../support/mmdb-file.ts';
import { makeFolder } from '../../../support/temporary-folder.ts';

let folder: string;
const put = (name: string, bytes: Buffer) => writeFileSync(path.join(folder, name), bytes);

beforeEach(() => {
  folder = makeFolder('operator');
  const orgs = { '203.0.113.0-203.0.113.255': 'Data at hand' };
  put('enrichment.bin.zst', encodeEnrichment({ countries: { '203.0.113.0-203.0.113.255': 'NL' }, orgs }));
});
afterEach(() => rmSync(folder, { recursive: true }));

const nothing = { country: null, org: null, lat: null, lon: null, city: null };
const atHand = { ...nothing, country: 'NL', org: 'Data at hand' };

describe('databases of the operator', () => {
  it('win where they say something', async () => {
    put('country.mmdb', encodeMmdb('Made-Country', { '203.0.113.0/25': { country: { iso_code: 'SE' } } }));
    const data = await openEnrichmentData(folder);
    expect(data.find('203.0.113.5')).toEqual({ ...atHand, country: 'SE' });
    expect(data.find('203.0.113.200')).toEqual(atHand);
    expect(data.find('2001:db8::1')).toEqual(nothing);
    expect(data.operatorFiles.map(({ name }) => name)).toEqual(['country.mmdb']);
    expect(data.version).toMatch(/^2026-01-01-[0-9a-f]{8} Made-Country-2026-05-28-[0-9a-f]{8}$/);
  });

  it.each([
    [
      { country_code: 'CH', as_name: 'A Network' },
      { country: 'CH', org: 'A Network' },
    ],
    [
      { country: 'CH', autonomous_system_organization: 'An Organisation' },
      { country: 'CH', org: 'An Organisation' },
    ],
    [
      { city: { names: { en: 'Zurich' } }, location: { latitude: 47.25, longitude: 8.5 } },
      { city: 'Zurich', lat: 47.25, lon: 8.5 },
    ],
    [
      { city: 'Bern', latitude: 46.5, longitude: -7.25 },
      { city: 'Bern', lat: 46.5, lon: -7.25 },
    ],
    [{ country: 'Switzerland', as_name: '  ', latitude: 46.5 }, {}],
    [{ longitude: 46.5 }, {}],
    [{ country: 'CH', country_code: 'SE' }, { country: 'SE' }],
    [{ country_code: 'CHE', country: { iso_code: 'CH' } }, { country: 'CH' }],
    [{ country: 'xCH', country_code: 'CHx' }, {}],
    [{ as_name: 'B', autonomous_system_organization: 'A' }, { org: 'A' }],
    [
      { latitude: -180, longitude: 180 },
      { lat: -180, lon: 180 },
    ],
    [{ latitude: -180.5, longitude: 0 }, {}],
    [
      { latitude: 1, longitude: 2, location: { latitude: 3, longitude: 4 } },
      { lat: 3, lon: 4 },
    ],
    [{ city: 'x'.repeat(121) }, { city: 'x'.repeat(120) }],
    [{ something: 'else' }, {}],
  ])('are read in the spelling of %j', async (record, facts) => {
    put('made.mmdb', encodeMmdb('Made', { '203.0.113.0/24': record }));
    expect((await openEnrichmentData(folder)).find('203.0.113.5')).toEqual({ ...atHand, ...facts });
  });

  it('are asked in the order of their names', async () => {
    put('b.mmdb', encodeMmdb('B', { '203.0.113.0/24': { country_code: 'BB', as_name: 'From B' } }));
    put('a.mmdb', encodeMmdb('A', { '203.0.113.0/24': { country_code: 'AA' } }));
    expect((await openEnrichmentData(folder)).find('203.0.113.5')).toMatchObject({ country: 'AA', org: 'From B' });
  });

  it('are named as the origin of what they say', async () => {
    put('a.mmdb', encodeMmdb('A', { '203.0.113.0/24': { country_code: 'AA' }, '198.51.100.0/24': { city: 'Bern' } }));
    put('b.mmdb', encodeMmdb('B', { '203.0.113.0/24': { as_name: 'From B', latitude: 1, longitude: 2 } }));
    const { findOrigins, operatorFiles, dataset, find } = await openEnrichmentData(folder);
    const [a, b] = operatorFiles.map(({ name, version }) => ({ from: 'operator_file', name, version }));
    const ours = { from: 'embedded', name: 'enrichment.bin.zst', version: dataset.version };
    const of = (address: string) => {
      const { facts, ...origins } = findOrigins(address);
      expect(facts).toEqual(find(address));
      return origins;
    };
    expect(of('203.0.113.5')).toEqual({ country: a, org: b, place: b });
    expect(of('198.51.100.5')).toEqual({ country: null, org: null, place: a });
    rmSync(path.join(folder, 'a.mmdb'));
    rmSync(path.join(folder, 'b.mmdb'));
    expect((await openEnrichmentData(folder)).findOrigins('203.0.113.5')).toMatchObject({
      ...{ country: ours, org: ours, place: null },
    });
  });

  it('fill the place as a whole', async () => {
    put('a.mmdb', encodeMmdb('A', { '203.0.113.0/24': { city: 'Bern' } }));
    put('b.mmdb', encodeMmdb('B', { '203.0.113.0/24': { city: 'Basel', latitude: 1, longitude: 2 } }));
    expect((await openEnrichmentData(folder)).find('203.0.113.5')).toEqual({ ...atHand, city: 'Bern' });
    rmSync(path.join(folder, 'a.mmdb'));
    put('a.mmdb', encodeMmdb('A', { '203.0.113.0/24': { latitude: 3, longitude: 4 } }));
    expect((await openEnrichmentData(folder)).find('203.0.113.5')).toEqual({ ...atHand, lat: 3, lon: 4 });
  });

  it('are refused by name when they are none', async () => {
    put('page.mmdb', Buffer.from('<html>not found</html>'));
    await expect(openEnrichmentData(folder)).rejects.toThrow(/page\.mmdb is no MaxMind database/);
  });

  it('are refused by name when a part of their tree is missing', async () => {
    const whole = encodeMmdb('Cut', { '203.0.113.0/24': { country_code: 'CH' } });
    put('cut.mmdb', whole.subarray(120));
    await expect(openEnrichmentData(folder)).rejects.toThrow(/cut\.mmdb is no MaxMind database/);
  });

  it('say where a record is damaged, and know nothing there', async () => {
    const whole = encodeMmdb('Bad', { '203.0.113.0/24': { country_code: 'CH' }, '198.51.100.0/24': { city: 'Bern' } });
    const at = whole.indexOf('country_code') - 1;
    put('bad.mmdb', Buffer.concat([whole.subarray(0, at), Buffer.alloc(1), whole.subarray(at + 1)]));
    const data = await openEnrichmentData(folder);
    expect(data.damage()).toBeNull();
    expect(data.find('198.51.100.5').city).toBe('Bern');
    expect(data.find('203.0.113.5')).toEqual(atHand);
    expect(data.damage()).toMatch(/bad\.mmdb is damaged .*: replace it/);
  });

  it('need no embedded data beside them', async () => {
    rmSync(path.join(folder, 'enrichment.bin.zst'));
    put('made.mmdb', encodeMmdb('Made', { '203.0.113.0/24': { country_code: 'CH' } }));
    const data = await openEnrichmentData(folder);
    expect([data.find('203.0.113.5').country, data.find('8.8.8.8').org]).toEqual(['CH', 'Google LLC']);
  });
});
