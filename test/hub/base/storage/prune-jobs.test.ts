// Cleanups as jobs: one at a time, each with its times and its end; a preview is good for the next job alone.
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { PruneJob, PrunePlan, PruneResult } from '#contract/backup.ts';
import { createGenerationName } from '#hub/base/storage/backup/generation-name.ts';
import { readInventory, Verdicts } from '#hub/base/storage/backup/inventory.ts';
import { makeSnapshot } from '#hub/base/storage/backup/snapshot.ts';
import { openDatabase } from '#hub/base/storage/database.ts';
import { createPruneJobs } from '#hub/base/storage/prune/jobs.ts';
import { isoTime } from '#kernel/time/clock.ts';
import { collectLog } from '../../../support/log-lines.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { makeFolder } from '../../../support/temporary-folder.ts';

const root = makeFolder('prune-jobs');
const databaseFile = path.join(root, 'monitor.db');
const model = path.join(root, 'model');
const folder = path.join(root, 'backups');
const names = [1, 2, 3].map((at) => createGenerationName(at));
const timeoutMs = 60_000;

beforeAll(async () => {
  await openDatabase(databaseFile).close();
  const documents = { notes: null, settings: null };
  const task = { file: databaseFile, folder: root, at: 9, migration: null, documents };
  const made = await makeSnapshot(task, () => undefined);
  mkdirSync(model);
  names.forEach((name) => void cpSync(made.file, path.join(model, name)));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  cpSync(model, folder, { recursive: true });
});

function openJobs(config = { maxGenerations: 2, maxBackupBytes: 0 }) {
  const clock = new ManualClock();
  const { log, lines } = collectLog('warn');
  const verdicts = new Verdicts();
  const whole = { intervalHours: 24, autoPrune: false, ...config };
  const jobs = createPruneJobs({ clock, log, folder, databaseFile, config: () => whole, verdicts, timeoutMs });
  const preview = () => jobs.start({ execute: false, source: 'manual' });
  const execute = (planHash?: string) => jobs.start({ execute: true, source: 'manual', planHash });
  const ended = async (job: PruneJob) => {
    await jobs.settled();
    return jobs.read(job.id);
  };
  const said = () => lines.map(({ msg }) => msg);
  return {
    clock,
    said,
    verdicts,
    jobs,
    preview,
    execute,
    ended,
    [Symbol.asyncDispose]: () => jobs[Symbol.asyncDispose](),
  };
}
const lies = () => readdirSync(folder).filter((name) => name.endsWith('.db'));
const needsPreview = expect.objectContaining({ code: 'prune_preview_required' });

test('a preview and its execution show their times and progress; another job in between asks for a new preview', async () => {
  await using open = openJobs();
  const { clock, jobs, preview, execute, ended } = open;
  expect([jobs.latest(), jobs.isRunning()]).toEqual([null, false]);
  const begun = isoTime(clock.now());
  const job = preview();
  expect(job).toEqual({
    ...{ id: expect.any(String), operation: 'preview', source: 'manual', status: 'running' },
    ...{ startedAt: begun, updatedAt: begun, finishedAt: null },
    progress: { phase: 'queued', completed: 0, total: 0, verifiedBytes: 0, totalBytes: 0 },
    errorFacts: [],
  });
  expect([jobs.latest(), jobs.isRunning(), jobs.read(job.id)]).toEqual([job, true, job]);
  expect(() => preview()).toThrow(expect.objectContaining({ code: 'prune_running', details: { job } }));
  clock.skip(5000);
  const done = await ended(job);
  const at = isoTime(clock.now());
  expect(done).toMatchObject({ status: 'completed', startedAt: begun, updatedAt: at, finishedAt: at });
  const { planHash, candidates, entries } = done.result as PrunePlan;
  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  const progress = { phase: 'planning', completed: 3, total: 3, verifiedBytes: bytes, totalBytes: bytes };
  expect([done.progress, candidates.map(({ name }) => name)]).toEqual([progress, [names[0]]]);
  expect(readInventory(folder).map((one) => open.verdicts.entry(one).integrity)).toEqual(['ok', 'ok', 'ok']);
  expect([jobs.isRunning(), jobs.latest(), clock.sleeping]).toEqual([false, done, 0]);
  expect(() => execute('another hash')).toThrow(needsPreview);
  const executed = await ended(execute(planHash));
  expect(executed).toMatchObject({
    ...{ status: 'completed', operation: 'execute' },
    progress: { ...progress, phase: 'deleting', completed: 1, total: 1 },
  });
  expect([(executed.result as PruneResult).deleted.length, lies()]).toEqual([1, names.slice(1)]);
  expect(() => execute()).toThrow(needsPreview);
  await ended(preview());
  // A cleanup by itself needs no preview, and ends the one that there was.
  const automatic = await ended(jobs.start({ execute: true, source: 'automatic' }));
  expect(automatic).toMatchObject({ status: 'completed', source: 'automatic', result: { deleted: [] } });
  expect(() => execute()).toThrow(needsPreview);
  expect(open.said()).toEqual([]);
});

