// The first credentials and their files on a settings file alone: bounds, warnings, order, and what is noted of a use.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { firstCredentials } from '#hub/base/auth/credentials/first-credentials.ts';
import { createFirstFiles } from '#hub/base/auth/credentials/first-files.ts';
import { createFirstToken } from '#hub/base/auth/credentials/first-token.ts';
import { createPasswords } from '#hub/base/auth/credentials/password.ts';
import { hashToken } from '#kernel/text/secret.ts';
import { type AuthDesk, openAuthDesk } from '../../../support/auth-desk.ts';

const passwords = createPasswords({ log2N: 4, r: 8, p: 1 });
const tokenFile = 'initial-admin-token';
const passwordFile = 'initial-password';

async function start({ document, folder, log }: AuthDesk, adminToken?: string, password?: string, hasFiles = true) {
  const files = hasFiles ? createFirstFiles(folder, log) : null;
  return firstCredentials({ document, passwords, given: { adminToken, password }, files, log });
}

const filesOf = ({ folder }: AuthDesk) => [tokenFile, passwordFile].map((name) => existsSync(path.join(folder, name)));

test.each<[string | undefined, string | undefined, RegExp | null]>([
  ['t'.repeat(15), undefined, /MONITOR_INITIAL_ADMIN_TOKEN must have 16 to 512 characters/],
  ['t'.repeat(16), undefined, null],
  ['t'.repeat(512), undefined, null],
  ['t'.repeat(513), undefined, /MONITOR_INITIAL_ADMIN_TOKEN must have 16 to 512 characters/],
  [undefined, 'p'.repeat(13), /MONITOR_INITIAL_PASSWORD must have 14 to 256 characters/],
  [undefined, 'p'.repeat(14), null],
  [undefined, '\u{1f511}'.repeat(13), /MONITOR_INITIAL_PASSWORD must have/],
  [undefined, 'p'.repeat(256), null],
  [undefined, 'p'.repeat(257), /MONITOR_INITIAL_PASSWORD must have/],
])('a start with token %s and password %s: %s', async (token, password, says) => {
  await using desk = openAuthDesk();
  if (says !== null) {
    const before = desk.document.current();
    await expect(start(desk, token, password)).rejects.toThrow(says);
    expect([desk.document.current(), filesOf(desk)]).toEqual([before, [false, false]]);
    return;
  }
  const made = await start(desk, token, password);
  expect([made.adminToken === token, made.password === password]).toEqual([
    token !== undefined,
    password !== undefined,
  ]);
  const { adminTokenHash, passwordRecord, auditKey } = desk.document.current();
  expect([adminTokenHash, auditKey]).toEqual([hashToken(made.adminToken ?? ''), made.auditKey]);
  expect((await passwords.verify(made.password ?? '', passwordRecord ?? '')).matches).toBe(true);
  // Only what nobody knows yet is written to a file.
  expect(filesOf(desk)).toEqual([token === undefined, password === undefined]);
});

test('a second start makes nothing, and says which of the given values it ignores', async () => {
  await using desk = openAuthDesk();
  const first = await start(desk, undefined, undefined, false);
  expect([first.adminToken, first.password, filesOf(desk)]).toEqual([
    expect.stringMatching(/^[0-9a-f]{48}$/),
    expect.stringMatching(/^\w{16}$/),
    [false, false],
  ]);
  const settings = desk.document.current();
  const again = { adminToken: null, password: null, auditKey: first.auditKey };
  expect(await start(desk)).toEqual(again);
  expect(await start(desk, first.adminToken ?? '')).toEqual(again);
  expect(desk.lines).toEqual([]);
  expect(await start(desk, 'another token than before', 'another password')).toEqual(again);
  expect(desk.lines.map(({ msg }) => msg.split(' ')[0])).toEqual([
    'MONITOR_INITIAL_ADMIN_TOKEN',
    'MONITOR_INITIAL_PASSWORD',
  ]);
  expect([desk.document.current(), filesOf(desk)]).toEqual([settings, [false, false]]);
});

