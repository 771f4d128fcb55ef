// The spool on disk: order, the bounds, what a kill leaves behind, damage.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openSpool } from '#agent/delivery/spool.ts';
import { agentProgramLimits as limits } from '#agent/limits.ts';
import { createLog } from '#kernel/process/log.ts';
import { collectLog } from '../support/log-lines.ts';
import { spoolBatch, spoolFolder } from '../support/spool-lab.ts';

const quiet = createLog('agent', 'silent');
const oneBatch = Buffer.byteLength(JSON.stringify(spoolBatch(100))) + 5;

test('the batch that is under way is not dropped, and its ACK removes it alone', () => {
  using at = spoolFolder();
  const spool = openSpool(at.files, 3 * oneBatch, quiet);
  const batches = [1, 2, 3, 4, 5].map((number) => spoolBatch(100 + number));
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
  using at = spoolFolder();
  const first = openSpool(at.files, 100 * oneBatch, quiet);
  const [one, other, last] = [spoolBatch(1), spoolBatch(2), spoolBatch(3)];
  first.add(one);
  first.add(other);
  writeFileSync(path.join(at.files.spool, 'half.json.77.tmp'), '{"sche');
  const second = openSpool(at.files, 100 * oneBatch, quiet);
  second.add(last);
  const order = [one, other, last].map(({ batchId }) => {
    const found = second.head()?.batchId;
    second.delivered();
    return found === batchId;
  });
  expect(order).toEqual([true, true, true]);
  expect(readdirSync(at.files.spool)).toEqual([]);
});

test('a batch of an earlier version, whose name does not say how many observations it has, is sent', () => {
  using at = spoolFolder();
  const batch = spoolBatch(1);
  mkdirSync(at.files.spool);
  writeFileSync(path.join(at.files.spool, `000000000007-${batch.batchId}.json`), JSON.stringify(batch));
  const spool = openSpool(at.files, 100 * oneBatch, quiet);
  expect(spool.head()).toEqual(batch);
  spool.delivered();
  expect(spool.isEmpty()).toBe(true);
});

test('a batch that is damaged on disk is passed over, counted with its observations, parked and said once', () => {
  using at = spoolFolder();
  const { log, lines } = collectLog('warn');
  openSpool(at.files, 100 * oneBatch, quiet).add(spoolBatch(1, 7));
  const [name = ''] = readdirSync(at.files.spool);
  writeFileSync(path.join(at.files.spool, name), '{"schemaVersion":1');
  const spool = openSpool(at.files, 100 * oneBatch, log);
  const next = spoolBatch(2);
  spool.add(next);
  for (let times = 0; times < 3; times += 1) {
    expect(spool.head()?.batchId).toBe(next.batchId);
  }
  const counts = { batches: 1, droppedBatches: 1, droppedObservations: 7, damagedBatches: 1, parked: 1 };
  expect(spool.facts()).toMatchObject(counts);
  expect(readdirSync(at.files.parked)).toEqual([name]);
  expect(lines).toMatchObject([{ observations: 7, file: path.join(at.files.parked, name) }]);
});

test('a batch that another program removed is counted and said; with its whole folder gone nothing is', () => {
  using at = spoolFolder();
  const { log, lines } = collectLog('warn');
  const spool = openSpool(at.files, 100 * oneBatch, log);
  const gone = spoolBatch(1, 3);
  spool.add(gone);
  rmSync(at.files.spool, { recursive: true });
  expect(() => spool.head()).toThrow(/cannot be read \(ENOENT/);
  expect(lines).toEqual([]);
  mkdirSync(at.files.spool);
  expect(spool.head()).toBeNull();
  expect(spool.facts()).toMatchObject({ droppedBatches: 1, droppedObservations: 3, damagedBatches: 0 });
  expect(lines).toMatchObject([{ batch: gone.batchId, observations: 3 }]);
});

test.each([
  ['number', 1000 * oneBatch, limits.parkedBatches],
  ['bytes', 10 * oneBatch, 10],
])('parked batches are bounded by their %s: the oldest is removed, said and counted', (_, maxBytes, most) => {
  using at = spoolFolder();
  const { log, lines } = collectLog('warn');
  const spool = openSpool(at.files, maxBytes, log);
  const batches = Array.from({ length: most + 5 }, (_, number) => spoolBatch(number));
  for (const one of batches) {
    spool.add(one);
    spool.head();
    spool.park();
  }
  expect(spool.facts()).toMatchObject({ batches: 0, parked: most, removedBatches: 5, droppedBatches: 0 });
  expect(lines).toMatchObject(batches.slice(0, 5).map(({ batchId }) => ({ batch: batchId })));
});
