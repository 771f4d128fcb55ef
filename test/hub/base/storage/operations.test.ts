// Backups and restores one at a time: who is refused meanwhile, what is shown, and that nothing is left when one fails.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { createOperations } from '#hub/base/storage/backup/operations.ts';
import { openDatabase } from '#hub/base/storage/database.ts';
import { toReplacementFiles } from '#hub/base/storage/restore/replacement.ts';
import { createLog } from '#kernel/process/log.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

async function openOperations() {
  await using opened = new AsyncDisposableStack();
  const { path: dir } = opened.use(temporaryFolder());
  const file = path.join(dir, 'monitor.db');
  await openDatabase(file).close();
  const backups = path.join(dir, 'backups');
  mkdirSync(backups);
  const [notesFile, documentFile] = [path.join(dir, 'notes.json'), path.join(dir, 'monitor.json')];
  const clock = new ManualClock();
  const made: string[] = [];
  const state = { isPruning: false, swapped: async () => {} };
  const operations = opened.use(
    createOperations({
      base: {
        clock,
        log: createLog('hub', 'silent'),
        folder: { databaseFile: file, backups, notesFile, documentFile },
      } as never,
      async replace(swap) {
        await state.swapped();
        swap().confirm();
      },
      made: ({ name }) => void made.push(name),
      isPruning: () => state.isPruning,
    }),
  );
  const whole = opened.move();
  const lies = () => readdirSync(dir).filter((name) => /incoming|former|upload|restore/.test(name));
  const upload = (body: Uint8Array, sha256: string | null = null) => operations.upload(Readable.from([body]), sha256);
  return {
    ...{ operations, state, made, clock, backups, file, lies, upload },
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}

const busy = (what: string) => ({ code: 'backup_busy', message: expect.stringContaining(`a ${what} is under way`) });

test('while one restore is under way others are refused, and it says where it is; a backup waits for a backup', async () => {
  await using open = await openOperations();
  const { operations, state, made, clock } = open;
  expect(operations.activity()).toBeNull();
  const [one, other] = await Promise.all([operations.create(), operations.create()]);
  expect([made, operations.activity()]).toEqual([[one.name, other.name], null]);
  const seen: unknown[] = [];
  state.swapped = async () => {
    seen.push(operations.activity());
    await expect(operations.create()).rejects.toMatchObject(busy('restore'));
    await expect(operations.restore(one.name)).rejects.toMatchObject(busy('restore'));
    expect(() => open.upload(Buffer.alloc(9))).toThrow(expect.objectContaining(busy('restore')));
  };
  const { message } = await operations.restore(one.name);
  expect(seen).toEqual([{ what: 'restore', step: 'replacing the database', startedAt: clock.now() }]);
  // Before it came a safety copy, which is named, and is no backup that somebody asked for.
  const safety = readdirSync(open.backups).find(
    (name) => name.endsWith('.db') && ![one.name, other.name].includes(name),
  );
  expect(message).toBe(
    `Restored the backup of 1 Mar 2026, 03:00 UTC. The previous state was saved as ${safety}. All sessions have ended. Log in again.`,
  );
  expect([made.length, operations.activity(), open.lies()]).toEqual([2, null, []]);
  state.swapped = () => Promise.reject(new Error('it is open elsewhere'));
  await expect(operations.restore(one.name)).rejects.toThrow('it is open elsewhere');
  expect([operations.activity(), open.lies()]).toEqual([null, []]);
  state.isPruning = true;
  await expect(operations.restore(one.name)).rejects.toMatchObject(busy('cleanup'));
  await expect(operations.restore('monitor.db')).rejects.toMatchObject({ code: 'not_found' });
});

test('an upload is looked at before anything else is done with it, and goes in any case', async () => {
  await using open = await openOperations();
  const { operations, upload } = open;
  const { file: generation, sha256 } = await operations.create();
  const good = readFileSync(generation);
  writeFileSync(toReplacementFiles(open.file).upload, 'of long ago');
  const refused = (code: string, says: RegExp) => ({ code, message: expect.stringMatching(says) });
  await expect(upload(Buffer.alloc(99))).rejects.toMatchObject(refused('upload_rejected', /more than 99 bytes/));
  expect(open.lies()).toEqual([]);
  // What is plainly no database starts no thread.
  const threads: unknown[] = [];
  const onThread = (thread: unknown) => void threads.push(thread);
  process.on('worker', onThread);
  await expect(upload(Buffer.alloc(100))).rejects.toMatchObject(refused('upload_rejected', /not an SQLite database/));
  process.off('worker', onThread);
  expect(threads).toEqual([]);
  await expect(upload(good, '0'.repeat(64))).rejects.toMatchObject({ code: 'digest_mismatch' });
  const broken = Readable.from(
    (async function* () {
      expect(operations.activity()).toMatchObject({ what: 'upload', step: 'receiving' });
      yield good.subarray(0, 500);
      throw new Error('the line is gone');
    })(),
  );
  await expect(operations.upload(broken, null)).rejects.toMatchObject(
    refused('backup_failed', /the line is gone.*nothing was changed/),
  );
  expect([open.lies(), operations.activity()]).toEqual([[], null]);
  expect((await upload(good, sha256)).message).toMatch(/^Restored the uploaded file\. /);
  expect(open.lies()).toEqual([]);
});

test('a backup or a restore that fails leaves nothing, and the next one works; a damaged database is set aside', async () => {
  await using open = await openOperations();
  const { operations, clock, backups, file, made, upload } = open;
  const good = readFileSync(path.join(backups, (await operations.create()).name));
  const away = `${backups} away`;
  renameSync(backups, away);
  writeFileSync(backups, '');
  const begun = operations.create();
  await yieldToEventLoop();
  expect(operations.activity()).toMatchObject({ what: 'create', startedAt: clock.now() });
  await expect(begun).rejects.toMatchObject({ code: 'backup_failed' });
  await expect(upload(good)).rejects.toMatchObject({ code: 'backup_failed' });
  expect([operations.activity(), open.lies(), made.length]).toEqual([null, [], 1]);
  rmSync(backups);
  renameSync(away, backups);
  await operations.create();
  expect(made).toHaveLength(2);
  truncateSync(file, 8192);
  expect((await upload(good)).message).toMatch(
    /The previous state was saved as \S+monitor\.db\.damaged-\S+\. The previous database could not/,
  );
  // The stop of the hub waits for the one that runs, and ends the one that waits.
  const outcomes = Promise.allSettled([operations.create(), operations.create()]);
  await yieldToEventLoop();
  await operations[Symbol.asyncDispose]();
  expect(made).toHaveLength(3);
  expect(await outcomes).toMatchObject([{ status: 'fulfilled' }, { reason: { message: 'the hub is stopping' } }]);
});

test('a thread that dies while it prepares a database leaves nothing of it, in a restore and in a check', async () => {
  await using open = await openOperations();
  const { operations, upload, lies } = open;
  const good = readFileSync((await operations.create()).file);
  for (const work of [upload, (body: Uint8Array) => operations.check(Readable.from([body]), null)]) {
    writeFileSync(toReplacementFiles(open.file).incoming, 'half a copy');
    process.once('worker', (thread) => void thread.terminate());
    await expect(work(good)).rejects.toThrow('the thread of prepare ended without an answer');
    expect([lies(), operations.activity()]).toEqual([[], null]);
  }
  expect(await operations.check(Readable.from([good]), null)).toMatchObject({ size: good.length });
  expect(lies()).toEqual([]);
});

test('the stop of the hub waits for the thread that prepares a restore, and nothing of it is left', async () => {
  await using open = await openOperations();
  const { operations, upload, lies } = open;
  const good = readFileSync((await operations.create()).file);
  const started = Promise.withResolvers<Worker>();
  process.once('worker', started.resolve);
  const outcome = upload(good).catch((error: Error) => error.message);
  const thread = await started.promise;
  await operations[Symbol.asyncDispose]();
  // Node gives a thread that has ended this id.
  expect(thread.threadId).toBe(-1);
  expect(await outcome).toBe('the hub is stopping');
  expect(lies()).toEqual([]);
});
