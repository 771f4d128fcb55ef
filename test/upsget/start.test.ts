// How upsget starts: alone, without packages, on a Node that fits, and without loading what it does not use.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startBroker } from '#simulators/mqtt/broker.ts';
import { root } from '../support/program.ts';
import { startUpsLab } from '../support/ups-lab.ts';
import { copyOfUpsget, newHome, runUpsget, withoutPrograms } from '../support/upsget.ts';
import { verifies } from '../support/verifies.ts';

verifies('card.ships.upsget ups.run.single-program', 'prints values without node_modules', async () => {
  await using lab = await startUpsLab({ settings: { locale: 'ja' } });
  const copy = copyOfUpsget();
  const result = await runUpsget(['--json'], { ups: lab.ups, root: copy });
  expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('"load":"19.0"'), stderr: '' });
  expect(readdirSync(copy).sort()).toEqual(['bin', 'package-lock.json', 'package.json', 'src']);
});

verifies('ups.run.single-program', 'its files import Node.js and each other, nothing else', () => {
  // What hub and upsget share is copied with it.
  const folders = [path.join(root, 'src/upsget'), path.join(root, 'src/kernel/mqtt')];
  const specifiers = folders.flatMap((folder) =>
    readdirSync(folder).flatMap((name) =>
      [
        ...readFileSync(path.join(folder, name), 'utf8').matchAll(
          /^(?!import type ).*?(?:from|import\()\s*'([^']+)'/gm,
        ),
      ].map(([, one = '']) => one),
    ),
  );
  expect(specifiers.length).toBeGreaterThan(100);
  expect(specifiers.filter((one) => !/^(?:node:|\.\/|#kernel\/mqtt\/)/.test(one))).toEqual([]);
});

test('the library is found by NODE_PATH, and one that is there and cannot be loaded is said to be', async () => {
  await using lab = await startUpsLab();
  await using broker = await startBroker();
  const broken = newHome();
  mkdirSync(path.join(broken, 'mqtt'));
  writeFileSync(path.join(broken, 'mqtt/index.js'), "throw new Error('half of it is missing');");
  const copy = copyOfUpsget();
  const run = (folder: string) =>
    runUpsget(['--mqtt-send', '127.0.0.1', '--mqtt-port', broker.url.port], {
      ...{ ups: lab.ups, env: { ...withoutPrograms, NODE_PATH: folder }, root: copy },
    });
  expect(await run(broken)).toMatchObject({
    ...{
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Error: .* failed: the library "mqtt" cannot be loaded: half of it is missing\n$/),
    },
  });
  expect(broker.messages).toEqual([]);
  expect(await run(path.join(root, 'node_modules'))).toMatchObject({ code: 0, stderr: '' });
  expect(broker.messages).toHaveLength(1);
  expect(lab.ups.state()).toMatchObject({ loggedOn: 0 });
});

/** Makes this Node say that it is an older one, to the first process only. */
const olderNode = `data:text/javascript,Object.defineProperties(process, {
  versions: { value: { ...process.versions, node: '20.19.0' } }, version: { value: 'v20.19.0' } })`;

test('an older Node goes on with the one that npm ci brings, and says what is missing without it', async () => {
  const copy = copyOfUpsget();
  const alone = await runUpsget(['--version'], { root: copy, node: ['--import', olderNode] });
  expect(alone).toMatchObject({
    code: 78,
    stdout: '',
    stderr: expect.stringMatching(/^Gatehouse needs Node\.js 24 or newer; this is v20\.19\.0\.[^\n]*\n$/),
  });
  const bundled = path.join(copy, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin');
  mkdirSync(bundled, { recursive: true });
  symlinkSync(process.execPath, path.join(bundled, 'node'));
  const found = await runUpsget(['--version'], { root: copy, node: ['--import', olderNode] });
  expect(found).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d/) });
});

/** The modules a run loads: those of Node.js beyond the ones it starts with, and ours. */
async function loadedBy(args: readonly string[], options: Parameters<typeof runUpsget>[1]) {
  const probe = path.join(newHome(), 'probe.mjs');
  const target = path.join(newHome(), 'loaded.json');
  writeFileSync(
    probe,
    `import { registerHooks } from 'node:module';
     import { writeFileSync } from 'node:fs';
     const before = new Set(process.moduleLoadList);
     const ours = [];
     registerHooks({ load(url, context, next) { if (url.startsWith('file:')) ours.push(url.replace(/.*\\//, '')); return next(url, context); } });
     process.on('exit', () => writeFileSync(${JSON.stringify(target)}, JSON.stringify({ ours,
       node: process.moduleLoadList.filter((name) => !before.has(name)).map((name) => name.replace('NativeModule ', '')) })));`,
  );
  const { code } = await runUpsget(args, { ...options, node: ['--import', probe] });
  return { code, ...(JSON.parse(readFileSync(target, 'utf8')) as { ours: string[]; node: string[] }) };
}

test('--help loads neither the network nor the readers', async () => {
  const { code, ours, node } = await loadedBy(['--help'], {});
  expect(code).toBe(0);
  expect(ours.sort()).toEqual(
    [
      'compiled.js',
      'upsget.js',
      'main.ts',
      'failure.ts',
      'options.ts',
      'fingerprint.ts',
      'items.ts',
      'limits.ts',
      'terminal.ts',
      'usage.ts',
      'visible-text.ts',
    ].sort(),
  );
  expect(node.filter((name) => ['tls', 'https', 'http', 'child_process', 'crypto', 'zlib'].includes(name))).toEqual([]);
});

test('--json loads no sender, no other format and nothing to unpack', async () => {
  await using lab = await startUpsLab({ settings: { locale: 'ja' } });
  const { code, ours, node } = await loadedBy(['--json'], { ups: lab.ups });
  expect(code).toBe(0);
  const unused = /mqtt|trapper|command|prometheus|nut|discovery|availability|snapshot|watch|usage|version|pin|launch/;
  expect(ours.filter((name) => unused.test(name))).toEqual([]);
  expect(node.filter((name) => ['zlib', 'http2', 'readline', 'module'].includes(name))).toEqual([]);
});

test('the compiled program is stored in the cache of the user', async () => {
  const home = newHome();
  const env = { XDG_CACHE_HOME: '', NODE_COMPILE_CACHE: '' };
  await runUpsget(['--version'], { home, env });
  expect(readdirSync(path.join(home, '.cache/upsget'))).toHaveLength(1);
  const readOnly = await runUpsget(['--version'], { home: '/proc/nowhere', env });
  expect(readOnly).toMatchObject({ code: 0, stderr: '' });
});
