// The work of a prune job, in a thread: verifies every generation, plans, and deletes what the plan names.

import type { BackupConfig, Integrity, PrunePlan, PruneResult } from '#contract/backup.ts';
import { removeDurably } from '#kernel/files/large-files.ts';
import type { TaskRun } from '#kernel/process/task-thread.ts';
import { yieldToEventLoop } from '#kernel/time/clock.ts';
import { createStatement, type Statement } from '../../statements.ts';
import { findGeneration, readInventory, type StoredGeneration, Verdicts } from '../backup/inventory.ts';
import { toManifestFile } from '../backup/manifest.ts';
import { measureDatabase } from '../backup/snapshot.ts';
import { verifyGeneration } from '../backup/verify.ts';
import { readFreeBytes } from '../room.ts';
import { planPrune } from './plan.ts';
import { sumBytes, toBackupSummary } from './summary.ts';

export interface PruneTask {
  folder: string;
  databaseFile: string;
  config: BackupConfig;
  /** Null: a preview. Else deletes, when the plan has this hash; `any` binds to nothing. */
  execute: string | 'any' | null;
  /** Epoch milliseconds. */
  now: number;
}

export type PruneProgress =
  | { phase: 'planning'; completed: number; total: number; verifiedBytes: number; totalBytes: number }
  | { phase: 'deleting'; completed: number; total: number; deleted?: PruneResult['deleted'][number] }
  | { verdict: { stored: StoredGeneration; integrity: Integrity; error: Statement | null } };

/**
 * Resolves to the plan of a preview, else to the result; to a statement when generations have changed: with another hash
 * nothing is deleted, and one that changed since it was verified stays.
 */
export async function prune(
  task: PruneTask,
  { signal, report }: TaskRun,
): Promise<PrunePlan | PruneResult | Statement> {
  const send = (progress: PruneProgress) => report(progress);
  const { plan, stored } = await planVerified(task, signal, send);
  if (task.execute === null) {
    return plan;
  }
  if (task.execute !== 'any' && task.execute !== plan.planHash) {
    const sentence = 'The backups have changed since the preview, so nothing was deleted. Ask for a preview again.';
    return createStatement('prune_changed', sentence);
  }
  const deleted: PruneResult['deleted'] = [];
  const total = plan.candidates.length;
  for (const { name, kind, size, reason } of plan.candidates) {
    send({ phase: 'deleting', completed: deleted.length, total });
    // A message that cancels is read between files.
    await yieldToEventLoop();
    signal.throwIfAborted();
    const verified = stored.find((one) => one.name === name);
    if (verified === undefined || findGeneration(task.folder, name)?.stamp !== verified.stamp) {
      const sentence = `${name} has changed since it was verified, so it stays. Ask for a preview again.`;
      return createStatement('prune_file_changed', sentence, { file: name });
    }
    removeDurably(verified.file);
    removeDurably(toManifestFile(verified.file));
    const one = { name, kind, size, reason };
    deleted.push(one);
    send({ phase: 'deleting', completed: deleted.length, total, deleted: one });
  }
  return toPruneResult(task, deleted);
}

async function planVerified(task: PruneTask, signal: AbortSignal, send: (progress: PruneProgress) => void) {
  const stored = readInventory(task.folder);
  const total = stored.length;
  const totalBytes = sumBytes(stored);
  const verdicts = new Verdicts();
  let verifiedBytes = 0;
  for (const [completed, one] of stored.entries()) {
    send({ phase: 'planning', completed, total, verifiedBytes, totalBytes });
    const error = await verifyGeneration(one, signal);
    const integrity = error === null ? 'ok' : 'failed';
    verdicts.note(one, integrity, error);
    send({ verdict: { stored: one, integrity, error } });
    verifiedBytes += one.size;
  }
  send({ phase: 'planning', completed: total, total, verifiedBytes, totalBytes });
  const plan = planPrune({
    entries: stored.map((one) => verdicts.entry(one)),
    config: task.config,
    dbSize: measureDatabase(task.databaseFile),
    freeBytes: readFreeBytes(task.folder),
    stamps: Object.fromEntries(stored.map(({ name, stamp }) => [name, stamp])),
    now: task.now,
  });
  return { plan, stored };
}

export function toPruneResult(
  task: Pick<PruneTask, 'folder' | 'databaseFile'>,
  deleted: PruneResult['deleted'],
): PruneResult {
  const verdicts = new Verdicts();
  const entries = readInventory(task.folder).map((one) => verdicts.entry(one));
  const space = { dbSize: measureDatabase(task.databaseFile), freeBytes: readFreeBytes(task.folder) };
  return {
    deleted,
    deletedBytes: sumBytes(deleted),
    diagnostics: { entries, summary: toBackupSummary({ entries, ...space }) },
  };
}
