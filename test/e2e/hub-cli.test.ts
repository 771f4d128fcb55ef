// `bin/gatehouse.js hub` as an operator runs it: options, exit codes, sentences, the first token, logs, a clean stop.
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { api } from '#contract/index.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { createActors } from '../support/actors.ts';
import { eventually } from '../support/eventually.ts';
import { olderNode } from '../support/older-node.ts';
import { type Program, root, runProgram, startProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

const givenToken = 'a-token-given-by-automation';

function hubArgs(...args: string[]): string[] {
  return ['bin/gatehouse.js', 'hub', ...args];
}

function startHub(dataDir: string, env: Record<string, string> = {}): Program {
  // Nobody listens there: threat feeds are not fetched from their publishers.
  const MONITOR_THREAT_MIRROR = 'http://127.0.0.1:9/';
  return startProgram(hubArgs('--port', '0', '--data', dataDir), { env: { MONITOR_THREAT_MIRROR, ...env } });
}

async function originOf(hub: Program): Promise<URL> {
  const [, origin = ''] = await hub.printed(/^gatehouse hub ready (\S+)$/m);
  return new URL(origin);
}

async function stop(hub: Program, signal: NodeJS.Signals): Promise<void> {
  hub.kill(signal);
  expect(await hub.ended).toEqual({ code: 0, signal: null });
}

/** What a refused start must be: one sentence for the operator, no stack. */
function expectOneSentence(stderr: string, says: RegExp): void {
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).toMatch(says);
  expect(stderr).not.toMatch(/\n\s+at /);
}

test.each([
  ['--help', /^Usage: gatehouse hub [\s\S]*--data DIR/],
  ['--version', new RegExp(`^${packageVersion()}\n$`)],
])('%s is printed, and ends with 0', async (word, says) => {
  const { code, stdout, stderr } = await runProgram(hubArgs(word));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(says);
});

test('an address that this machine does not have is a sentence and exit code 1', async () => {
  using folder = temporaryFolder();
  const args = hubArgs('--host', '192.0.2.1', '--port', '0', '--data', folder.path);
  const { code, stderr } = await runProgram(args);
  expect(code).toBe(1);
  expectOneSentence(stderr, /^gatehouse hub: 192\.0\.2\.1 is no address of this machine: .*--host/);
});

test('an unknown option is one line on stderr and exit code 2', async () => {
  const { code, stdout, stderr } = await runProgram(hubArgs('--colour'));
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expectOneSentence(stderr, /^gatehouse hub: .*--colour.*see --help/);
});

verifies('card.ships.hub', 'the first start alone makes the admin token; SIGTERM ends both with 0', async () => {
  using folder = temporaryFolder();
  await using first = startHub(folder.path);
  const url = await originOf(first);
  const token = readFileSync(path.join(folder.path, 'initial-admin-token'), 'utf8').trim();
  const { routers } = await createActors(api, url, token).admin.routers.list({});
  expect(routers).toEqual([]);
  await stop(first, 'SIGTERM');

  await using second = startHub(folder.path);
  const again = await originOf(second);
  expect(second.stdout()).not.toContain('admin token');
  expect((await createActors(api, again, token).raw({ method: 'GET', path: '/api/routers' })).status).toBe(200);
  await stop(second, 'SIGINT');
  expect(readFileSync(path.join(folder.path, 'monitor.json'), 'utf8')).not.toContain(token);
});

test('MONITOR_INITIAL_ADMIN_TOKEN is the token, and is never printed', async () => {
  using folder = temporaryFolder();
  await using hub = startHub(folder.path, { MONITOR_INITIAL_ADMIN_TOKEN: givenToken });
  const url = await originOf(hub);
  expect((await createActors(api, url, givenToken).raw({ method: 'GET', path: '/api/status' })).status).toBe(200);
  expect(hub.stdout() + hub.stderr()).not.toContain(givenToken);
  await stop(hub, 'SIGTERM');
});

