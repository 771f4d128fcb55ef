// A period without what identifies somebody.
import { expect } from 'vitest';
import { anonymisePeriod } from '#capture/anonymise-period.ts';
import { createMapping } from '#capture/mapping.ts';
import { smallPeriod } from '../support/small-period.ts';
import { verifies } from '../support/verifies.ts';

verifies('sim.period.anonymised', 'names, addresses and MACs are others, all else is the same', () => {
  const original = smallPeriod();
  const { header, hosts, connections } = anonymisePeriod(createMapping('a fixed key'), original);
  expect(header).toEqual({
    ...original.header,
    anonymised: true,
    observers: header.observers.map(({ name }, place) => ({ ...original.header.observers[place], name })),
  });
  const identifying = /attic|lodger|den-pc|192\.168\.100\.23|203\.0\.113\.80|2001:db8:64::7|00:00:5e:00:53:01/;
  expect(JSON.stringify(original)).toMatch(identifying);
  expect(JSON.stringify({ header, hosts, connections })).not.toMatch(identifying);
  for (const [index, { src, dst, ...rest }] of connections.entries()) {
    expect({ ...original.connections[index], src, dst }).toEqual({ src, dst, ...rest });
  }
  // One address has one replacement everywhere, in its own private network.
  expect(connections[0]?.src).toBe(hosts[0]?.host);
  expect(connections[0]?.src).toMatch(/^192\.168\.\d{3}\.\d{2}$/);
  expect(hosts[0]?.mac).toMatch(/^00:00:5e:/);
});
