// docs/backup.md as an operator follows it at night: every command of it is run, on real files, with real programs.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { childEnv } from '#kernel/process/env.ts';
import { stopwatch } from '#kernel/time/clock.ts';
import { startRouter } from '#simulators/router/start.ts';
import { type Block, blocksIn } from '../support/documents/blocks.ts';
import { isRun } from '../support/documents/classes.ts';
import { eventually } from '../support/eventually.ts';
import { type HubProcess, startHubProcess } from '../support/hub-process.ts';
import { recordOf } from '../support/lab.ts';
import { root } from '../support/program.ts';
import { withPrograms } from '../support/real-programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const document = 'docs/backup.md';
const blocks = blocksIn(document).filter(isRun);

const run = new Set<Block>();

/** The block of this name, or those without one below a heading; they count as run. */
function take(which: { name: string } | { heading: string }): Block[] {
  const taken = blocks.filter((block) =>
    'name' in which ? block.name === which.name : block.name === '' && block.heading === which.heading,
  );
  expect(taken.length, JSON.stringify(which)).toBeGreaterThan(0);
  taken.forEach((block) => void run.add(block));
  return taken;
}

const adminToken = 'token-of-the-backup-document-test';

/** A hub that has polled a router, and a shell that runs blocks. */
async function startScene(hook?: (folder: string) => string) {
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(temporaryFolder());
  const [dataDir, bin, home] = ['data', 'bin', 'home'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const made of [bin, home, path.join(folder, 'offsite'), path.join(folder, 'etc')]) {
    mkdirSync(made);
  }
  const command = path.join(bin, 'gatehouse');
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${root}/bin/gatehouse.js' "$@"\n`, { mode: 0o755 });
  const program = hook?.(folder);
  const env = { HOME: home, ...(program === undefined ? {} : { MONITOR_BACKUP_HOOK: program }) };
  const router = stack.use(await startRouter('vendor_a', { sessions: 25, seed: 3 }));
  const state: { hub: HubProcess | null } = { hub: null };
  const start = async (dir = dataDir) => {
    state.hub = await startHubProcess({ dataDir: dir, adminToken, env });
    return state.hub;
  };
  const stop = async () => {
    state.hub?.program.kill('SIGTERM');
    await state.hub?.program.ended;
    await state.hub?.[Symbol.asyncDispose]();
    state.hub = null;
  };
  stack.defer(stop);
  const first = await start();
  await first.as.admin.routers.create({ body: recordOf(router, 'home') });
  const flows = async () => (await state.hub?.as.admin.connections.list({ query: { limit: '1' } }))?.total ?? 0;
  await eventually(flows, (count) => (count >= 25 ? count : undefined));
  const shell = (texts: readonly Block[], more: Record<string, string> = {}) => {
    const script = texts.map(({ text }) => placed(text, folder)).join('');
    const variables = { DATA: dataDir, HUB: state.hub?.url.origin ?? '', TOKEN: adminToken, HOME: home, ...more };
    const env = childEnv({ ...variables, PATH: `${bin}:${childEnv().PATH}` });
    const ended = spawnSync('bash', ['-euo', 'pipefail', '-c', script], { encoding: 'utf8', env });
    expect(ended.status, `${script}\n${ended.stdout}${ended.stderr}`).toBe(0);
    return ended.stdout;
  };
  const held = stack.move();
  return { folder, dataDir, shell, start, stop, flows, state, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

/** The places of the document, in a folder of the test. */
function placed(text: string, folder: string): string {
  return text.replaceAll('/mnt/offsite', `${folder}/offsite`).replaceAll('/etc/gatehouse', `${folder}/etc`);
}

const generations = (dataDir: string) =>
  readdirSync(path.join(dataDir, 'backups')).filter((name) => name.endsWith('.db'));

test('while the hub runs', async () => {
  await using scene = await startScene();
  const before = await scene.flows();
  const said = scene.shell(take({ heading: 'While the hub runs' }));
  expect(said).toMatch(/: ok$/m);
  expect(said.match(/Log in again/g)).toHaveLength(2);
  expect(await scene.flows()).toBeGreaterThanOrEqual(before);
  scene.shell(take({ name: 'prune' }));
});

test('on another machine, from the files alone', async () => {
  await using scene = await startScene();
  const before = await scene.flows();
  await scene.stop();
  scene.shell(take({ heading: 'When the hub is stopped' }));
  const [name = ''] = generations(scene.dataDir);
  const [generation, key] = [path.join(scene.folder, name), path.join(scene.folder, 'key')];
  copyFileSync(path.join(scene.dataDir, 'backups', name), generation);
  copyFileSync(path.join(scene.dataDir, 'secret.key'), key);
  const [newData, otherData] = [path.join(scene.folder, 'new'), path.join(scene.folder, 'other')];
  const elapsed = stopwatch();
  const said = scene.shell(take({ heading: 'On another machine, from the files alone' }), {
    ...{ KEY: key, GENERATION: generation, NEWDATA: newData, OTHERDATA: otherData },
  });
  expect(said).toMatch(/Enter these secrets again: .*routers\.0\.pass/);
  const hub = await scene.start(newData);
  console.log(`a restore on another machine, until the hub answers: ${Math.round(elapsed())} ms`);
  expect(await scene.flows()).toBe(before);
  // The password of the router came with it.
  await eventually(
    () => hub.as.admin.routers.list({}),
    ({ routers }) => routers.every(({ state }) => state === 'ready') || undefined,
  );
});

test('a damaged database', async () => {
  await using scene = await startScene();
  const before = await scene.flows();
  await scene.stop();
  const file = path.join(scene.dataDir, 'monitor.db');
  const bytes = readFileSync(file);
  // A page in the middle.
  bytes.fill(0, 20 * 4096, 21 * 4096);
  writeFileSync(file, bytes);
  const said = scene.shell(take({ heading: 'A damaged database' }));
  expect(said).toContain('They are in the generation');
  await scene.start();
  expect(await scene.flows()).toBeGreaterThan(before / 2);
  await scene.stop();
  truncateSync(file, 8192);
  await scene.start();
  expect(await scene.flows()).toBeGreaterThan(before / 2);
});

describe('another place, by itself', () => {
  const hookOf = (which: string) => (folder: string) => {
    const file = path.join(folder, 'etc', 'backup-hook');
    const [block] = take({ name: which });
    writeFileSync(file, placed(block?.text ?? '', folder));
    chmodSync(file, 0o700);
    return file;
  };

  withPrograms('restic rclone', ['restic', 'rclone'], () => {
    test.each([
      [
        'restic',
        (folder: string) => {
          writeFileSync(path.join(folder, 'etc/restic-password'), 'a password of the test\n');
          const repository = [
            '-r',
            path.join(folder, 'offsite/gatehouse'),
            '-p',
            path.join(folder, 'etc/restic-password'),
          ];
          return ['restic', ['init', ...repository]] as const;
        },
      ],
      [
        'rclone',
        (folder: string) =>
          ['rclone', ['config', 'create', 'offsite', 'alias', 'remote', path.join(folder, 'offsite')]] as const,
      ],
    ])('%s takes it there and back', async (which, prepare) => {
      await using scene = await startScene((folder) => {
        const [program, args] = prepare(folder);
        const ended = spawnSync(program, args, {
          encoding: 'utf8',
          env: childEnv({ HOME: path.join(folder, 'home') }),
        });
        expect(ended.status, ended.stderr).toBe(0);
        return hookOf(which)(folder);
      });
      const before = await scene.flows();
      await scene.state.hub?.as.admin.backup.create({ body: {} });
      const hook = await eventually(
        async () => (await scene.state.hub?.as.admin.backup.list({}))?.hook,
        (seen) => (seen?.running === false && seen.endedAt !== null ? seen : undefined),
      );
      expect(hook.error).toBe(null);
      const back = path.join(scene.folder, 'back');
      await scene.stop();
      scene.shell(take({ name: `${which}-back` }), { BACK: back });
      await scene.start();
      expect(await scene.flows()).toBe(before);
    });
  });
});

test('no command of the document was left out', (context) => {
  if (spawnSync('restic', ['version']).error !== undefined) {
    context.skip('restic is not installed: its commands were not run');
  }
  expect(blocks.filter((block) => !run.has(block))).toEqual([]);
});
