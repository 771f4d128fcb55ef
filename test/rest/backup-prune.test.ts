// The cleanup of generations over HTTP: a verified preview, its execution, cancellation, time, and what never goes.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { PruneJob, PrunePlan, PruneResult } from '#contract/backup.ts';
import { createGenerationName } from '#hub/base/storage/backup/generation-name.ts';
import { dayMs } from '#kernel/time/time.ts';
import { type Lab, startLab } from '../support/lab.ts';
import { refusal } from '../support/refusal.ts';
import { verifies } from '../support/verifies.ts';

const folderOf = (lab: Lab<never>) => path.join(lab.dataDir, 'backups');
const files = (lab: Lab<never>) => readdirSync(folderOf(lab)).sort();

/** Generations of the last days, the newest last: copies of one that the hub made. */
async function withGenerations(lab: Lab<never>, count: number, migration: number | null = null): Promise<string[]> {
  const { name } = await lab.as.admin.backup.create({ body: {} });
  const names = Array.from({ length: count - 1 }, (_, at) =>
    createGenerationName(lab.clock.now() - (count - at) * dayMs, migration),
  );
  for (const copy of names) {
    copyFileSync(path.join(folderOf(lab), name), path.join(folderOf(lab), copy));
  }
  return [...names, name];
}

async function ended(lab: Lab<never>, { id }: PruneJob): Promise<PruneJob> {
  await lab.settled();
  return (await lab.as.admin.backup.pruneJob({ params: { jobId: id } })).job;
}

const start = async (lab: Lab<never>, body: { execute?: boolean; planHash?: string } = {}) =>
  (await lab.as.admin.backup.prune({ body })).job;
const preview = async (lab: Lab<never>) => {
  const job = await ended(lab, await start(lab));
  expect(job).toMatchObject({ status: 'completed', operation: 'preview', source: 'manual' });
  return job.result as PrunePlan;
};

verifies(
  'rest.backup.prune-dry-run rest.backup.prune-202 rest.backup.job-read',
  'a preview verifies and deletes nothing',
  async () => {
    await using lab = await startLab();
    const names = await withGenerations(lab, 9);
    const before = files(lab);
    const answer = await lab.as.raw({
      ...{ method: 'POST', path: '/api/backup/prune', headers: { 'content-type': 'application/json' }, body: '{}' },
    });
    expect(answer.status).toBe(202);
    const job = await ended(lab, (answer.body as { job: PruneJob }).job);
    const { candidates, entries } = job.result as PrunePlan;
    expect(candidates.map(({ name }) => name)).toEqual(names.slice(0, 2).toReversed());
    expect(entries.every(({ integrity }) => integrity === 'ok')).toBe(true);
    expect(job.progress).toMatchObject({ phase: 'planning', completed: 9, total: 9 });
    expect(job.progress.verifiedBytes).toBe(job.progress.totalBytes);
    expect(before.every((file) => existsSync(path.join(folderOf(lab), file)))).toBe(true);
    const { diagnostics, pruneJob } = await lab.as.admin.backup.list({});
    expect(diagnostics.entries.every(({ integrity }) => integrity === 'ok')).toBe(true);
    expect(pruneJob).toEqual(job);
  },
);

verifies(
  'rest.backup.prune-execute rest.backup.job-content',
  'an execution deletes what the preview named',
  async () => {
    await using lab = await startLab();
    const names = await withGenerations(lab, 9);
    expect(await refusal(start(lab, { execute: true }))).toMatchObject({ status: 409, code: 'prune_preview_required' });
    const plan = await preview(lab);
    expect(await refusal(start(lab, { execute: true, planHash: 'another' }))).toMatchObject({ status: 409 });
    const job = await ended(lab, await start(lab, { execute: true, planHash: plan.planHash }));
    expect(job).toMatchObject({ status: 'completed', operation: 'execute', finishedAt: expect.any(String) });
    const { deleted, deletedBytes, diagnostics } = job.result as PruneResult;
    expect(deleted.map(({ name }) => name).sort()).toEqual(names.slice(0, 2));
    expect(deletedBytes).toBe(plan.candidateBytes);
    expect(diagnostics.entries.map(({ name }) => name)).toEqual(names.slice(2));
    expect(files(lab).filter((name) => name.endsWith('.db'))).toEqual(names.slice(2).sort());
    // Their manifests went with them.
    expect(files(lab).filter((name) => name.endsWith('.json'))).toHaveLength(7);
    expect(await refusal(start(lab, { execute: true }))).toMatchObject({ code: 'prune_preview_required' });
  },
);

