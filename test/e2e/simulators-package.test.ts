// The package `gatehouse-simulators` as somebody gets it: built, installed in an empty folder, and used there as its README says.
import { cpSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { childEnv } from '#kernel/process/env.ts';
import { packageVersion } from '#kernel/process/version.ts';
import { findEngine, skippedSentence } from '../containers/engine.ts';
import { startProcessEngine } from '../support/process-engine.ts';
import { type ProgramOptions, root, runProgram, startProgram } from '../support/program.ts';
import { python, withPython } from '../support/real-programs.ts';
import { secretsIn } from '../support/secret-scan.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { verifies } from '../support/verifies.ts';

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
/** What was fetched for one example is not asked for again by the next. */
const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
const install = (cwd: string, ...args: string[]) => output('npm', ['install', ...quiet, ...args], { cwd });

/** Fails with the compiler's words when the files, or the declarations that they import, are wrong. */
const compile = (cwd: string, ...args: string[]) => {
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024'];
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  return output(process.execPath, [compiler, ...options, '--lib', 'esnext', '--types', 'node', ...args], { cwd });
};

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
      /^src\/(?:kernel|capture)\/[\w/-]+\.(?:js|d\.ts)$/,
      /^bin\/(?:compiled|gatehouse-simulators|launch)\.js$/,
      /^fixtures\/ups\/(?:README\.md|[\d.]+\/[\w-]+(?:\.\w\w)?\.html)$/,
      /^(?:README\.md|CHANGELOG\.md|Containerfile|LICENSE|COMMIT|package\.json|sbom\.json)$/,
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
  await compile(app, 'types.mts');
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

/** Runs `npm test` of an example in a folder of its own, with the packages installed; resolves to what it prints. */
async function runExample(
  name: string,
  packages: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  const copy = at('examples', name);
  cpSync(path.join(root, 'examples', name), copy, { recursive: true });
  if (name === 'vitest') {
    const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
    writeFileSync(path.join(copy, 'readme.test.ts'), program);
  }
  await install(copy, '--no-save', ...packages);
  return output('npm', ['test'], { cwd: copy, env });
}

test.each([
  ['vitest', /2 passed[\s\S]*3 passed/],
  ['node-test', /pass 1/],
  ['shell', /./],
])('the example %s works from the tarball', async (name, said) => {
  expect(await runExample(name, [tarball])).toMatch(said);
});

test('the example home-assistant works from both tarballs', async () => {
  const both = [tarball, tarball.replace('gatehouse-simulators-', 'gatehouse-')];
  expect(await runExample('home-assistant', both)).toMatch(/pass 1/);
});

withPython('python3-pytest python3-netmiko', ['pytest', 'netmiko'], () => {
  test('the example pytest-netmiko works from the tarball', async () => {
    expect(await runExample('pytest-netmiko', [tarball], { PYTHON: python })).toContain('2 passed');
  });
});

describe('the example testcontainers', () => {
  const image = `gatehouse-simulators:${packageVersion()}`;
  const copy = at('examples/testcontainers');
  const socket = at('engine.sock');
  const program = path.join(installed, 'bin/gatehouse-simulators.js');
  const env = {
    DOCKER_HOST: `unix://${socket}`,
    TESTCONTAINERS_HOST_OVERRIDE: '127.0.0.1',
    // The container that removes others after a crash has nothing to remove here.
    TESTCONTAINERS_RYUK_DISABLED: 'true',
  };

  verifies('sim.router.container', 'runs its command as a process, where the engine only speaks as one', async () => {
    await using engine = await startProcessEngine({ socket, image, program });
    expect(await runExample('testcontainers', [tarball], env)).toMatch(/pass 1/);
    const options = '--dialect isr-xe16 --seed 7 --sessions 40';
    expect(engine.created).toEqual([
      expect.objectContaining({
        Image: image,
        Cmd: `vendor_b --host 0.0.0.0 --port 2222 --control-port 2932 ${options}`.split(' '),
        Env: ['SIM_ALLOW_NON_LOOPBACK=true'],
        ExposedPorts: { '2222/tcp': {}, '2932/tcp': {} },
      }),
    ]);
  });

  test('says how to build its image where the engine has none, and pulls nothing', async () => {
    await using _engine = await startProcessEngine({ socket, image: 'another:1', program });
    const { code, stdout } = await runProgram(['test'], { command: 'npm', cwd: copy, env });
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringMatching(
        /gatehouse-simulators:\S+" does not exist locally.*build it with the Containerfile/,
      ),
    });
  });

  test('its declarations hold beside those of testcontainers', async () => {
    const program = `
      import { RouterContainer } from 'gatehouse-simulators/testcontainers';
      import type { StartedTestContainer } from 'testcontainers';
      const router = await new RouterContainer('vendor_a', { seed: 7 }).withStartupTimeout(9000).start();
      const started: StartedTestContainer = router;
      const url: URL = router.url;
      const enable: string | null = router.credentials.enable;
      // @ts-expect-error There is no such kind.
      new RouterContainer('vendor_c');
      export { enable, started, url };`;
    writeFileSync(path.join(copy, 'types.mts'), program);
    await compile(copy, '--allowImportingTsExtensions', 'types.mts', 'router.test.ts');
  });

  test('runs on a container engine', async (context) => {
    const engine = await findEngine(childEnv());
    if ('tried' in engine) {
      expect(childEnv().REQUIRE_CONTAINERS, skippedSentence(engine)).not.toBe('1');
      context.skip(skippedSentence(engine));
      return;
    }
    const host = { DOCKER_HOST: engine.host };
    const build = `require('testcontainers').GenericContainer.fromDockerfile(process.argv[1], 'Containerfile').build('${image}', { deleteOnExit: false })`;
    cpSync(path.join(installed, 'Containerfile'), at('first/Containerfile'));
    await output(process.execPath, ['-e', build, at('first')], { cwd: copy, env: host });
    expect(await output('npm', ['test'], { cwd: copy, env: host })).toMatch(/pass 1/);
  });
});

