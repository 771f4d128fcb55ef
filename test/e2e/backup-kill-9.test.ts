// Restore, backup, migration and cleanup are killed, or refused by the disk, at every system call that changes a file: the
// next start has the old data or the new, whole, and nothing is left lying about. `npm run test:e2e` tries a few calls of each kind.
import { cpSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { createGenerationName } from '#hub/base/storage/backup/generation-name.ts';
import { readInventory } from '#hub/base/storage/backup/inventory.ts';
import { readNewestSchema } from '#hub/base/storage/product.ts';
import { childEnv } from '#kernel/process/env.ts';
import { dayMs } from '#kernel/time/time.ts';
import {
  canTrace,
  contentAsIn,
  contentOf,
  copyWorld,
  countCalls,
  olderDatabase,
  runWithFault,
  type SystemCallFault,
  served,
} from '../support/backup-faults.ts';
import { faultScene } from '../support/fault-scene.ts';
import { runs } from '../support/property-runs.ts';

const state = faultScene('at system calls');

const every = Number.POSITIVE_INFINITY;

/** How many calls of each kind are tried, from the first to the last; these change files, the others read. */
const changingCalls = {
  rename: runs(4, every),
  unlink: runs(4, every),
  fsync: runs(5, every),
  ftruncate: runs(2, every),
  pwrite64: runs(4, 24),
  write: runs(2, 16),
};
const readingCalls = { openat: runs(2, 24), pread64: runs(2, 16), read: runs(2, 16) };
const program = 'test/support/storage-program.ts';

type Fault = SystemCallFault['fault'];
type Judge = (dataDir: string, isOver: boolean, said: string) => Promise<string>;

interface Scene {
  what: string;
  words: (dataDir: string) => string[];
  /** Changes the copy of the world before each run. */
  prepare?: (dataDir: string) => void;
  judge: Judge;
  faults: readonly Fault[];
}

/** Kills or fails the program at calls that its undisturbed run makes; resolves to how often each outcome was. */
async function throughAll({ what, words, prepare, judge, faults }: Scene): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  const dataDir = path.join(state.folder, 'data');
  const compiled = path.join(state.folder, 'compiled');
  const tryOne = async (name: string, run: () => { isOver: boolean; said: string }) => {
    copyWorld(state.world, dataDir);
    prepare?.(dataDir);
    const { isOver, said } = run();
    const outcome = await judge(dataDir, isOver, said).catch((error: unknown) => {
      throw new Error(`${what}, ${name}: ${String(error)}\n${said}`, { cause: error });
    });
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    state.count(what);
  };
  const calls = { ...changingCalls, ...readingCalls };
  let made: Readonly<Record<string, number>> = {};
  // What Node compiles in the first run is kept in files, whose calls are none of the program's work.
  for (const time of ['first', 'second']) {
    await tryOne(`undisturbed, the ${time} time`, () => {
      const { counts, said } = countCalls(words(dataDir), Object.keys(calls), compiled);
      made = counts;
      return { isOver: true, said };
    });
  }
  for (const fault of faults.slice(0, runs(2, faults.length))) {
    const most = fault === 'EIO' ? calls : changingCalls;
    for (const [call, wanted] of Object.entries(most)) {
      // A program that is killed leaves its files at any point; one whose call fails mostly gives up in one way.
      for (const at of spread(made[call] ?? 0, fault === 'kill' ? wanted : Math.ceil(wanted / 2))) {
        await tryOne(`${fault} at ${call} ${at}`, () => runWithFault(words(dataDir), { call, at, fault }, compiled));
      }
    }
  }
  return outcomes;
}