verifies('rest.backup.never-deletes', 'what is damaged, unreadable, changed or temporary stays', async () => {
  await using lab = await startLab();
  const names = await withGenerations(lab, 12);
  await lab.as.admin.backup.config({ body: { maxGenerations: 2 } });
  const at = (index: number) => path.join(folderOf(lab), names[index] ?? '');
  await preview(lab);
  // Rotten, cut, replaced by other content of the same size, without a readable manifest; temporary files and strangers.
  const bytes = readFileSync(at(0));
  bytes[40_000] = (bytes[40_000] ?? 0) ^ 1;
  writeFileSync(at(0), bytes);
  writeFileSync(at(1), readFileSync(at(1)).subarray(0, 8192));
  writeFileSync(at(2), Buffer.alloc(readFileSync(at(2)).length));
  writeFileSync(`${at(3)}.json`, '{}');
  const others = [`${names[4]}.1.tmp`, 'notes.txt', 'monitor.db', 'monitor_x.db'];
  for (const other of others) {
    writeFileSync(path.join(folderOf(lab), other), 'x');
  }
  mkdirSync(path.join(folderOf(lab), createGenerationName(0)));
  const plan = await preview(lab);
  expect(plan.entries.filter(({ integrity }) => integrity === 'failed').map(({ name }) => name)).toEqual(
    names.slice(0, 4),
  );
  expect(plan.entries.filter(({ integrity }) => integrity === 'failed').every(({ error }) => error)).toBe(true);
  expect(plan.blocked).toBe(true);
  const job = await ended(lab, await start(lab, { execute: true }));
  expect((job.result as PruneResult).deleted.map(({ name }) => name).sort()).toEqual(names.slice(4, 10));
  expect(files(lab)).toEqual(expect.arrayContaining([...names.slice(0, 4), ...names.slice(10), ...others]));
});

verifies(
  'rest.backup.prune-409 rest.backup.job-cancel rest.backup.job-statuses',
  'one at a time, and it can be cancelled',
  async () => {
    await using lab = await startLab();
    await withGenerations(lab, 9);
    const tries = await Promise.allSettled([start(lab), start(lab), start(lab)]);
    const jobs = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(jobs).toHaveLength(1);
    for (const one of tries.filter(({ status }) => status === 'rejected')) {
      const { reason } = one as PromiseRejectedResult;
      expect(reason).toMatchObject({ status: 409, code: 'prune_running', body: { job: { id: jobs[0]?.id } } });
    }
    const params = { jobId: jobs[0]?.id ?? '' };
    const { job } = await lab.as.admin.backup.cancelPrune({ params });
    expect(job.status).toBe('cancelling');
    expect(await refusal(lab.as.admin.backup.cancelPrune({ params }))).toMatchObject({
      status: 409,
      code: 'prune_ended',
    });
    expect(await ended(lab, job)).toMatchObject({ status: 'cancelled', finishedAt: expect.any(String) });
    expect(await refusal(lab.as.admin.backup.cancelPrune({ params }))).toMatchObject({
      status: 409,
      code: 'prune_ended',
    });
    const unknown = { jobId: '00000000-0000-4000-8000-000000000000' };
    expect((await refusal(lab.as.admin.backup.pruneJob({ params: unknown }))).status).toBe(404);
    expect((await refusal(lab.as.admin.backup.cancelPrune({ params: unknown }))).status).toBe(404);
    expect((await refusal(lab.as.admin.backup.pruneJob({ params: { jobId: 'x' } }))).status).toBe(400);
    await preview(lab);
  },
);

test('after a backup it runs by itself when that is switched on', async () => {
  await using lab = await startLab();
  const names = await withGenerations(lab, 4);
  await lab.as.admin.backup.config({ body: { maxGenerations: 2, autoPrune: true } });
  await lab.advance(1000);
  const { name } = await lab.as.admin.backup.create({ body: {} });
  await lab.settled();
  const { backups, pruneJob } = await lab.as.admin.backup.list({});
  expect(backups.map((one) => one.name)).toEqual([names.at(-1), name]);
  expect(pruneJob).toMatchObject({ source: 'automatic', operation: 'execute', status: 'completed' });
});