test('a port in use is a sentence and exit code 1', async () => {
  using folder = temporaryFolder();
  await using hub = startHub(path.join(folder.path, 'one'));
  const { port } = await originOf(hub);
  const args = hubArgs('--port', port, '--data', path.join(folder.path, 'other'));
  const { code, stdout, stderr } = await runProgram(args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expectOneSentence(stderr, new RegExp(`^gatehouse hub: port ${port} of 127\\.0\\.0\\.1 is in use: .*--port`));
});

test('an IPv6 range as trusted proxy stops the start with a sentence', async () => {
  using folder = temporaryFolder();
  const env = { MONITOR_TRUST_PROXY: '2001:db8::/32' };
  const { code, stderr } = await runProgram(hubArgs('--port', '0', '--data', folder.path), { env });
  expect(code).toBe(1);
  expectOneSentence(stderr, /^gatehouse hub: MONITOR_TRUST_PROXY: "2001:db8::\/32" is not an address or an IPv4 range/);
});

test.each([
  ['{"version": 1, "rou', /monitor\.json is not valid JSON: restore it from a backup/],
  ['{"version": 1, "routers": 7}', /monitor\.json does not hold valid settings .*restore it from a backup/],
])('a damaged monitor.json (%s) stops the start with a sentence and is left as it is', async (text, says) => {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'monitor.json');
  writeFileSync(file, text);
  const { code, stderr } = await runProgram(hubArgs('--port', '0', '--data', folder.path));
  expect(code).toBe(1);
  expectOneSentence(stderr, says);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

verifies('rest.common.logs-without-query', 'log lines hold the path, never the query nor a token', async () => {
  using folder = temporaryFolder();
  const env = { MONITOR_INITIAL_ADMIN_TOKEN: givenToken, LOG_LEVEL: 'debug' };
  await using hub = startHub(folder.path, env);
  const { raw } = createActors(api, await originOf(hub), givenToken);
  const query = '?fDst=secret-word&limit=5';
  const paths = ['/api/connections', '/api/nothing-here', '/healthz', '/api/connections/%20'];
  for (const at of paths) {
    await raw({ method: 'GET', path: at + query });
  }
  const wrong = 'a-token-that-nobody-has';
  expect((await raw({ method: 'GET', path: `/api/status${query}`, headers: { 'x-admin-token': wrong } })).status).toBe(
    401,
  );
  await raw({ method: 'GET', path: `/api/connections?fNothing=secret-word` });

  const lines = await eventually(
    async () => hub.stderr(),
    (text) => (text.trimEnd().split('\n').length >= 6 ? text.trimEnd().split('\n') : undefined),
  );
  const logged = lines.map((line) => JSON.parse(line) as { path?: string; status?: number });
  expect(logged.map((line) => line.path)).toEqual(expect.arrayContaining([...paths, '/api/status']));
  expect(hub.stderr()).not.toMatch(/secret-word|fDst|limit=5|\?/);
  expect(hub.stderr()).not.toContain(givenToken);
  expect(hub.stderr()).not.toContain(wrong);
  await stop(hub, 'SIGTERM');
});

/** A copy of what runs before any TypeScript does, in a folder whose dependencies count as installed. */
function launcherIn(folder: string): void {
  for (const file of [
    'bin/gatehouse.js',
    'bin/launch.js',
    'bin/compiled.js',
    'scripts/launch.mjs',
    'package.json',
    'package-lock.json',
  ]) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    copyFileSync(path.join(root, file), path.join(folder, file));
  }
  mkdirSync(path.join(folder, 'node_modules'));
  writeFileSync(path.join(folder, 'node_modules/.package-lock.json'), '{}');
  mkdirSync(path.join(folder, 'src'));
  writeFileSync(path.join(folder, 'src/main.ts'), "console.log('ran on', process.version, process.argv.slice(2));\n");
}

test('an older Node without the bundled one is told so in a sentence, exit code 78', async () => {
  using folder = temporaryFolder();
  launcherIn(folder.path);
  const { code, stdout, stderr } = await runProgram(['--import', olderNode, ...hubArgs()], { cwd: folder.path });
  expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
  expectOneSentence(stderr, /^Gatehouse needs Node\.js 24 or newer; this is v20\.19\.0\./);
});

/** Its folder, made. */
function bundledIn(folder: string): string {
  const bundled = path.join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin');
  mkdirSync(bundled, { recursive: true });
  return bundled;
}

test('a bundled one that cannot run here, as on musl, is the sentence of a missing one', async () => {
  using folder = temporaryFolder();
  launcherIn(folder.path);
  writeFileSync(path.join(bundledIn(folder.path), 'node'), '#!/lib/ld-of-another-system.so\n', { mode: 0o755 });
  const { code, stderr } = await runProgram(['--import', olderNode, ...hubArgs()], { cwd: folder.path });
  expect(code).toBe(78);
  expectOneSentence(
    stderr,
    /^Gatehouse needs Node\.js 24 or newer; this is v20\.19\.0\. .*Alpine too, install Node\.js 24/,
  );
});

test('an older Node goes on with the bundled one', async () => {
  using folder = temporaryFolder();
  launcherIn(folder.path);
  const bundled = bundledIn(folder.path);
  symlinkSync(process.execPath, path.join(bundled, 'node'));
  const { code, stdout } = await runProgram(['--import', olderNode, ...hubArgs('--help')], { cwd: folder.path });
  expect(code).toBe(0);
  expect(stdout).toBe(`ran on ${process.version} [ 'hub', '--help' ]\n`);
});