/** At most `wanted` of the numbers from 1 to `last`, evenly apart, both ends among them; the last alone when one is wanted. */
function spread(last: number, wanted: number): number[] {
  const many = Math.min(last, wanted);
  return Array.from({ length: many }, (_, index) => last - Math.floor((index * (last - 1)) / Math.max(1, many - 1)));
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

const restoreWords = (dataDir: string) => ['src/main.ts', 'backup', 'restore', state.world.name, '--data', dataDir];

traced('a restore ends with the old data or the new', async () => {
  const judge: Judge = async (dataDir, isOver, said) => {
    const { side } = await served(state.world, dataDir);
    if (isOver) {
      expect(said).toContain('The previous database is kept as the generation');
      expect(side).toBe('new');
    }
    return side;
  };
  const faults = ['kill', 'EIO', 'ENOSPC for good'] as const;
  const outcomes = await throughAll({ what: 'restore', words: restoreWords, judge, faults });
  expect(Math.min(outcomes.old ?? 0, outcomes.new ?? 0)).toBeGreaterThan(runs(2, 10));
});

traced('a restore over a damaged database ends with that one or the new data', async () => {
  const judge: Judge = async (dataDir) => {
    // The start itself takes the generation when the restore had not come that far.
    const { side, said } = await served(state.world, dataDir);
    const aside = readdirSync(dataDir).filter((name) => name.includes('.damaged-'));
    expect(aside).toHaveLength(1);
    expect(statSync(path.join(dataDir, aside[0] ?? '')).size).toBe(40_960);
    expect(said).toContain(`set aside as ${path.join(dataDir, aside[0] ?? '')}`);
    return side;
  };
  const prepare = (dataDir: string) => truncateSync(path.join(dataDir, 'monitor.db'), 40_960);
  const scene = { what: 'restore over damage', words: restoreWords, prepare, judge, faults: ['kill', 'EIO for good'] };
  expect(Object.keys(await throughAll(scene as Scene))).toEqual(['new']);
});

traced('a start that finds a damaged database ends with the generation', async () => {
  const judge: Judge = async (dataDir) => {
    const { side, said } = await served(state.world, dataDir);
    expect(readdirSync(dataDir).filter((name) => name.includes('.damaged-'))).toHaveLength(1);
    expect(said).toContain('set aside as');
    return side;
  };
  const prepare = (dataDir: string) => truncateSync(path.join(dataDir, 'monitor.db'), 40_960);
  const words = (dataDir: string) => [program, 'start', dataDir];
  const faults = ['kill', 'ENOSPC for good'] as const;
  const outcomes = await throughAll({ what: 'recovery at a start', words, prepare, judge, faults });
  expect(Object.keys(outcomes)).toEqual(['new']);
});

traced('a read of the database that fails once at a start is no damage', async () => {
  const dataDir = path.join(state.folder, 'data');
  const compiled = path.join(state.folder, 'compiled');
  const outcomes = { started: 0, refused: 0 };
  for (let at = 1; at <= 40; at += runs(3, 1)) {
    const file = path.join(copyWorld(state.world, dataDir), 'monitor.db');
    const { isOver, said } = runWithFault(
      [program, 'start', dataDir],
      { call: 'pread64', at, fault: 'EIO', file },
      compiled,
    );
    expect([at, readdirSync(dataDir).filter((name) => name.includes('.damaged-')), said]).toEqual([at, [], said]);
    expect([at, (await served(state.world, dataDir)).side]).toEqual([at, 'old']);
    outcomes[isOver ? 'started' : 'refused'] += 1;
    state.count('failed reads');
  }
  expect(outcomes.refused).toBeGreaterThan(runs(1, 5));
});

traced('a backup is there whole or not at all', async () => {
  const judge: Judge = async (dataDir, isOver, said) => {
    expect((await served(state.world, dataDir)).side).toBe('old');
    const made = readInventory(path.join(dataDir, 'backups'));
    expect(made.length === 2 || !isOver).toBe(true);
    for (const { name } of made.slice(1)) {
      expect(contentOf(path.join(dataDir, 'backups', name))).toBe(contentOf(path.join(dataDir, 'monitor.db')));
    }
    // What was printed is there.
    expect(/^monitor_\S+\.db$/m.test(said) && made.length === 1).toBe(false);
    return `${made.length - 1}`;
  };
  const words = (dataDir: string) => ['src/main.ts', 'backup', 'create', '--data', dataDir];
  const faults = ['kill', 'EIO', 'ENOSPC for good'] as const;
  const outcomes = await throughAll({ what: 'create', words, judge, faults });
  expect(Object.keys(outcomes).sort()).toEqual(['0', '1']);
});

function versionOf(file: string): number {
  // Not read-only: an interrupted transaction is undone by whoever opens it.
  const db = new Database(file);
  const version = Number(db.pragma('user_version', { simple: true }));
  db.close();
  return version;
}

traced('a migration is done or not begun', async () => {
  const older = olderDatabase(state.world, state.folder);
  const read = contentAsIn(older);
  const judge: Judge = async (dataDir) => {
    // The start after it sees the file as it was left.
    const left = path.join(state.folder, 'left');
    cpSync(dataDir, left, { recursive: true });
    const version = versionOf(path.join(left, 'monitor.db'));
    rmSync(left, { recursive: true });
    const copies = () => readInventory(path.join(dataDir, 'backups')).filter(({ kind }) => kind === 'migration');
    expect(version === 16 || copies().length > 0).toBe(true);
    expect(copies().every((copy) => versionOf(copy.file) === 16)).toBe(true);
    expect((await served(state.world, dataDir, read)).side).toBe('old');
    expect(versionOf(path.join(dataDir, 'monitor.db'))).toBe(readNewestSchema());
    expect(copies().length).toBeGreaterThan(0);
    return String(version);
  };
  const prepare = (dataDir: string) => cpSync(older, path.join(dataDir, 'monitor.db'));
  const words = (dataDir: string) => [program, 'start', dataDir];
  const faults = ['kill', 'EIO', 'ENOSPC for good'] as const;
  const outcomes = await throughAll({ what: 'migration', words, prepare, judge, faults });
  expect(Object.keys(outcomes).sort()).toEqual(['16', String(readNewestSchema())]);
});

traced('a cleanup leaves whole generations, and those that must stay', async () => {
  const names: string[] = [];
  const prepare = (dataDir: string) => {
    const folder = path.join(dataDir, 'backups');
    names.splice(0);
    for (const age of [1, 2, 3, 4]) {
      const name = createGenerationName(Date.UTC(2026, 0, 10) - age * dayMs);
      cpSync(path.join(folder, state.world.name), path.join(folder, name));
      names.push(name);
    }
  };
  const judge: Judge = async (dataDir) => {
    expect((await served(state.world, dataDir)).side).toBe('old');
    const left = readInventory(path.join(dataDir, 'backups')).map(({ name }) => name);
    expect(left).toEqual(expect.arrayContaining([names[0], state.world.name]));
    return String(left.length);
  };
  const words = (dataDir: string) => [program, 'prune', dataDir];
  const outcomes = await throughAll({ what: 'prune', words, prepare, judge, faults: ['kill', 'EIO for good'] });
  expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(['2', '5']));
});
