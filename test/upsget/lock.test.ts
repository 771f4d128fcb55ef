// The lock that keeps two upsget apart: nobody else can hold it, and it ends with its process.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { startUpsLab, type UpsLab } from '../support/ups-lab.ts';
import {
  hasLockOpen,
  listRequests,
  newHome,
  runUpsget,
  startUpsget,
  type UpsgetOptions,
  waitForRequests,
} from '../support/upsget.ts';

const uid = process.getuid?.() ?? -1;

/** A folder for this user alone. */
function privateFolder(): string {
  const folder = newHome();
  chmodSync(folder, 0o700);
  return folder;
}

/** A computer without a runtime folder of the user: the folder below the temporary one is used. */
function withoutRuntimeFolder(temporary: string): Record<string, string> {
  return { XDG_RUNTIME_DIR: newHome(), TMPDIR: temporary };
}

/** One that reads and is not answered. */
async function startHanging(lab: UpsLab, options: UpsgetOptions) {
  lab.ups.fail('hang', { command: '/status', times: 1 });
  const program = startUpsget([], { ups: lab.ups, ...options });
  await waitForRequests(lab.ups, 1);
  return program;
}

test.runIf(process.platform === 'linux')('a socket under a name that can be guessed stops nobody', async () => {
  await using lab = await startUpsLab();
  const id = createHash('sha256').update(lab.ups.url.host.toLowerCase()).digest('hex').slice(0, 32);
  const stranger = createServer((socket) => void socket.resume()).listen(`\0upsget-${id}`);
  await once(stranger, 'listening');
  try {
    await using program = startUpsget([], { ups: lab.ups });
    await program.printed(/^19\.0\n/);
    expect(await program.ended).toEqual({ code: 0, signal: null });
  } finally {
    stranger.close();
  }
});

describe.each([
  ['in the runtime folder of the user', () => ({ XDG_RUNTIME_DIR: privateFolder() })],
  ['in the temporary folder', () => withoutRuntimeFolder(privateFolder())],
])('%s', (_where, environment) => {
  test('a second one waits, and goes on when the first one is killed', async () => {
    await using lab = await startUpsLab();
    const env = environment();
    await using first = await startHanging(lab, { env });
    await using second = startUpsget([], { ups: lab.ups, env });
    await expect.poll(() => hasLockOpen(second)).toBe(true);
    expect(listRequests(lab.ups)).toHaveLength(1);
    first.kill('SIGKILL');
    expect(await second.ended).toEqual({ code: 0, signal: null });
    expect(second.stdout()).toBe('19.0\n');
    expect(second.stderr()).toBe('');
  });
});

test('the folder below the temporary one is for this user alone', async () => {
  await using lab = await startUpsLab();
  const temporary = privateFolder();
  expect(await runUpsget([], { ups: lab.ups, env: withoutRuntimeFolder(temporary) })).toMatchObject({ code: 0 });
  expect(readdirSync(temporary)).toEqual([`upsget-${uid}`]);
  expect(lstatSync(path.join(temporary, `upsget-${uid}`)).mode & 0o777).toBe(0o700);
});

describe('a folder that may be somebody else’s is refused with what to do', () => {
  const refused = (folder: string, because: RegExp) => ({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(`^Error: .*${folder}.*${because.source}.*XDG_RUNTIME_DIR.*mode 700[^\\n]*\\n$`),
    ),
  });
  const plantedAt = (temporary: string) => path.join(temporary, `upsget-${uid}`);

  test('a symbolic link', async () => {
    await using lab = await startUpsLab();
    const temporary = privateFolder();
    symlinkSync(privateFolder(), plantedAt(temporary));
    const result = await runUpsget([], { ups: lab.ups, env: withoutRuntimeFolder(temporary) });
    expect(result).toMatchObject(refused(plantedAt(temporary), /is no folder/));
    expect(listRequests(lab.ups)).toEqual([]);
  });

  test('one that others can write to', async () => {
    await using lab = await startUpsLab();
    const temporary = privateFolder();
    mkdirSync(plantedAt(temporary));
    chmodSync(plantedAt(temporary), 0o770);
    const result = await runUpsget([], { ups: lab.ups, env: withoutRuntimeFolder(temporary) });
    expect(result).toMatchObject(refused(plantedAt(temporary), /is open to other users/));
  });

  test.runIf(uid === 0)('one of another user', async () => {
    await using lab = await startUpsLab();
    const temporary = privateFolder();
    mkdirSync(plantedAt(temporary), { mode: 0o700 });
    chownSync(plantedAt(temporary), 65_534, 65_534);
    const result = await runUpsget([], { ups: lab.ups, env: withoutRuntimeFolder(temporary) });
    expect(result).toMatchObject(refused(plantedAt(temporary), /belongs to another user/));
  });
});

/** As the first versions of Node.js 24: the module says that it is new when it is loaded. */
const withWarning = `data:text/javascript,const { getBuiltinModule } = process;
  process.getBuiltinModule = (name) => {
    if (name === 'node:sqlite') process.emitWarning('SQLite is an experimental feature', 'ExperimentalWarning');
    return getBuiltinModule(name);
  };`;

test('a Node.js that calls SQLite experimental prints no warning of it', async () => {
  await using lab = await startUpsLab();
  const result = await runUpsget([], { ups: lab.ups, node: ['--import', withWarning] });
  expect(result).toMatchObject({ code: 0, stdout: '19.0\n', stderr: '' });
});
