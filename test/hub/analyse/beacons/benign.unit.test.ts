// Which regular contacts are nothing to worry about, and why.
import { expect, test } from 'vitest';
import { type Contacted, findBenignReason } from '#hub/analyse/beacons/benign.ts';

const lists = { whitelistDomains: ['vendor.example', 'other.example'], orgAllowlist: ['Vendor', 'Cloud'] };

test.each<[contacted: Partial<Contacted>, reason: string | null]>([
  [{}, null],
  [{ dport: 123, proto: 'UDP' }, 'time_service'],
  [{ dport: 123 }, null],
  [{ proto: 'UDP' }, null],
  [{ dport: 123, proto: 'UDP', host: 'vendor.example', org: 'Vendor' }, 'time_service'],
  [{ host: 'vendor.example' }, 'domain'],
  [{ host: 'CDN.Other.Example.' }, 'domain'],
  [{ host: 'cdn.vendor.example', org: 'Vendor' }, 'domain'],
  [{ host: 'notvendor.example' }, null],
  [{ host: 'vendor.example.net' }, null],
  [{ host: 'vendor.example..' }, null],
  [{ host: 'notvendor.example', org: 'the VENDOR Inc' }, 'organisation'],
  [{ org: 'Some cloud' }, 'organisation'],
  [{ org: 'Clou d' }, null],
])('%j: %s', (contacted, reason) => {
  expect(findBenignReason({ dport: 443, proto: 'TCP', host: null, org: null, ...contacted }, lists)).toBe(reason);
});

test('empty lists allow nothing', () => {
  const empty = { whitelistDomains: [], orgAllowlist: [] };
  expect(findBenignReason({ dport: 443, proto: 'TCP', host: 'vendor.example', org: 'Vendor' }, empty)).toBeNull();
});
