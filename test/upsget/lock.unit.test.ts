// The lock within one process: who waits gets it, gives up, or is ended; nothing of it stays open.
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Failure } from '#upsget/failure.ts';
import { takeLock } from '#upsget/lock.ts';
import { openFilesBelow } from '../support/open-files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const { signal } = new AbortController();
const ups = 'ups.example:6547';

function lockFolder() {
  const folder = temporaryFolder();
  const env = { XDG_RUNTIME_DIR: folder.path };
  const file = () => path.join(folder.path, 'upsget', readdirSync(path.join(folder.path, 'upsget'))[0] ?? '');
  return { env, file, path: folder.path, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

test('one at a time for each UPS, in whatever case it is written; the next one has it when it is free', async () => {
  using folder = lockFolder();
  const first = await takeLock(ups, 0, folder.env, signal);
  const other = await takeLock('other.example:6547', 0, folder.env, signal);
  const failed = await takeLock(ups.toUpperCase(), 50, folder.env, signal).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(Failure);
  expect(failed).toMatchObject({ message: expect.stringContaining('has been reading this UPS for 0.05 s;') });
  const waiting = takeLock(ups, 600_000, folder.env, signal);
  first.release();
  (await waiting).release();
  other.release();
  expect(openFilesBelow(folder.path)).toEqual([]);
});

test('one that waits ends at the signal, for its reason', async () => {
  using folder = lockFolder();
  const first = await takeLock(ups, 0, folder.env, signal);
  const reason = new Error('ended');
  const controller = new AbortController();
  const waiting = takeLock(ups, 5_000, folder.env, controller.signal);
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  first.release();
  expect(openFilesBelow(folder.path)).toEqual([]);
});

test('its file looks as new whenever it is taken, so that no tidying removes it', async () => {
  using folder = lockFolder();
  (await takeLock(ups, 0, folder.env, signal)).release();
  utimesSync(folder.file(), 1, 1);
  const lock = await takeLock(ups, 0, folder.env, signal);
  expect(statSync(folder.file())).toMatchObject({ size: 0 });
  expect(statSync(folder.file()).mtimeMs).toBeGreaterThan(1_500_000_000_000);
  expect(statSync(folder.file()).atimeMs).toBeGreaterThan(1_500_000_000_000);
  lock.release();
});

test('a file that cannot be locked is a Failure, and is not tried again', async () => {
  using folder = lockFolder();
  (await takeLock(ups, 0, folder.env, signal)).release();
  const file = folder.file();
  writeFileSync(file, 'something else');
  const failed = await takeLock(ups, 600_000, folder.env, signal).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(Failure);
  expect(failed).toMatchObject({
    message: expect.stringMatching(/^the lock .*\.lock, .* cannot be taken: .*not a data/),
  });
  expect(openFilesBelow(folder.path)).toEqual([]);
  using second = lockFolder();
  mkdirSync(path.join(second.path, 'upsget', path.basename(file)), { recursive: true, mode: 0o700 });
  await expect(takeLock(ups, 600_000, second.env, signal)).rejects.toThrow(/^the lock .* cannot be taken: .*mode 700$/);
});
