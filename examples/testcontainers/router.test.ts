import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RouterContainer } from 'gatehouse-simulators/testcontainers';
import { readTable } from './read-table.ts';

test('every session of the router is in the table that was read', async () => {
  await using router = await new RouterContainer('vendor_b', { dialect: 'isr-xe16', seed: 7, sessions: 40 }).start();
  const flow = await fetch(new URL('/flows', router.controlUrl), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ src: '192.168.100.23', dst: '203.0.113.80', dport: 443 }),
  });
  assert.equal(flow.ok, true, await flow.text());
  const table = await readTable(router);
  assert.match(table, /203\.0\.113\.80:443/);
  assert.ok(table.split('\n').length > 40, table);
});
