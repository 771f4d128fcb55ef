// Resets on a terminal, one after the other while the hub is taking the first.
import { existsSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { writeJson } from '#kernel/files/files.ts';
import { hashToken } from '#kernel/text/secret.ts';
import { eventually } from '../../support/eventually.ts';
import { startLab } from '../../support/lab.ts';

test('a reset that is asked for while an earlier one is being taken is taken too', async () => {
  await using lab = await startLab();
  const file = path.join(lab.dataDir, 'recovery', 'reset-token.json');
  const ask = (token: string) => writeJson(file, { kind: 'token', adminTokenHash: hashToken(token) });
  const statusOf = async (token: string) => {
    const headers = { 'x-admin-token': token };
    return (await lab.as.raw({ method: 'GET', path: '/api/auth/sessions', headers })).status;
  };
  const other = new Database(path.join(lab.dataDir, 'monitor.db'));
  other.exec('BEGIN IMMEDIATE');
  ask('the first new token');
  await eventually(
    () => statusOf('the first new token'),
    (status) => status === 200 || undefined,
  );
  // The sessions cannot be ended before the lock is released: the first reset is still under way.
  ask('the second new token');
  other.exec('ROLLBACK');
  other.close();
  await eventually(
    async () => existsSync(file),
    (isThere) => !isThere || undefined,
  );
  expect([await statusOf('the first new token'), await statusOf('the second new token')]).toEqual([401, 200]);
});
