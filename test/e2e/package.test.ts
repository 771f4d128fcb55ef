// The npm package as somebody gets it: built, installed in an empty folder without scripts, and each part of it used there.
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageVersion } from '#kernel/process/version.ts';
import { systemClock } from '#kernel/time/clock.ts';
import { startFeeds } from '#simulators/feeds/feeds.ts';
import { type HubProcess, startHubProcess } from '../support/hub-process.ts';
import { connectClient } from '../support/mcp-clients.ts';
import { olderNode } from '../support/older-node.ts';
import { type ProgramOptions, root, runProgram, startProgram } from '../support/program.ts';
import { secretsIn } from '../support/secret-scan.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openPage } from '../support/web-lab.ts';

const adminToken = 'token-of-the-installed-package';
const tarball = `gatehouse-${packageVersion()}.tgz`;

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const at = (...names: string[]) => path.join(folder.path, ...names);
const app = at('app');
/** The folder of the package as npm installed it. */
const installed = at('app/node_modules/gatehouse');
const installedCommand = path.join(installed, 'bin/gatehouse.js');

/** What a command prints; fails with its words when it does not end well. */
async function output(command: string, args: string[], options: ProgramOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await runProgram(args, { command, cwd: app, ...options });
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const build = (out: string, umask: string) =>
  output('sh', ['-c', `umask ${umask}; exec "$0" scripts/build-package.ts --out "$1"`, process.execPath, out], {
    cwd: root,
  });

beforeAll(async () => {
  await build(at('first'), '022');
  mkdirSync(app);
  await output('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', at('first', tarball)]);
});

test('two builds give the same bytes, whatever the umask is', async () => {
  await build(at('second'), '077');
  expect(readFileSync(at('second', tarball)).equals(readFileSync(at('first', tarball)))).toBe(true);
});

describe('the tarball', () => {
  const files = () =>
    globSync('**', { cwd: installed })
      .filter((file) => statSync(path.join(installed, file)).isFile() && !file.startsWith('node_modules/'))
      .sort();

  test('holds programs, their data, the built page, documents and lists, and nothing else', () => {
    const allowed = [
      /^(?:src|gate)\/[\w/-]+\.js$/,
      /^src\/(?:hub\/base|mcp)\/migrations\/\d{3}-[\w-]+\.sql$/,
      /^src\/hub\/identify\/enrichment\/embedded\/(?:enrichment\.bin\.zst|LICENCES\.md)$/,
      /^src\/hub\/analyse\/ai\/pricing\/catalog\.json$/,
      /^gate\/finds\.json$/,
      /^bin\/(?:compiled|gatehouse|upsget|launch)\.js$/,
      /^simulators\/main\.js$/,
      /^dist\/web\/(?:index\.html|assets\/[\w.-]+\.(?:js|css|svg|json)(?:\.br|\.gz)?)$/,
      /^docs\/(?:agent|ai|alerts|backup|blocking|gate|hub|mcp|metrics|operations|run|scale|upgrade|upsget)\.md$/,
      /^docs\/(?:quick-start-vendor-[ab]|troubleshooting-routers)\.md$/,
      /^docs\/(?:nginx\.conf|openapi\.json)$/,
      /^packaging\/gatehouse-(?:hub|mcp|agent)\.service$/,
      /^packaging\/monitoring\/gatehouse-(?:dashboard\.json|alerts\.yaml)$/,
      /^(?:README\.md|CHANGELOG\.md|NOTICES\.md|LICENSE|COMMIT|package\.json|npm-shrinkwrap\.json|sbom\.json)$/,
    ];
    expect(files().filter((file) => !allowed.some((pattern) => pattern.test(file)))).toEqual([]);
    expect(allowed.filter((pattern) => !files().some((file) => pattern.test(file)))).toEqual([]);
    expect(files().filter((file) => file.startsWith('src/web/'))).toEqual([]);
  });

  test('names no folder of the machine that built it, and holds no secret', async () => {
    const texts = files()
      .filter((file) => !/\.(?:zst|br|gz)$/.test(file))
      .map((file) => ({ file, text: readFileSync(path.join(installed, file), 'utf8') }));
    const told = texts.filter(({ text }) => text.includes(`${root}/`) || text.includes(folder.path));
    expect(told.map(({ file }) => file)).toEqual([]);
    expect(await secretsIn(texts)).toEqual([]);
  });

  test('has what npm can do with it: the versions of the lock by npm ci, in its unpacked folder', async () => {
    mkdirSync(at('unpacked'));
    await output('tar', ['xzf', at('first', tarball), '--strip-components=1', '-C', at('unpacked')]);
    await output('npm', ['ci', '--ignore-scripts', '--dry-run'], { cwd: at('unpacked') });
  });
});

