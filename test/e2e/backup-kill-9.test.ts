// Restore, backup, migration and cleanup are killed, or refused by the disk, at every system call that changes a file: the
// next start has the old data or the new, whole, and nothing is left lying about.
import { cpSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, expect, test } from 'vitest';
import { generationName } from '#hub/storage/backup/generation-name.ts';
import { readInventory } from '#hub/storage/backup/inventory.ts';
import { openDataFolder } from '#hub/storage/data-folder.ts';
import { prepareStorage } from '#hub/storage/start.ts';
import { systemClock } from '#kernel/clock.ts';
import { childEnv } from '#kernel/env.ts';
import { createLog } from '#kernel/log.ts';
import { migrate } from '#kernel/sqlite.ts';
import { dayMs } from '#kernel/time.ts';
import {
  canTrace,
  contentOf,
  copyWorld,
  makeWorld,
  runWithFault,
  sideAfterStart,
  type World,
} from '../support/backup-faults.ts';
import { root } from '../support/program.ts';
import { makeFolder } from '../support/temporary-folder.ts';

const state: { world: World; folder: string; cases: Record<string, number> } = {
  world: { folder: '', name: '', adminToken: '', new: '' },
  folder: '',
  cases: {},
};

beforeAll(async () => {
  state.world = await makeWorld();
  state.folder = makeFolder('backup-kill');
  return () => {
    const sum = Object.values(state.cases).reduce((all, one) => all + one, 0);
    console.log(`backup faults at system calls: ${sum} cases (${JSON.stringify(state.cases)})`);
    for (const folder of [state.folder, state.world.folder]) {
      rmSync(folder, { recursive: true, force: true });
    }
  };
});

/** System calls that change files, and how far apart the tried ones lie. */
const calls = { rename: 1, unlink: 1, fsync: 1, ftruncate: 1, pwrite64: 6, write: 3 };
const program = 'test/support/storage-program.ts';

type Judge = (dataDir: string, isOver: boolean, said: string) => Promise<string>;

/** Kills or fails the program at one call after another until it comes to its end; resolves to how often each outcome was. */
async function throughAll(
  what: string,
  words: (dataDir: string) => string[],
  prepare: (dataDir: string) => void,
  judge: Judge,
  faults: readonly ('kill' | 'EIO' | 'ENOSPC')[] = ['kill'],
): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  const dataDir = path.join(state.folder, 'data');
  for (const fault of faults) {
    for (const [call, step] of Object.entries(calls)) {
      for (let at = 1; at < 1000; at += fault === 'kill' ? step : 8 * step) {
        prepare(copyWorld(state.world, dataDir));
        const { isOver, said } = runWithFault(words(dataDir), { call, at, fault });
        const outcome = await judge(dataDir, isOver, said).catch((error: unknown) => {
          throw new Error(`${what}, ${fault} at ${call} ${at}: ${String(error)}\n${said}`, { cause: error });
        });
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        state.cases[what] = (state.cases[what] ?? 0) + 1;
        if (isOver && fault === 'kill') {
          break;
        }
        if (isOver && fault !== 'kill' && at > 8 * step * 4) {
          break;
        }
      }
    }
  }
  return outcomes;
}

const isRequired = childEnv().REQUIRE_REAL === '1';
const traced = (name: string, body: () => Promise<void>) =>
  test(name, async (context) => {
    if (!isRequired && !canTrace()) {
      context.skip(
        'strace is not installed or may not trace: apt-get install strace (REQUIRE_REAL=1 makes this a failure)',
      );
    }
    await body();
  });

traced('a restore ends with the old data or the new', async () => {
  const words = (dataDir: string) => ['src/main.ts', 'backup', 'restore', state.world.name, '--data', dataDir];
  const judge: Judge = async (dataDir, isOver, said) => {
    const side = await sideAfterStart(state.world, dataDir);
    if (isOver) {
      expect(said).toContain('What it was before is the generation');
      expect(side).toBe('new');
    }
    return side;
  };
  const outcomes = await throughAll('restore', words, () => undefined, judge, ['kill', 'EIO', 'ENOSPC']);
  expect(Math.min(outcomes.old ?? 0, outcomes.new ?? 0)).toBeGreaterThan(10);
});

