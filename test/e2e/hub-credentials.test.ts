// The first credentials of a hub and the way back in: on a terminal, and where stdout is a pipe.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { api } from '#contract/index.ts';
import { createActors, raw } from '../support/actors.ts';
import { type Program, runProgram, startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

// Up to four programs are started one after another.
vi.setConfig({ testTimeout: 180_000 });

const env = { MONITOR_THREAT_MIRROR: 'http://127.0.0.1:9/' };
const hubWords = (dataDir: string) => ['src/main.ts', 'hub', '--port', '0', '--data', dataDir];
const read = (...parts: string[]) => readFileSync(path.join(...parts), 'utf8').trim();
const mode = (...parts: string[]) => statSync(path.join(...parts)).mode & 0o777;

function startHub(dataDir: string, more: Record<string, string> = {}): Program {
  return startProgram(hubWords(dataDir), { env: { ...env, ...more } });
}

/** `words` of `node`, on a terminal of its own. */
function onTerminal(words: readonly string[]): Program {
  const command = [process.execPath, ...words].map((word) => `'${word}'`).join(' ');
  return startProgram(['-qec', command, '/dev/null'], { command: 'script', env });
}

async function originOf(hub: Program): Promise<URL> {
  const [, origin = ''] = await hub.printed(/^gatehouse hub ready (\S+?)\r?$/m);
  return new URL(origin);
}

async function stop(hub: Program): Promise<void> {
  hub.kill('SIGTERM');
  expect((await hub.ended).code).toBe(0);
}

const login = (url: URL, password: string) =>
  raw(url, {
    method: 'POST',
    path: '/api/auth/login',
    body: JSON.stringify({ password }),
    headers: { 'content-type': 'application/json' },
  });
const statusOf = async (url: URL, headers: Record<string, string>) =>
  (await raw(url, { method: 'GET', path: '/api/routers', headers })).status;

test('where stdout is a pipe the first credentials are private files, and nothing prints them', async () => {
  using folder = temporaryFolder();
  const data = path.join(folder.path, 'data');
  await using hub = startHub(data, { LOG_LEVEL: 'debug' });
  const url = await originOf(hub);
  const token = read(data, 'initial-admin-token');
  const password = read(data, 'initial-password');
  expect([mode(data, 'initial-admin-token'), mode(data, 'initial-password')]).toEqual([0o600, 0o600]);
  expect(hub.stdout()).toContain(`admin token: in ${path.join(data, 'initial-admin-token')}`);
  expect(hub.stdout()).toContain(`login password: in ${path.join(data, 'initial-password')}`);
  expect(await statusOf(url, { 'x-admin-token': token })).toBe(200);
  expect((await login(url, password)).status).toBe(200);
  // The file of the password is gone after the first login.
  expect([existsSync(path.join(data, 'initial-password')), existsSync(path.join(data, 'initial-admin-token'))]).toEqual(
    [false, true],
  );
  expect(hub.stdout() + hub.stderr()).not.toContain(token);
  expect(hub.stdout() + hub.stderr()).not.toContain(password);
  await stop(hub);
});

verifies('mcp.env.token-printed', 'a terminal gets the first credentials, and no file holds them', async () => {
  using folder = temporaryFolder();
  await using hub = onTerminal(hubWords(folder.path));
  const url = await originOf(hub);
  const [, token = ''] = await hub.printed(/^admin token \(shown only now\): (\S+?)\r?$/m);
  const [, password = ''] = await hub.printed(/^login password \(shown only now\): (\S+?)\r?$/m);
  expect(await statusOf(url, { 'x-admin-token': token })).toBe(200);
  expect((await login(url, password)).status).toBe(200);
  expect(existsSync(path.join(folder.path, 'initial-admin-token'))).toBe(false);
});

test('an initial value for data that has one is said to be ignored', async () => {
  using folder = temporaryFolder();
  const first = { MONITOR_INITIAL_ADMIN_TOKEN: 'the-first-token-of-this-hub' };
  {
    await using hub = startHub(folder.path, first);
    await originOf(hub);
    await stop(hub);
  }
  {
    await using same = startHub(folder.path, first);
    await originOf(same);
    expect(same.stderr()).not.toContain('MONITOR_INITIAL');
    await stop(same);
  }
  const other = {
    MONITOR_INITIAL_ADMIN_TOKEN: 'another-token-of-this-hub',
    MONITOR_INITIAL_PASSWORD: 'another password 1',
  };
  await using hub = startHub(folder.path, other);
  await originOf(hub);
  expect(hub.stderr()).toMatch(/MONITOR_INITIAL_ADMIN_TOKEN is ignored.*gatehouse reset-token/);
  expect(hub.stderr()).toMatch(/MONITOR_INITIAL_PASSWORD is ignored.*gatehouse reset-password/);
  expect(hub.stderr()).not.toMatch(/another-token|another password/);
  await stop(hub);
});

test.each([
  [[], 2, /^gatehouse reset-password: needs a terminal/],
  [['--colour'], 2, /^gatehouse reset-password: .*--colour.*see --help/],
] as const)('reset-password with %j and no terminal: one line, nothing changed', async (args, code, says) => {
  using folder = temporaryFolder();
  const ended = await runProgram(['src/main.ts', 'reset-password', ...args, '--data', folder.path], { env });
  expect(ended).toMatchObject({ code, stdout: '' });
  expect(ended.stderr).toMatch(says);
  expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
});

test('a reset of a folder that holds no hub is refused', async () => {
  using folder = temporaryFolder();
  await using reset = onTerminal(['src/main.ts', 'reset-token', '--data', folder.path]);
  expect((await reset.ended).code).toBe(1);
  expect(reset.stdout()).toMatch(/monitor\.json does not exist: .*--data/);
});

test.each(['stopped', 'running'] as const)(
  'a %s hub has a new password and token, ends sessions and records it',
  async (state) => {
    using folder = temporaryFolder();
    const { path: data } = folder;
    const oldToken = 'the-first-token-of-this-hub';
    const oldPassword = 'the first password 1';
    const first = startHub(data, { MONITOR_INITIAL_ADMIN_TOKEN: oldToken, MONITOR_INITIAL_PASSWORD: oldPassword });
    await using stopper = new AsyncDisposableStack();
    stopper.use(first);
    let url = await originOf(first);
    const { token: session } = (await login(url, oldPassword)).body as { token: string };
    const cookie = { cookie: `monitor_session=${session}` };
    expect(await statusOf(url, cookie)).toBe(200);
    if (state === 'stopped') {
      await stop(first);
    }
    const shown: string[] = [];
    for (const word of ['reset-password', 'reset-token']) {
      await using reset = onTerminal(['src/main.ts', word, '--data', data]);
      const [, secret = ''] = await reset.printed(/\(shown only now\): (\S+?)\r?$/m);
      shown.push(secret);
      expect((await reset.ended).code).toBe(0);
      expect(reset.stdout()).toMatch(state === 'running' ? /the running hub has taken it/ : /from the next start/);
    }
    if (state === 'stopped') {
      const second = stopper.use(startHub(data));
      url = await originOf(second);
    }
    const [password = '', token = ''] = shown;
    expect(await statusOf(url, { 'x-admin-token': oldToken })).toBe(401);
    expect(await statusOf(url, { 'x-admin-token': token })).toBe(200);
    expect(await statusOf(url, cookie)).toBe(401);
    expect((await login(url, oldPassword)).status).toBe(401);
    expect((await login(url, password)).status).toBe(200);
    const { events } = await createActors(api, url, token).admin.auth.auditEvents({ query: {} });
    const resets = events.filter(({ metadata }) => metadata?.by === 'terminal');
    expect(resets.map(({ eventType, path: at }) => [eventType, at]).toSorted()).toEqual([
      ['admin_token_regenerated', null],
      ['password_changed', null],
    ]);
    expect(existsSync(path.join(data, 'recovery', 'reset-password.json'))).toBe(false);
  },
);

test('a damaged request for a reset is said and changes nothing', async () => {
  using folder = temporaryFolder();
  mkdirSync(path.join(folder.path, 'recovery'), { mode: 0o700 });
  const file = path.join(folder.path, 'recovery', 'reset-token.json');
  writeFileSync(file, '{"kind":"token"}', { mode: 0o600 });
  const token = 'the-first-token-of-this-hub';
  await using hub = startHub(folder.path, { MONITOR_INITIAL_ADMIN_TOKEN: token });
  expect(await statusOf(await originOf(hub), { 'x-admin-token': token })).toBe(200);
  expect(hub.stderr()).toMatch(/reset-token\.json.*run the command again/);
  await stop(hub);
});