test('each credential that is missing is made, and those that are there stay', async () => {
  await using desk = openAuthDesk();
  await start(desk);
  const whole = desk.document.current();
  for (const name of ['adminTokenHash', 'passwordRecord', 'auditKey'] as const) {
    desk.document.update(() => ({ ...whole, [name]: null }));
    const made = await start(desk);
    expect([made.adminToken !== null, made.password !== null]).toEqual([
      name === 'adminTokenHash',
      name === 'passwordRecord',
    ]);
    const { [name]: fresh, ...others } = desk.document.current();
    expect(fresh).not.toBe(whole[name]);
    expect({ ...others, [name]: whole[name] }).toEqual(whole);
  }
});

test('a credential that cannot be written to its file is not stored either', async () => {
  await using desk = openAuthDesk();
  mkdirSync(path.join(desk.folder, passwordFile));
  await expect(start(desk)).rejects.toThrow();
  expect(desk.document.current().adminTokenHash).toBeNull();
});

test('a file that cannot be removed is named in the log', async () => {
  await using desk = openAuthDesk();
  const files = createFirstFiles(desk.folder, desk.log);
  files.forget(passwordFile);
  expect(desk.lines).toEqual([]);
  mkdirSync(files.pathOf(passwordFile));
  files.forget(passwordFile);
  expect(desk.lines.map(({ msg }) => msg)).toEqual([
    `${files.pathOf(passwordFile)} holds a first credential and could not be removed: delete it`,
  ]);
});

function useFirstToken({ document, folder, log }: AuthDesk, token: string) {
  const file = path.join(folder, tokenFile);
  document.update((all) => ({ ...all, adminTokenHash: hashToken(token) }));
  return { file, firstToken: createFirstToken(file, document, log) };
}

test('the file of the first token is exposed from its first use as long as it may hold the token', async () => {
  await using desk = openAuthDesk();
  const { file, firstToken } = useFirstToken(desk, 'one');
  writeFileSync(file, 'one\n');
  expect([firstToken.exposedFile(), desk.document.current().isFirstTokenUsed]).toEqual([null, false]);
  firstToken.noteUse();
  firstToken.noteUse();
  expect([firstToken.exposedFile(), desk.document.current().isFirstTokenUsed]).toEqual([file, true]);
  expect(createFirstToken(file, desk.document, desk.log).exposedFile()).toBe(file);
  expect(desk.lines).toHaveLength(2);
  writeFileSync(file, 'another\n');
  expect(firstToken.exposedFile()).toBeNull();
  rmSync(file);
  expect(firstToken.exposedFile()).toBeNull();
  // What cannot be read may hold the token.
  mkdirSync(file);
  expect(firstToken.exposedFile()).toBe(file);
});

test('a use without a file is looked at once for each token, and notes nothing', async () => {
  await using desk = openAuthDesk();
  const { file, firstToken } = useFirstToken(desk, 'one');
  firstToken.noteUse();
  writeFileSync(file, 'one\n');
  firstToken.noteUse();
  expect(firstToken.exposedFile()).toBeNull();
  desk.document.update((all) => ({ ...all, adminTokenHash: hashToken('two') }));
  writeFileSync(file, 'two\n');
  firstToken.noteUse();
  expect([firstToken.exposedFile(), readFileSync(file, 'utf8')]).toEqual([file, 'two\n']);
});

test('a use that cannot be noted counts until the end of the process', async () => {
  await using desk = openAuthDesk();
  const { file, firstToken } = useFirstToken(desk, 'one');
  writeFileSync(file, 'one\n');
  rmSync(desk.document.file);
  mkdirSync(path.join(desk.document.file, 'in the way'), { recursive: true });
  firstToken.noteUse();
  expect([firstToken.exposedFile(), desk.document.current().isFirstTokenUsed]).toEqual([file, false]);
  expect(desk.lines.map(({ msg }) => msg.slice(0, 30))).toEqual([
    'the first use of the admin tok',
    `${file} holds`.slice(0, 30),
  ]);
});
