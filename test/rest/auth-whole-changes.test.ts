// A change that ends sessions: the change and the end of the sessions take place together, or neither does.
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { createBrowser } from '../support/actors.ts';
import { type Lab, startLab } from '../support/lab.ts';

const another = 'another passphrase, long enough';

/** Runs SQL as another program would. */
function runSql({ dataDir }: Lab<never>, sql: string): void {
  const db = new Database(path.join(dataDir, 'monitor.db'));
  db.exec(sql);
  db.close();
}

function refuseEndings(lab: Lab<never>): void {
  runSql(lab, `CREATE TRIGGER by_test BEFORE DELETE ON session BEGIN SELECT RAISE(ABORT, 'refused by the test'); END`);
}

test('a password stays when the other sessions cannot be ended', async () => {
  await using lab = await startLab();
  const browser = await lab.as.browser();
  await lab.as.browser();
  refuseEndings(lab);
  const body = { currentPassword: lab.password, newPassword: another, revokeOtherSessions: true };
  expect((await browser.post('/api/auth/change-password', body)).status).toBe(500);
  expect((await createBrowser(lab.url).login(lab.password)).status).toBe(200);
  expect((await createBrowser(lab.url).login(another)).status).toBe(401);
  runSql(lab, 'DROP TRIGGER by_test');
  expect((await browser.post('/api/auth/change-password', body)).body).toEqual({ success: true, revoked: 2 });
  expect((await createBrowser(lab.url).login(another)).status).toBe(200);
});

test('OIDC settings stay when the sessions they end cannot be ended', async () => {
  await using lab = await startLab();
  const save = (clientId: string) =>
    lab.as.admin.auth.saveSecurityConfig({
      body: {
        enabled: true,
        issuer: 'https://issuer.example.org',
        clientId,
        clientSecret: 'a secret of the client',
        allowedDomains: ['example.org'],
      },
    });
  const clientId = async () => (await lab.as.admin.auth.securityConfig({})).oidc.clientId;
  await save('one');
  await lab.as.browser();
  runSql(lab, `UPDATE session SET auth_method = 'oidc'`);
  refuseEndings(lab);
  await expect(save('two')).rejects.toMatchObject({ status: 500 });
  expect(await clientId()).toBe('one');
  runSql(lab, 'DROP TRIGGER by_test');
  await save('two');
  expect(await clientId()).toBe('two');
  expect((await lab.as.admin.auth.sessions({})).sessions).toEqual([]);
});
