// The work of a cleanup on real files: what it reports, when it ends early, and what it leaves then.
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { limits } from '#contract/limits.ts';
import { createGenerationName } from '#hub/base/storage/backup/generation-name.ts';
import { makeSnapshot } from '#hub/base/storage/backup/snapshot.ts';
import { openDatabase } from '#hub/base/storage/database.ts';
import { type PruneProgress, prune } from '#hub/base/storage/prune/work.ts';
import { readFreeBytes } from '#hub/base/storage/room.ts';
import { makeFolder } from '../../../support/temporary-folder.ts';

const root = makeFolder('prune');
const databaseFile = path.join(root, 'monitor.db');
const folder = path.join(root, 'backups');
const config = { intervalHours: 24, maxGenerations: 2, maxBackupBytes: 0, autoPrune: false };
const names = [1, 2, 3, 4].map((at) => createGenerationName(at));
const at = (name: string | undefined) => path.join(folder, name ?? '');
let size = 0;

beforeAll(async () => {
  await openDatabase(databaseFile).close();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const documents = { notes: null, settings: null };
  const made = await makeSnapshot({ file: databaseFile, folder, at: 9, migration: null, documents }, () => undefined);
  size = made.size;
  names.forEach((name) => void cpSync(made.file, at(name)));
  rmSync(made.file);
  rmSync(`${made.file}.json`);
});

function run(execute: string | null, stop = new AbortController()) {
  const reports: PruneProgress[] = [];
  const state = { each: (_: PruneProgress) => {} };
  const report = (progress: unknown) => {
    reports.push(progress as PruneProgress);
    state.each(progress as PruneProgress);
  };
  const result = prune({ folder, databaseFile, config, execute, now: 1000 }, { signal: stop.signal, report });
  return { reports, state, result };
}
const lies = () => readdirSync(folder).filter((name) => name.endsWith('.db'));

test('a preview reports each file before and after it is verified, and names what may go', async () => {
  const { reports, result } = run(null);
  const plan = await result;
  const totalBytes = 4 * size;
  const planning = [0, 1, 2, 3, 4].map((completed) => ({
    ...{ phase: 'planning', completed, total: 4, verifiedBytes: completed * size, totalBytes },
  }));
  expect(reports.filter((one) => 'phase' in one)).toEqual(planning);
  expect(reports.filter((one) => 'verdict' in one)).toEqual(
    names.map((name) => ({
      verdict: { integrity: 'ok', error: null, stored: expect.objectContaining({ name }) },
    })),
  );
  const dbSize = statSync(databaseFile).size;
  expect(plan).toMatchObject({
    candidates: [{ name: names[1] }, { name: names[0] }],
    candidateBytes: 2 * size,
    summary: { dbSize, backupBytes: totalBytes, migrationRequiredBytes: 2 * dbSize + limits.backupMarginBytes },
  });
  expect(Math.abs((plan as { summary: { freeBytes: number } }).summary.freeBytes - readFreeBytes(folder))).toBeLessThan(
    1e9,
  );
  expect(lies()).toEqual(names);
});

test('an execution reports each deletion, and takes the manifests along', async () => {
  const { reports, result } = run('any');
  expect(await result).toMatchObject({
    ...{ deletedBytes: 2 * size, deleted: [{ name: names[1], size, reason: 'generation-limit' }, { name: names[0] }] },
    diagnostics: { entries: [{ name: names[2] }, { name: names[3] }], summary: { backupBytes: 2 * size } },
  });
  expect(readdirSync(folder).sort()).toEqual(
    names
      .slice(2)
      .flatMap((name) => [name, `${name}.json`])
      .sort(),
  );
  const deleting = reports.flatMap((one) => ('phase' in one && one.phase === 'deleting' ? [one] : []));
  expect(deleting.map(({ completed, total, deleted }) => [completed, total, deleted?.name])).toEqual([
    [0, 2, undefined],
    [1, 2, names[1]],
    [1, 2, undefined],
    [2, 2, names[0]],
  ]);
});

test('another plan than that of the preview deletes nothing', async () => {
  const { result } = run('of another plan');
  const sentence = expect.stringMatching(/changed since the preview, so nothing was deleted/);
  expect(await result).toEqual({ code: 'prune_changed', sentence, values: {} });
  expect(lies()).toEqual(names);
});

test('a file that changes or goes after it was verified ends the cleanup there', async () => {
  for (const change of [() => utimesSync(at(names[1]), 1, 1), () => rmSync(at(names[1]))]) {
    const { state, result } = run('any');
    state.each = (one) => {
      if ('phase' in one && one.phase === 'deleting' && one.completed === 0) {
        change();
      }
    };
    const sentence = expect.stringContaining(`${names[1]} has changed since it was verified, so it stays`);
    expect(await result).toEqual({ code: 'prune_file_changed', sentence, values: { file: names[1] } });
    expect(lies()).toContain(names[0]);
  }
});

test('what is cancelled while it deletes ends between two files', async () => {
  const stop = new AbortController();
  const { state, result } = run('any', stop);
  state.each = (one) => {
    if ('phase' in one && one.phase === 'deleting' && one.completed === 1) {
      stop.abort(new Error('it was cancelled'));
    }
  };
  await expect(result).rejects.toThrow('it was cancelled');
  expect(lies()).toEqual([names[0], ...names.slice(2)]);
});

test('one that is not whole is reported with what is wrong, and neither goes nor counts', async () => {
  writeFileSync(at(names[3]), 'x');
  const { reports, result } = run(null);
  const plan = await result;
  expect(reports).toContainEqual({
    verdict: {
      integrity: 'failed',
      error: expect.objectContaining({ code: 'backup_unusable' }),
      stored: expect.anything(),
    },
  });
  expect(plan).toMatchObject({ candidates: [{ name: names[0] }] });
});
