import { test as withSimulators } from 'gatehouse-simulators/vitest';
import { expect } from 'vitest';
import { readTable } from './read-table.ts';

const credentials = { user: 'reader', privileged: true };
const test = withSimulators.extend({ options: { vendorB: { credentials } } });

test('a session of the router is in the table', async ({ vendorB }) => {
  vendorB.flow({ src: '192.168.100.23', dst: '203.0.113.80', dport: 443 });
  expect(await readTable(vendorB)).toContain('203.0.113.80:443');
  expect(vendorB.journal()).toContainEqual(expect.objectContaining({ command: 'show ip nat translations' }));
  expect(vendorB.violations).toEqual([]);
});

test('a table that ends in the middle is an error, and the next one is whole', async ({ vendorB }) => {
  vendorB.flow({ src: '192.168.100.23', dst: '203.0.113.80', dport: 443 });
  vendorB.fail('truncated', { command: 'show ip nat', afterBytes: 100, times: 1 });
  await expect(readTable(vendorB)).rejects.toThrow();
  expect(await readTable(vendorB)).toContain('203.0.113.80:443');
});
