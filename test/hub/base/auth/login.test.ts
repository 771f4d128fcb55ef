// Proof of the admin token and of the password: how long it holds.
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createLockOut } from '#hub/base/auth/credentials/lock-out.ts';
import { createLogin } from '#hub/base/auth/credentials/login.ts';
import { createPasswords } from '#hub/base/auth/credentials/password.ts';
import { hashToken } from '#kernel/text/secret.ts';
import { readAuditPage } from '../../../support/audit-page.ts';
import { openAuthDesk, requestOf } from '../../../support/auth-desk.ts';

test('a proof holds until the password or the admin token is another one, not until its record is made again', async () => {
  await using desk = openAuthDesk();
  const { audit, clock, document } = desk;
  const passwords = createPasswords({ log2N: 10, r: 8, p: 1 });
  const login = createLogin({ document, passwords, lockOut: createLockOut(clock), audit, clock });
  const passwordRecord = await passwords.hash('the first password');
  document.update((all) => ({ ...all, adminTokenHash: hashToken('the first token'), passwordRecord }));
  const purpose = {
    type: 'login',
    by: { method: 'local', actor: null, credential: null },
    request: requestOf(),
  } as const;

  const byToken = await login.requireAdminToken('the first token', purpose);
  const byPassword = await login.requirePassword('the first password', purpose);
  byToken();
  document.update((all) => ({ ...all, adminTokenHash: hashToken('the second token') }));
  expect(byToken).toThrow(expect.objectContaining({ code: 'login_failed' }));
  byPassword();
  const undo = (await login.newPassword('the second password', byPassword))();
  undo();
  byPassword();
  (await login.newPassword('the second password', byPassword))();
  // What was replaced meanwhile is not undone.
  undo();
  expect(byPassword).toThrow(expect.objectContaining({ code: 'login_failed' }));
  const third = await login.newPassword('the third password', byPassword);
  expect(third).toThrow(expect.objectContaining({ code: 'login_failed' }));
  await login.requirePassword('the second password', purpose);
  const reasons = async () => (await readAuditPage(desk, { limit: 10 })).events.map(({ metadata }) => metadata?.reason);
  expect(await reasons()).toEqual(Array(3).fill('changed_meanwhile'));

  // A record of other parameters is made again; when that cannot be saved, nobody has failed.
  const old = await createPasswords({ log2N: 9, r: 8, p: 1 }).hash('the old password');
  document.update((all) => ({ ...all, passwordRecord: old }));
  rmSync(document.file);
  mkdirSync(path.join(document.file, 'in the way'), { recursive: true });
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    const refused = login.requirePassword('the old password', purpose);
    await expect(refused).rejects.toMatchObject({ code: 'save_failed' });
  }
  expect([await reasons(), document.current().passwordRecord]).toEqual([Array(3).fill('changed_meanwhile'), old]);
  rmSync(document.file, { recursive: true });
  const byOld = await login.requirePassword('the old password', purpose);
  expect(document.current().passwordRecord).not.toBe(old);
  byOld();
  document.update((all) => ({ ...all, passwordRecord }));
  expect(byOld).toThrow(expect.objectContaining({ code: 'login_failed' }));
});

test('before a hub has credentials nothing can be proved', async () => {
  await using desk = openAuthDesk();
  const { audit, clock, document } = desk;
  const passwords = createPasswords({ log2N: 4, r: 8, p: 1 });
  const login = createLogin({ document, passwords, lockOut: createLockOut(clock), audit, clock });
  const purpose = {
    type: 'login',
    by: { method: 'local', actor: null, credential: null },
    request: requestOf(),
  } as const;
  for (const proof of [login.requirePassword('x', purpose), login.requireAdminToken('x', purpose)]) {
    await expect(proof).rejects.toMatchObject({ code: 'auth_not_initialised' });
  }
});