describe('the examples for containers', () => {
  const readExample = (file: string) => parse(readFileSync(path.join(root, 'examples', file), 'utf8'));
  const imageCommand = (): string[] =>
    JSON.parse(
      /^CMD (\[.*\])$/m.exec(readFileSync(path.join(root, 'examples/compose/Containerfile'), 'utf8'))?.[1] ?? '',
    );
  const workflow = () => readExample('github-actions/workflow.yml').jobs.test;

  test('compose.yaml holds against the schema of compose', () => {
    const { $schema: _, ...schema } = JSON.parse(
      readFileSync(path.join(root, 'fixtures/compose/compose.schema.json'), 'utf8'),
    );
    const validate = new Ajv({ strict: false, formats: { duration: true } }).compile(schema);
    expect(validate(readExample('compose/compose.yaml')), JSON.stringify(validate.errors)).toBe(true);
  });

  test.each([
    ['compose', () => readExample('compose/compose.yaml').services.router.command as string[]],
    ['github-actions', () => imageCommand()],
  ])('the command of the router in %s starts one; the steps of the job run against it', async (_name, command) => {
    // Without an engine: the same words on loopback and free ports, by the program that is in the image.
    const words = command()
      .join(' ')
      .replace('0.0.0.0', '127.0.0.1')
      .replaceAll(/(port) \d+/g, '$1 0')
      .split(' ');
    const program = path.join(installed, 'bin/gatehouse-simulators.js');
    await using router = startProgram([program, ...words], { cwd: app });
    const [line] = await router.printed(/^\{.*\}$/m);
    const { control } = JSON.parse(line) as { control: string };
    for (const { run } of workflow().steps as { run: string }[]) {
      await output('sh', ['-ec', run.replaceAll('http://127.0.0.1:2932', control)]);
    }
  });

  test('the ports that others use are those of the router', () => {
    const ports = (words: string) => [...words.matchAll(/port (\d+)/g)].map(([, port]) => `${port}:${port}`);
    expect(workflow().services.router.ports).toEqual(ports(imageCommand().join(' ')));
    const { router, test: tester } = readExample('compose/compose.yaml').services;
    expect(JSON.stringify([router.healthcheck, tester.command]).match(/:\d{4}/g)).toEqual([':2932', ':2932']);
    expect(router.command.join(' ')).toContain('--control-port 2932');
  });
});
