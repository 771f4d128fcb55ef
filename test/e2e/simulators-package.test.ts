// The package `gatehouse-simulators` as somebody gets it: built, installed in an empty folder, and used there as its README says.
import { cpSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageVersion } from '#kernel/process/version.ts';
import { type ProgramOptions, root, runProgram, startProgram } from '../support/program.ts';
import { secretsIn } from '../support/secret-scan.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const megabyte = 2 ** 20;
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const at = (...names: string[]) => path.join(folder.path, ...names);
const app = at('app');
const installed = at('app/node_modules/gatehouse-simulators');
const tarball = at(`first/gatehouse-simulators-${packageVersion()}.tgz`);
const readme = readFileSync(path.join(root, 'packaging/npm-simulators/README.md'), 'utf8');

/** What a command prints; fails with its words when it does not end well. */
async function output(command: string, args: string[], options: ProgramOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await runProgram(args, { command, cwd: app, ...options });
  expect({ code, said: code === 0 ? '' : stderr + stdout }).toEqual({ code: 0, said: '' });
  return stdout;
}

const build = (out: string) => output(process.execPath, ['scripts/build-package.ts', '--out', out], { cwd: root });
const quiet = ['--ignore-scripts', '--no-audit', '--no-fund'];
const install = (cwd: string, ...args: string[]) => output('npm', ['install', ...quiet, ...args], { cwd });

beforeAll(async () => {
  await build(at('first'));
  mkdirSync(app);
  await install(app, tarball);
});

test('a second build has the same bytes', async () => {
  await build(at('second'));
  expect(readFileSync(tarball).equals(readFileSync(tarball.replace('first', 'second')))).toBe(true);
});

describe('what is installed', () => {
  const files = () =>
    globSync('**', { cwd: installed }).filter((file) => statSync(path.join(installed, file)).isFile());

  test('is programs, their declarations, pages and lists, and nothing else', () => {
    const allowed = [
      /^simulators\/[\w/-]+\.(?:js|d\.ts)$/,
      /^simulators\/scenarios\/(?:[a-z-]+\.yaml|scenario\.schema\.json)$/,
      /^src\/kernel\/[\w/-]+\.(?:js|d\.ts)$/,
      /^bin\/(?:compiled|gatehouse-simulators|launch)\.js$/,
      /^fixtures\/ups\/(?:README\.md|[\d.]+\/[\w-]+(?:\.\w\w)?\.html)$/,
      /^(?:README\.md|CHANGELOG\.md|LICENSE|COMMIT|package\.json|sbom\.json)$/,
    ];
    expect(files().filter((file) => !allowed.some((pattern) => pattern.test(file)))).toEqual([]);
    expect(allowed.filter((pattern) => !files().some((file) => pattern.test(file)))).toEqual([]);
  });

  test('names no folder of the machine that built it, and holds no secret', async () => {
    const texts = files().map((file) => ({ file, text: readFileSync(path.join(installed, file), 'utf8') }));
    expect(texts.filter(({ text }) => text.includes(`${root}/`) || text.includes(folder.path))).toEqual([]);
    // The keys of a simulated provider have the form of real ones, so that programs take them.
    expect(await secretsIn(texts)).toEqual(['simulators/ai/settings.js: gatehouse-credential']);
  });

  test('is at most 60 MB with all that it needs', () => {
    const entries = globSync('node_modules/**', { cwd: app }).map((file) => statSync(path.join(app, file)));
    const bytes = entries.reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0);
    console.log(`gatehouse-simulators and its dependencies: ${(bytes / megabyte).toFixed(1)} MB`);
    expect(bytes).toBeLessThanOrEqual(60 * megabyte);
  });
});

test('the first example of its README runs as it is written', async () => {
  const [, name = '', program = ''] = /```js\n\/\/ (\S+)\n([\s\S]*?)```/.exec(readme) ?? [];
  writeFileSync(path.join(app, name), program);
  const printed = await output(process.execPath, [name]);
  expect(printed).toMatch(/^ssh:\/\/127\.0\.0\.1:\d+ \{/);
  expect(printed).toContain("dst: '203.0.113.80'");
  expect(printed).toContain("kind: 'fault-armed'");
});

test('its declarations hold for the compiler, libraries included, and refuse what there is not', async () => {
  const program = `
    import { startAgents, startRouter, startUps } from 'gatehouse-simulators';
    await using router = await startRouter('vendor_a', { dialect: 'rtx830-mape', seed: 7 });
    router.fail('truncated', { command: 'show nat', afterBytes: 900, times: 1 });
    const url: URL = router.url;
    const port: number | undefined = router.flow({ src: '192.168.1.2', dst: '203.0.113.8', dport: 443 })?.entry.sport;
    await using ups = await startUps({ seed: 0 });
    const fingerprint: string = ups.fingerprint256;
    // @ts-expect-error There is no such fault.
    router.fail('toothache');
    // @ts-expect-error There is no such kind.
    await startRouter('vendor_c');
    // @ts-expect-error Agents need a hub.
    await startAgents({});
    export { fingerprint, port, url };`;
  writeFileSync(path.join(app, 'types.mts'), program);
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024'];
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  await output(process.execPath, [compiler, ...options, '--lib', 'esnext', '--types', 'node', 'types.mts']);
});

describe('its command', () => {
  test('says what it takes by its own name', async () => {
    const help = await output('npx', ['--no-install', 'gatehouse-simulators', '--help']);
    expect(help).toMatch(/^Usage: gatehouse-simulators KIND/);
    expect(help).not.toContain('gatehouse sim');
    const { code, stderr } = await runProgram(['--no-install', 'gatehouse-simulators', 'toaster'], {
      command: 'npx',
      cwd: app,
    });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^gatehouse-simulators: unknown kind "toaster"; the kinds are vendor_a, /),
    });
  });

  test('runs a scenario that is shipped', async () => {
    const words = ['--no-install', 'gatehouse-simulators', 'lab', 'quiet-home', '--speed', 'max'];
    expect(await output('npx', words)).toMatch(/^\{"name":"router","simulator":"vendor_a"/);
  });

  test('runs a router with sessions until SIGTERM', async () => {
    const words = ['--no-install', 'gatehouse-simulators', 'vendor_b', '--sessions', '500', '--port', '0'];
    await using program = startProgram(words, { command: 'npx', cwd: app, ownGroup: true });
    const [line] = await program.printed(/^\{.*\}$/m);
    const { control } = JSON.parse(line) as { control: string };
    const { sessions } = (await (await fetch(`${control}/state`)).json()) as { sessions: number };
    expect(sessions).toBeGreaterThanOrEqual(500);
    program.killGroup('SIGTERM');
    await program.ended;
    await expect(fetch(`${control}/state`)).rejects.toThrow();
  });
});

test.each(['vitest', 'node-test', 'shell'])('the example %s works from the tarball', async (name) => {
  const copy = at('examples', name);
  cpSync(path.join(root, 'examples', name), copy, { recursive: true });
  if (name === 'vitest') {
    const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
    writeFileSync(path.join(copy, 'readme.test.ts'), program);
  }
  await install(copy, '--no-save', tarball);
  expect(await output('npm', ['test'], { cwd: copy })).toMatch(name === 'vitest' ? /2 passed[\s\S]*3 passed/ : /./);
});
