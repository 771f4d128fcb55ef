// The credentials of a first start: bounds of what is given, files of what is made, and what ends them.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createPasswords } from '#hub/base/auth/credentials/password.ts';
import { writeJson } from '#kernel/files/files.ts';
import { hashToken } from '#kernel/text/secret.ts';
import { eventually } from '../../../support/eventually.ts';
import { startLab } from '../../../support/lab.ts';
import { collectLog } from '../../../support/log-lines.ts';

const cost = { log2N: 10, r: 8, p: 1 };

test('a hub does not start with an initial password that is too short', async () => {
  await expect(startLab({ hub: { initialPassword: 'x'.repeat(13) } })).rejects.toThrow(
    'must have 14 to 256 characters',
  );
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

type FilesLab = Awaited<ReturnType<typeof startWithFiles>>;

/** `/api/status` as the holder of `credential` gets it. */
async function statusOf(lab: FilesLab['lab'], credential: string) {
  const answer = await lab.as.raw({ method: 'GET', path: '/api/status', headers: { 'x-admin-token': credential } });
  return answer.body as { warnings: string[]; initialAdminTokenFile: string | null };
}

async function startWithSession() {
  const { lab, password, token } = await startWithFiles();
  const answer = await lab.as.raw(login(readFileSync(password, 'utf8').trim()));
  return { lab, file: token, adminToken: readFileSync(token, 'utf8').trim(), session: (answer.body as Session).token };
}

interface Session {
  token: string;
}

const post = (path: string, adminToken: string, body: object) => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', 'x-admin-token': adminToken },
  body: JSON.stringify(body),
});
const says = (file: string) => [
  `${file} holds the admin token in clear text, and the token has been used: store it in a password manager and delete the file, or run gatehouse reset-token`,
];

test('administrators are warned of the file of the first token from its first use until the file is gone', async () => {
  const { lab, file, adminToken, session } = await startWithSession();
  await using _lab = lab;
  const none = { warnings: [], initialAdminTokenFile: null };
  expect(await statusOf(lab, session)).toMatchObject(none);
  const identity = await lab.as.raw(
    post('/api/auth/api-identities', session, { label: 'reader', permissions: ['network.read'], expiresInMs: 600_000 }),
  );
  await lab.restart();
  expect(await statusOf(lab, session)).toMatchObject(none);
  await lab.as.raw({ method: 'GET', path: '/api/routers', headers: { 'x-admin-token': adminToken } });
  const told = { warnings: says(file), initialAdminTokenFile: file };
  expect(await statusOf(lab, session)).toMatchObject(told);
  expect(await statusOf(lab, (identity.body as Session).token)).toMatchObject(none);
  await lab.restart();
  expect(await statusOf(lab, session)).toMatchObject(told);
  rmSync(file);
  expect(await statusOf(lab, session)).toMatchObject(none);
});

test('a token that was verified was used', async () => {
  const { lab, file, adminToken, session } = await startWithSession();
  await using _lab = lab;
  const verify = (token: string) => lab.as.raw(post('/api/admin/verify', '', { token }));
  await verify('not the token of this hub');
  expect((await statusOf(lab, session)).warnings).toEqual([]);
  await verify(adminToken);
  expect((await statusOf(lab, session)).warnings).toEqual(says(file));
});

test('a file with a token that was replaced is harmless, one with the new token is not', async () => {
  const { lab, file, adminToken: first, session } = await startWithSession();
  await using _lab = lab;
  await lab.as.raw({ method: 'GET', path: '/api/routers', headers: { 'x-admin-token': first } });
  const reset = path.join(lab.dataDir, 'recovery', 'reset-token.json');
  const second = 'b'.repeat(48);
  writeJson(reset, { kind: 'token', adminTokenHash: hashToken(second) });
  await eventually(
    async () => existsSync(reset),
    (isThere) => !isThere || undefined,
  );
  expect(existsSync(file)).toBe(false);
  writeFileSync(file, `${first}\n`);
  expect((await statusOf(lab, second)).warnings).toEqual([]);
  writeFileSync(file, `${second}\n`);
  expect((await statusOf(lab, second)).warnings).toEqual(says(file));
  expect((await statusOf(lab, session)).warnings).toBeUndefined();
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
