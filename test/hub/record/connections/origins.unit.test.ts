// The order in which sources count, and what is said of a value that no source gives any more.
import { expect, test } from 'vitest';
import type { Connection } from '#contract/model.ts';
import { listOrigins } from '#hub/record/connections/detail/origins.ts';
import type { StoredAnswer } from '#hub/record/connections/detail/query.ts';

const embedded = { from: 'embedded', name: 'enrichment.bin.zst', version: '2026-01-02' } as const;
const file = { from: 'operator_file', name: 'city.mmdb', version: 'City 2026' } as const;
const local = {
  facts: { country: 'NL', org: 'Local Net', lat: 52, lon: 5, city: 'Utrecht' },
  ...{ country: embedded, org: embedded, place: file },
};
const none = { host: null, country: null, org: null, lat: null, city: null };
const answer = (kind: StoredAnswer['kind'], at: number, facts: Partial<StoredAnswer>): StoredAnswer => ({
  ...{ kind, at },
  ...none,
  ...facts,
});
const blank = { srcMac: null, srcVendor: null, srcDnsName: null, srcMdnsName: null };

function origins(connection: Partial<Connection>, answers: StoredAnswer[] = []) {
  const described = { ...blank, dstHost: null, country: null, org: null, lat: null, city: null, ...connection };
  const all = listOrigins({ connection: described as Connection, answers, holder: null, local, vendors: null });
  return Object.fromEntries(all.map(({ field, from, at }) => [field, [from, at]]));
}

test('the registry counts before the local data, that before an online service; a place the other way round', () => {
  const described = { country: 'NL', org: 'Local Net', lat: 52, city: 'Utrecht' };
  expect(origins(described)).toEqual({
    ...{ country: ['embedded', null], org: ['embedded', null], place: ['operator_file', null] },
  });
  const registry = answer('rdap', 5, { country: 'NL', org: 'Registered Ltd' });
  const service = answer('geo', 7, { country: 'DE', lat: 48, city: 'Munich' });
  const answers = [registry, service];
  expect(origins({ ...described, org: 'Registered Ltd', lat: 48, city: 'Munich' }, answers)).toEqual({
    ...{ country: ['rdap', 5], org: ['rdap', 5], place: ['geo', 7] },
  });
});

test('a name that a client resolved counts before one that was published', () => {
  const both = [answer('ptr', 3, { host: 'a.example' }), answer('dns', 4, { host: 'a.example' })];
  expect(origins({ dstHost: 'a.example' }, both)).toEqual({ dstHost: ['dns', 4] });
  expect(origins({ dstHost: 'b.example' }, both)).toEqual({ dstHost: ['earlier', null] });
});

test('what no source says any more is of an earlier one', () => {
  expect(origins({ country: 'US', org: 'Gone', lat: 1, city: null })).toEqual({
    ...{ country: ['earlier', null], org: ['earlier', null], place: ['earlier', null] },
  });
});