describe('commands by npx', () => {
  test.each([
    [['gatehouse', '--version'], new RegExp(`^${packageVersion()}\n$`)],
    [['gatehouse', '--help'], /^Usage: gatehouse COMMAND/],
    [['upsget', '--help'], /^Usage: upsget/],
    [['gatehouse', 'agent', '--help'], /^Usage: gatehouse agent/],
    [['gatehouse', 'agent', 'enroll', '--help'], /^Usage: gatehouse agent/],
    [['gatehouse', 'backup', '--help'], /^Usage: gatehouse backup/],
    [['gatehouse', 'mcp', '--help'], /^Usage: gatehouse mcp/],
    [['gatehouse', 'gate', '--help'], /^Usage: gatehouse gate/],
    [['gatehouse', 'gate', 'explain', '--help'], /^Usage: gatehouse gate/],
  ] as const)('%j', async (words, pattern) => {
    expect(await output('npx', ['--no-install', ...words])).toMatch(pattern);
  });

  test('the simulators say where they are', async () => {
    const { code, stdout, stderr } = await runProgram(['--no-install', 'gatehouse', 'sim', 'ups'], {
      command: 'npx',
      cwd: app,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^gatehouse sim: the simulators are the package gatehouse-simulators: .*npx gatehouse-simulators KIND/m,
    );
  });

  const node = path.join(app, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
  test('an older Node goes on with the one that was installed beside it', async (context) => {
    if (process.platform !== 'linux') {
      context.skip('only Linux has a Node in an npm package');
    }
    expect(await output(node, ['--version'])).toMatch(/^v24\./);
    expect(await output(process.execPath, ['--import', olderNode, installedCommand, '--version'])).toBe(
      `${packageVersion()}\n`,
    );
  });
});

describe('the hub', () => {
  const dataDir = at('data');
  let hub: HubProcess;
  let feeds: Awaited<ReturnType<typeof startFeeds>>;
  beforeAll(async () => {
    feeds = await startFeeds({ clock: systemClock });
    const env = { MONITOR_THREAT_MIRROR: feeds.url.href, XDG_CACHE_HOME: at('cache') };
    hub = await startHubProcess({ dataDir, adminToken, env, command: installedCommand });
  });
  afterAll(async () => {
    await hub[Symbol.asyncDispose]();
    await feeds[Symbol.asyncDispose]();
  });

  test('is ready, and is of the commit that was built', async () => {
    await expect.poll(async () => (await hub.as.raw({ method: 'GET', path: '/readyz' })).status).toBe(200);
    const { version } = await hub.as.admin.status.status({});
    expect(version).toContain(packageVersion());
    expect(readFileSync(path.join(installed, 'COMMIT'), 'utf8')).toMatch(/^[0-9a-f]{40}\n$/);
  });

  test('describes its API with the document of the package', async () => {
    const pinned = JSON.parse(readFileSync(path.join(root, 'docs/openapi.json'), 'utf8'));
    expect(await hub.as.admin.status.openapi({})).toEqual(pinned);
  });

  test('answers reads of both kinds of threads', async () => {
    expect((await hub.as.admin.connections.list({ query: {} })).total).toBe(0);
    expect(await hub.as.admin.connections.summary({ query: {} })).toMatchObject({ total: 0 });
  });

  test('writes a note and reads it again', async () => {
    await hub.as.admin.notes.write({ body: { ip: '192.168.1.9', note: 'a note' } });
    expect(Object.values((await hub.as.admin.notes.list({})).notes)).toEqual(['a note']);
  });

  test('makes and verifies a backup in the thread of tasks', async () => {
    const { name } = await hub.as.admin.backup.create({ body: {} });
    const { backups } = await hub.as.admin.backup.list({});
    expect(backups.map((generation) => generation.name)).toContain(name);
  });

  test('builds the table of threats in its thread', async () => {
    await hub.as.admin.threat.saveFeedsConfig({ body: { authKey: feeds.authKey } });
    const states = async () =>
      (await hub.as.admin.threat.feeds({})).feeds.map(({ state, entries }) => [state, entries > 0]);
    await expect
      .poll(async () => (await states()).every(([state, hasEntries]) => state === 'ok' && hasEntries))
      .toBe(true);
    expect((await hub.as.admin.threat.feeds({})).available).toBe(true);
  });

  test('serves the page, which logs in, draws the map and finds all that it asks for', async () => {
    const password = readFileSync(path.join(dataDir, 'initial-password'), 'utf8').trim();
    await using browser = await openPage({ url: hub.url, clock: systemClock as never, password, dataDir });
    await browser.logIn();
    await browser.page.goto(browser.at('/map'));
    await browser.page.getByRole('navigation', { name: 'Places' }).waitFor();
  });

  test('is asked by assistants over stdio: eleven tools', async () => {
    const env = { MONITOR_URL: hub.url.href, MONITOR_TOKEN: adminToken };
    await using client = await connectClient('v2 modern', { args: [installedCommand, 'mcp'], env, cwd: app });
    expect(await client.list()).toHaveLength(11);
    expect((await client.call('get_threat_summary')).structuredContent).toMatchObject({ total: 0 });
  });

  test('has not complained, and ends by SIGTERM with 0', async () => {
    hub.program.kill('SIGTERM');
    expect(await hub.program.ended).toEqual({ code: 0, signal: null });
    expect(hub.program.stderr()).not.toMatch(/"level":[56]0|ERR_|thread.*(?:failed|ended)/);
  });

  test('its backup is verified by the installed command', async () => {
    expect(await output('npx', ['--no-install', 'gatehouse', 'backup', 'verify', '--data', dataDir])).not.toBe('');
  });
});

test('its checkpoints run in their thread', async () => {
  const module = pathToFileURL(path.join(installed, 'src/kernel/sqlite/checkpoint.js')).href;
  const program = `
    import { createCheckpointer } from ${JSON.stringify(module)};
    let failed = false;
    const checkpointer = createCheckpointer(${JSON.stringify(at('data/monitor.db'))}, () => (failed = true));
    checkpointer.ask();
    await checkpointer[Symbol.asyncDispose]();
    console.log(failed ? 'failed' : 'done');`;
  writeFileSync(at('checkpoint.mjs'), program);
  expect(await output(process.execPath, [at('checkpoint.mjs')])).toBe('done\n');
});

test('npx runs the hub from the tarball too, and ends it', async () => {
  const words = ['--no-install', 'gatehouse', 'hub', '--port', '0', '--data', at('data-of-npx')];
  await using hub = startProgram(words, {
    command: 'npx',
    cwd: app,
    ownGroup: true,
    env: { XDG_CACHE_HOME: at('cache'), MONITOR_THREAT_MIRROR: 'http://127.0.0.1:9/' },
  });
  await hub.printed(/^gatehouse hub ready http:\S+$/m);
  hub.killGroup('SIGTERM');
  await hub.ended;
});