test('a job that is cancelled, late, or ended by the stop of the hub says so, and what it has deleted until then', async () => {
  await using open = openJobs();
  const { clock, jobs, preview, execute, ended, said } = open;
  const cancelled = preview();
  const over = { code: 'prune_ended', details: { job: { id: cancelled.id } } };
  expect(jobs.cancel(cancelled.id)).toMatchObject({ id: cancelled.id, status: 'cancelling' });
  expect(() => jobs.cancel(cancelled.id)).toThrow(expect.objectContaining({ code: 'prune_ended' }));
  const reasons = [
    'The cleanup was stopped.',
    'The cleanup was ended because it took longer than 60 seconds.',
  ] as const;
  const wasCancelled = { error: reasons[0], errorFacts: [{ code: 'prune_cancelled', values: {} }] };
  expect(await ended(cancelled)).toMatchObject({ status: 'cancelled', ...wasCancelled });
  expect(() => jobs.cancel(cancelled.id)).toThrow(expect.objectContaining({ ...over, details: expect.anything() }));
  for (const id of ['unknown', '']) {
    expect(() => jobs.read(id)).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(() => jobs.cancel(id)).toThrow(expect.objectContaining({ code: 'not_found' }));
  }
  const late = preview();
  await clock.advance(timeoutMs);
  const wasLate = { error: reasons[1], errorFacts: [{ code: 'prune_late', values: { seconds: 60 } }] };
  expect(await ended(late)).toMatchObject({ status: 'timed_out', ...wasLate });
  await ended(preview());
  const broken = execute();
  rmSync(path.join(folder, names[0] ?? ''));
  const failed = await ended(broken);
  const hasChanged = {
    error: expect.stringMatching(/changed since the preview/),
    errorFacts: [{ code: 'prune_changed' }],
  };
  expect(failed).toMatchObject({ status: 'failed', ...hasChanged });
  expect(failed.result).toMatchObject({ deleted: [], deletedBytes: 0, diagnostics: { entries: [{}, {}] } });
  const last = preview();
  await jobs[Symbol.asyncDispose]();
  expect(jobs.read(last.id)).toMatchObject({ status: 'cancelled', errorFacts: [{ code: 'prune_hub_stops' }] });
  expect(jobs.read(last.id)).not.toHaveProperty('result');
  const logged = [...reasons, expect.stringMatching(/preview/), 'The cleanup was ended because the hub stops.'];
  expect(said()).toEqual(logged);
  expect([clock.sleeping, jobs.isRunning()]).toEqual([0, false]);
  await jobs[Symbol.asyncDispose]();
});

test('a cleanup that fails in another way says why', async () => {
  await using open = openJobs();
  rmSync(databaseFile);
  mkdirSync(databaseFile);
  const failed = await open.ended(open.preview());
  rmSync(databaseFile, { recursive: true });
  cpSync(path.join(model, names[0] ?? ''), databaseFile);
  expect(failed).toMatchObject({ status: 'failed', error: expect.stringMatching(/^The cleanup failed \(EISDIR/) });
  expect(failed.errorFacts).toEqual([{ code: 'prune_failed', values: { detail: expect.stringMatching(/^EISDIR/) } }]);
});

test('ten jobs that ended are remembered', async () => {
  rmSync(folder, { recursive: true });
  await using open = openJobs();
  const ids: string[] = [];
  for (let round = 0; round < 11; round += 1) {
    ids.push((await open.ended(open.preview())).id);
  }
  expect(() => open.jobs.read(ids[0] ?? '')).toThrow(expect.objectContaining({ code: 'not_found' }));
  expect(ids.slice(1).map((id) => open.jobs.read(id).id)).toEqual(ids.slice(1));
  expect(open.jobs.latest()?.id).toBe(ids.at(-1));
});

test('an execution ends, and says why, when its folder cannot be read any more', async () => {
  await using open = openJobs();
  const { jobs, preview, execute, ended, said } = open;
  await ended(preview());
  rmSync(folder, { recursive: true });
  symlinkSync(folder, folder);
  const failed = await ended(execute());
  expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('ELOOP') });
  expect([failed.result, jobs.isRunning()]).toEqual([undefined, false]);
  expect(said()).toEqual([expect.stringContaining('could not be read at the end of a cleanup'), failed.error]);
  rmSync(folder);
});