traced('a restore over a damaged database ends with that one or the new data', async () => {
  const words = (dataDir: string) => ['src/main.ts', 'backup', 'restore', state.world.name, '--data', dataDir];
  const cut = (dataDir: string) => truncateSync(path.join(dataDir, 'monitor.db'), 40_960);
  // The start itself takes the generation when the restore had not come that far.
  const outcomes = await throughAll('restore over damage', words, cut, async (dataDir) => {
    const side = await sideAfterStart(state.world, dataDir);
    expect(readdirSync(dataDir).filter((name) => name.includes('.damaged-'))).toHaveLength(1);
    return side;
  });
  expect(Object.keys(outcomes)).toEqual(['new']);
});

traced('a backup is there whole or not at all', async () => {
  const words = (dataDir: string) => ['src/main.ts', 'backup', 'create', '--data', dataDir];
  const judge: Judge = async (dataDir, isOver) => {
    expect(await sideAfterStart(state.world, dataDir)).toBe('old');
    const made = readInventory(path.join(dataDir, 'backups')).length;
    expect(made === 2 || !isOver).toBe(true);
    return `${made - 1}`;
  };
  const outcomes = await throughAll('create', words, () => undefined, judge, ['kill', 'ENOSPC']);
  expect(Object.keys(outcomes).sort()).toEqual(['0', '1']);
});

traced('a migration is done or not begun', async () => {
  const steps = path.join(state.folder, 'steps');
  cpSync(path.join(root, 'src/hub/migrations'), steps, { recursive: true });
  for (const name of readdirSync(steps).filter((step) => step > '017')) {
    rmSync(path.join(steps, name));
  }
  const older = path.join(state.folder, 'older.db');
  migrate(older, steps);
  const versionOf = (file: string) => {
    // Not read-only: an interrupted transaction is undone by whoever opens it.
    const db = new Database(file);
    const version = Number(db.pragma('user_version', { simple: true }));
    db.close();
    return version;
  };
  const prepare = (dataDir: string) => cpSync(older, path.join(dataDir, 'monitor.db'));
  const before = contentOf(older);
  const outcomes = await throughAll(
    'migration',
    (dataDir) => [program, 'start', dataDir],
    prepare,
    async (dataDir) => {
      const file = path.join(dataDir, 'monitor.db');
      // The start after it sees the file as it was left.
      const left = path.join(state.folder, 'left');
      cpSync(dataDir, left, { recursive: true });
      const version = versionOf(path.join(left, 'monitor.db'));
      rmSync(left, { recursive: true });
      const copies = readInventory(path.join(dataDir, 'backups')).filter(({ kind }) => kind === 'migration');
      expect(version === 16 || copies.length > 0).toBe(true);
      expect(copies.every((copy) => versionOf(copy.file) === 16)).toBe(true);
      {
        using folder = openDataFolder({ dataDir, log: createLog('hub', 'silent') });
        await prepareStorage({ folder, clock: systemClock, log: createLog('hub', 'silent') });
      }
      expect([versionOf(file), contentOf(file)]).toEqual([17, before]);
      return String(version);
    },
  );
  expect(Object.keys(outcomes).sort()).toEqual(['16', '17']);
});

traced('a cleanup leaves whole generations, and those that must stay', async () => {
  const names: string[] = [];
  const prepare = (dataDir: string) => {
    const folder = path.join(dataDir, 'backups');
    names.splice(0);
    for (const age of [1, 2, 3, 4]) {
      const name = generationName(Date.UTC(2026, 0, 10) - age * dayMs);
      cpSync(path.join(folder, state.world.name), path.join(folder, name));
      names.push(name);
    }
  };
  const outcomes = await throughAll(
    'prune',
    (dataDir) => [program, 'prune', dataDir],
    prepare,
    async (dataDir) => {
      expect(await sideAfterStart(state.world, dataDir)).toBe('old');
      const left = readInventory(path.join(dataDir, 'backups')).map(({ name }) => name);
      expect(left).toEqual(expect.arrayContaining([names[0], state.world.name]));
      return String(left.length);
    },
  );
  expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(['2', '5']));
});
