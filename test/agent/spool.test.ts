// The spool on disk: order, the bound, what a kill leaves behind.
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { toBatches } from '#agent/delivery/batches.ts';
import { toObservations } from '#agent/delivery/observations.ts';
import { openSpool } from '#agent/delivery/spool.ts';
import { agentProgramLimits as limits } from '#agent/limits.ts';
import { machineFacts } from '#agent/machine.ts';
import { seenConnection } from '../support/made-up-watch.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

function folders() {
  const folder = temporaryFolder();
  const files = { spool: path.join(folder.path, 'spool'), parked: path.join(folder.path, 'parked') };
  return { files, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

function batchOf(number: number) {
  const most = { maxObservationsPerBatch: 200, maxBodyBytes: 524_288 };
  const [batch] = toBatches(toObservations([seenConnection(number)]).observations, machineFacts('desk'), most);
  return batch as NonNullable<typeof batch>;
}

const oneBatch = Buffer.byteLength(JSON.stringify(batchOf(10_000))) + 5;

test('the batch that is under way is not dropped, and its ACK removes it alone', () => {
  using at = folders();
  const spool = openSpool(at.files, 3 * oneBatch);
  const batches = [1, 2, 3, 4, 5].map((number) => batchOf(10_000 + number));
  for (const batch of batches.slice(0, 3)) {
    spool.add(batch);
  }
  expect(spool.head()?.batchId).toBe(batches[0]?.batchId);
  for (const batch of batches.slice(3)) {
    spool.add(batch);
  }
  expect(spool.facts()).toMatchObject({ batches: 3, droppedBatches: 2, droppedObservations: 2 });
  expect(spool.head()?.batchId).toBe(batches[0]?.batchId);
  spool.delivered();
  expect(spool.head()?.batchId).toBe(batches[3]?.batchId);
});

test('a new start goes on in the same order, after the numbers before; what was half written is removed', () => {
  using at = folders();
  const first = openSpool(at.files, 100 * oneBatch);
  const batches = [1, 2, 3].map(batchOf);
  first.add(batches[0] as (typeof batches)[0]);
  first.add(batches[1] as (typeof batches)[0]);
  writeFileSync(path.join(at.files.spool, 'half.json.77.tmp'), '{"sche');
  const second = openSpool(at.files, 100 * oneBatch);
  second.add(batches[2] as (typeof batches)[0]);
  const order = batches.map(({ batchId }) => {
    const found = second.head()?.batchId;
    second.delivered();
    return found === batchId;
  });
  expect(order).toEqual([true, true, true]);
  expect(readdirSync(at.files.spool)).toEqual([]);
});

test('a batch that is damaged on disk is passed over and counted', () => {
  using at = folders();
  const spool = openSpool(at.files, 100 * oneBatch);
  spool.add(batchOf(1));
  const [name = ''] = readdirSync(at.files.spool);
  writeFileSync(path.join(at.files.spool, name), '{"schemaVersion":1');
  const next = batchOf(2);
  spool.add(next);
  expect(spool.head()?.batchId).toBe(next.batchId);
  expect(spool.facts()).toMatchObject({ batches: 1, droppedBatches: 1 });
});

test('a batch that a kill left in both folders stays parked alone; parked ones are bounded', () => {
  using at = folders();
  const spool = openSpool(at.files, 1000 * oneBatch);
  for (let number = 0; number < limits.parkedBatches + 5; number += 1) {
    spool.add(batchOf(number));
    spool.head();
    spool.park();
  }
  expect(spool.facts()).toMatchObject({ batches: 0, parked: limits.parkedBatches });
  const [name = ''] = readdirSync(at.files.parked);
  writeFileSync(path.join(at.files.spool, name), '{}');
  expect(openSpool(at.files, 1000 * oneBatch).facts()).toMatchObject({ batches: 0, parked: limits.parkedBatches });
  expect(readdirSync(at.files.spool)).toEqual([]);
});
