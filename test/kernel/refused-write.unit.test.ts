// Errors of SQLite as a caller meets them: what was refused is told with a remedy, what is a bug stays as it is.
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { AppError } from '#kernel/errors.ts';
import { checkpointIfPossible, createLockTaker, fileWithoutRoom, refusedWrite } from '#kernel/sqlite/refused-write.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const sqlite = (code: string) => Object.assign(new Error(`words of ${code}`), { code });
const refusals = ['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_READONLY', 'SQLITE_CANTOPEN'];
const others = [
  sqlite('SQLITE_CONSTRAINT_UNIQUE'),
  sqlite('SQLITE_CORRUPT'),
  new Error('a bug'),
  Object.assign(new Error('a number'), { code: 5 }),
  { code: 'SQLITE_FULL' },
  'SQLITE_FULL',
  null,
  undefined,
];

test('a checkpoint that the disk refuses is left for the next one; any other failure is thrown', () => {
  for (const code of refusals) {
    expect(() =>
      checkpointIfPossible(() => {
        throw sqlite(code);
      }),
    ).not.toThrow();
  }
  for (const error of [sqlite('SQLITE_CORRUPT'), new Error('a bug')]) {
    expect(() =>
      checkpointIfPossible(() => {
        throw error;
      }),
    ).toThrow(error);
  }
});

describe('a write that SQLite refuses', () => {
  test('for want of the lock names the file and what to end', () => {
    for (const code of ['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT']) {
      const told = refusedWrite('/data/a.db', sqlite(code)) as AppError;
      expect(told).toMatchObject({
        ...{ code: 'database_busy', status: 503, headers: { 'Retry-After': '5' } },
        message: expect.stringContaining('another program holds the write lock of a.db: nothing was changed'),
        cause: { message: `/data/a.db: words of ${code} (${code})` },
      });
      expect(fileWithoutRoom(told)).toBe(null);
    }
  });

  test('says in its words why, and what helps', () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'a.db');
    for (const code of refusals) {
      const isFull = code === 'SQLITE_FULL';
      const told = refusedWrite(file, sqlite(code));
      const remedy = isFull ? 'the disk is full: make room on it' : 'see that its disk has room and can be written';
      expect(told).toMatchObject({
        ...{ code: 'save_failed', status: 500 },
        message: `a.db could not be written (words of ${code}): nothing was changed; ${remedy}, and try again`,
      });
      expect(fileWithoutRoom(told)).toBe(isFull ? file : null);
    }
  });

  test('on a disk that is gone is not called full', () => {
    const told = refusedWrite('/no such folder/a.db', sqlite('SQLITE_IOERR_WRITE'));
    expect(told).toMatchObject({ message: expect.stringContaining('see that its disk has room') });
    expect(fileWithoutRoom(told)).toBe(null);
  });

  test('is nothing else: other errors, and whatever else is thrown, stay as they are', () => {
    for (const error of others) {
      expect(refusedWrite('/data/a.db', error)).toBe(error);
      expect(fileWithoutRoom(error)).toBe(null);
    }
    expect(fileWithoutRoom(new AppError('save_failed', 'of another file', { cause: new Error('EACCES') }))).toBe(null);
  });
});

test('a lock is waited for only while another program has it: any other error is thrown at once', async () => {
  let tries = 0;
  const lock = createLockTaker(() => {
    tries += 1;
    throw sqlite(tries < 3 ? 'SQLITE_BUSY' : 'SQLITE_CANTOPEN');
  });
  await expect(lock.take(() => 0)).rejects.toMatchObject({ code: 'SQLITE_CANTOPEN' });
  expect(tries).toBe(3);
});
