// Proof of the admin token and of the password: how long it holds.
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createAuditTrail } from '#hub/auth/audit.ts';
import { createLockOut } from '#hub/auth/credentials/lock-out.ts';
import { createLogin } from '#hub/auth/credentials/login.ts';
import { createPasswords } from '#hub/auth/credentials/password.ts';
import { openDocument } from '#hub/settings/document.ts';
import { createLog } from '#kernel/log.ts';
import { createKey, hashToken } from '#kernel/secret.ts';
import { Db } from '#kernel/sqlite.ts';
import { startLab } from '../../support/lab.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('a proof holds until the password or the admin token is another one, not until its record is made again', async () => {
  await using lab = await startLab();
  using folder = temporaryFolder();
  const { clock } = lab;
  const db = new Db(path.join(lab.dataDir, 'monitor.db'));
  const document = openDocument(path.join(folder.path, 'monitor.json'), createKey());
  const passwords = createPasswords({ log2N: 10, r: 8, p: 1 });
  const audit = createAuditTrail({ db, clock, log: createLog('test', 'silent'), key: 'k' });
  const login = createLogin({ document, passwords, lockOut: createLockOut(clock), audit, clock });
  const passwordRecord = await passwords.hash('the first password');
  document.update((all) => ({ ...all, adminTokenHash: hashToken('the first token'), passwordRecord }));
  const request = {
    id: 'one',
    method: 'POST',
    path: '/api/auth/login',
    target: '/api/auth/login',
    address: '203.0.113.1',
    host: 'hub',
    isSecure: false,
    headers: {},
    cookies: {},
  };
  const purpose = { type: 'login', by: { method: 'local', actor: null, credential: null }, request } as const;

  const byToken = await login.requireAdminToken('the first token', purpose);
  const byPassword = await login.requirePassword('the first password', purpose);
  byToken();
  document.update((all) => ({ ...all, adminTokenHash: hashToken('the second token') }));
  expect(byToken).toThrow(expect.objectContaining({ code: 'login_failed' }));
  byPassword();
  (await login.newPassword('the second password', byPassword))();
  expect(byPassword).toThrow(expect.objectContaining({ code: 'login_failed' }));
  const third = await login.newPassword('the third password', byPassword);
  expect(third).toThrow(expect.objectContaining({ code: 'login_failed' }));
  await login.requirePassword('the second password', purpose);
  const reasons = async () => (await audit.page({ limit: 10 })).events.map(({ metadata }) => metadata?.reason);
  expect(await reasons()).toEqual(Array(3).fill('changed_meanwhile'));

  // A record of other parameters is made again; when that cannot be saved, nobody has failed.
  const old = await createPasswords({ log2N: 9, r: 8, p: 1 }).hash('the old password');
  document.update((all) => ({ ...all, passwordRecord: old }));
  rmSync(folder.path, { recursive: true });
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    const refused = login.requirePassword('the old password', purpose);
    await expect(refused).rejects.toMatchObject({ code: 'save_failed' });
  }
  expect([await reasons(), document.current().passwordRecord]).toEqual([Array(3).fill('changed_meanwhile'), old]);
  mkdirSync(folder.path);
  const byOld = await login.requirePassword('the old password', purpose);
  expect(document.current().passwordRecord).not.toBe(old);
  byOld();
  await db.close();
});
