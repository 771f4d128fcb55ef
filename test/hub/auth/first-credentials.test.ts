// The credentials of a first start: bounds of what is given, files of what is made, and what ends them.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createPasswords } from '#hub/auth/credentials/password.ts';
import { writeJson } from '#kernel/files.ts';
import { eventually } from '../../support/eventually.ts';
import { startLab } from '../../support/lab.ts';
import { collectLog } from '../../support/log-lines.ts';

const cost = { log2N: 10, r: 8, p: 1 };

test.each([
  ['initialAdminToken', 15, /MONITOR_INITIAL_ADMIN_TOKEN must have 16 to 512 characters/],
  ['initialAdminToken', 513, /MONITOR_INITIAL_ADMIN_TOKEN must have 16 to 512 characters/],
  ['initialPassword', 13, /MONITOR_INITIAL_PASSWORD must have 14 to 256 characters/],
  ['initialPassword', 257, /MONITOR_INITIAL_PASSWORD must have 14 to 256 characters/],
])('%s of %i characters stops the start', async (name, length, says) => {
  await expect(startLab({ hub: { [name]: 'x'.repeat(length) } })).rejects.toThrow(says);
});

test.each([
  ['initialAdminToken', 16],
  ['initialAdminToken', 512],
  ['initialPassword', 14],
  ['initialPassword', 256],
])('%s of %i characters is taken', async (name, length) => {
  await using lab = await startLab({ hub: { [name]: 'x'.repeat(length) } });
  expect((await lab.as.raw({ method: 'GET', path: '/healthz' })).status).toBe(200);
});

async function startWithFiles() {
  const lab = await startLab({
    hub: { firstCredentialFiles: true, initialAdminToken: undefined, initialPassword: undefined },
  });
  const [password, token] = ['initial-password', 'initial-admin-token'].map((name) => path.join(lab.dataDir, name));
  return { lab, password: password as string, token: token as string };
}

const login = (password: string) => ({
  method: 'POST',
  path: '/api/auth/login',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ password }),
});

test('the file of the first password goes with the first login, that of the token stays', async () => {
  const { lab, password, token } = await startWithFiles();
  await using _lab = lab;
  expect(readFileSync(token, 'utf8').trim()).toMatch(/^[0-9a-f]{48}$/);
  expect((await lab.as.raw(login('not the password'))).status).toBe(401);
  expect(existsSync(password)).toBe(true);
  expect((await lab.as.raw(login(readFileSync(password, 'utf8').trim()))).status).toBe(200);
  expect([existsSync(password), existsSync(token)]).toEqual([false, true]);
});

test('a reset of the password on a terminal is taken while the hub runs, and removes the file of the first one', async () => {
  const { lab, password, token } = await startWithFiles();
  await using _lab = lab;
  const first = readFileSync(password, 'utf8').trim();
  const passwordRecord = await createPasswords(cost).hash('a new password of the owner');
  const file = path.join(lab.dataDir, 'recovery', 'reset-password.json');
  writeJson(file, { kind: 'password', passwordRecord });
  await eventually(
    async () => existsSync(file),
    (isThere) => !isThere || undefined,
  );
  expect([existsSync(password), existsSync(token)]).toEqual([false, true]);
  expect((await lab.as.raw(login(first))).status).toBe(401);
  expect((await lab.as.raw(login('a new password of the owner'))).status).toBe(200);
});

test('a folder that cannot be watched is said with its cause; the hub runs, and ends', async () => {
  const { log, lines } = collectLog('warn');
  await using lab = await startLab({ hub: { log } });
  await lab.stop();
  rmSync(path.join(lab.dataDir, 'recovery'), { recursive: true });
  writeFileSync(path.join(lab.dataDir, 'recovery'), '');
  await lab.restart();
  expect((await lab.as.raw({ method: 'GET', path: '/healthz' })).status).toBe(200);
  const [line] = lines.filter(({ msg }) => msg.includes('recovery'));
  expect(line?.msg).toMatch(/recovery cannot be watched: a reset is taken at the next start only$/);
  expect(line?.err).toMatchObject({ code: 'EEXIST' });
});
